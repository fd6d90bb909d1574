/* A bar on standard error while a long replay runs: "[######              ]  30 %, 2.1 M events/s, 14 s left". Only on
 * a terminal, only after a second.
 *
 * Order of calls: progress_bar_begin, progress_bar_show as often as one likes, progress_bar_clear. */
#ifndef CLI_PROGRESS_BAR_H
#define CLI_PROGRESS_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress_bar {
    double begin_s, shown_s;
    bool shown;
};

enum { PROGRESS_BAR_BYTES = 96 };

void progress_bar_begin(struct progress_bar *bar);
/* For replay_options.progress; context is the bar. */
void progress_bar_show(void *context, uint64_t events, uint64_t all_events);
void progress_bar_clear(struct progress_bar *bar);

/* The text after elapsed_s seconds. Returns buffer. */
char *progress_bar_text(double elapsed_s, uint64_t events, uint64_t all_events, char buffer[PROGRESS_BAR_BYTES]);

#endif
