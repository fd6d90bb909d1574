/* A bar on standard error while long replays run: "[######              ]  30 %, 2.1 M events/s, 14 s left". Only on
 * a terminal, only after a second. The replays may run in child processes, which share the bar.
 *
 * Order of calls: progress_bar_begin, progress_bar_show as often as one likes, progress_bar_end. */
#ifndef CLI_TERMINAL_PROGRESS_BAR_H
#define CLI_TERMINAL_PROGRESS_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

enum { PROGRESS_BAR_BYTES = 96 };

struct progress_bar;

/* One of the replays that the bar counts. */
struct progress_share {
    struct progress_bar *bar;
    _Atomic uint64_t events, all_events; /* 0: the replay has not begun, and is taken for as long as others */
};

/* Shares 0..count-1 of *bar; standard error as it is now is where the bar appears. */
enum status progress_bar_begin(size_t count, struct progress_bar **bar, struct err *err);
struct progress_share *progress_bar_share(struct progress_bar *bar, size_t index);
/* The shares of all replays, in their order, as contexts of progress_bar_show(). The bar owns the array. */
void *const *progress_bar_shares(const struct progress_bar *bar);
/* For replay_options.progress; context is the replay's share. */
void progress_bar_show(void *share, uint64_t events, uint64_t all_events);
/* Removes the bar; NULL is legal. */
void progress_bar_end(struct progress_bar *bar);

/* The text after elapsed_s seconds. Returns buffer. */
char *progress_bar_text(double elapsed_s, uint64_t events, uint64_t all_events, char buffer[PROGRESS_BAR_BYTES]);

#endif
