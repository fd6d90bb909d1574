/* "rmacast analyze, 5 s" on standard error while a command takes long: only on a terminal, only from the second second
 * on, and not with --quiet. A thread writes it. A progress bar, which says more, takes its place.
 *
 * Order of calls: activity_begin, activity_end before anything else is written to the terminal. */
#ifndef CLI_TERMINAL_ACTIVITY_H
#define CLI_TERMINAL_ACTIVITY_H

/* Borrows what until activity_end. If no thread can be made, nothing is shown. */
void activity_begin(const char *what);
/* Removes the line. Legal without begin, and more than once. */
void activity_end(void);

#endif
