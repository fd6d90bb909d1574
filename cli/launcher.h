/* Runs an MPI launcher with one of our measuring programs, reads what the program prints, and ends all processes if the
 * program does not end by itself: MPI libraries may hang in MPI_Finalize, or in unusual calls. */
#ifndef CLI_LAUNCHER_H
#define CLI_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/status.h"

enum launcher_end { LAUNCHER_EXITED, LAUNCHER_TIME_OUT, LAUNCHER_INTERRUPTED };

struct launcher_outcome {
    enum launcher_end end;
    int exit_status; /* 128 + n if signal n ended the launcher, or this process was asked to end by signal n */
};

/* Takes a line of the program's standard output, without newline; context is launcher_run's. True: it was the last one, and the
 * launcher has LAUNCHER_END_S to end. */
typedef bool (*launcher_line)(void *context, const char *line);

#define LAUNCHER_END_S 5.0

/* From here to launcher_release_signals() the first SIGINT, SIGTERM or SIGHUP does not end this process, also between two
 * launchers, so that it can remove what it has made. */
void launcher_hold_signals(void);
void launcher_release_signals(void);
/* Whether such a signal has come since launcher_hold_signals(). */
bool launcher_is_interrupted(void);

/* command, then program, then arguments (both lists NULL-terminated). The launcher has a process group of its own and no standard
 * input. After limit_s, or when this process gets SIGINT, SIGTERM or SIGHUP, the group is ended by its id, and what has left the
 * group but is below this process, too. STATUS_USAGE: the command cannot be run. */
enum status launcher_run(char *const *command, const char *program, const char *const *arguments, double limit_s,
                         launcher_line line, void *context, struct launcher_outcome *outcome, struct err *err);

/* The program beside this one, or the file that the environment variable names. */
enum status launcher_find_program(const char *name, const char *variable, char *path, size_t room, struct err *err);

#endif
