/* A process "rmacast sweep CONFIG --serve" of its own, which runs points one after another: this program cannot, since
 * libmpich and libsimgrid define the same symbols. If it ends, the next point starts another one.
 *
 * Order of calls: point_server_begin, point_server_poll until it has the answer, and again; point_server_close. */
#ifndef MPI_POINT_SERVER_H
#define MPI_POINT_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/status.h"

struct point_server {
    const char *program, *config; /* borrowed until point_server_close() */
    pid_t pid;                    /* 0: not running */
    int to, from;
    bool busy;
    char *data; /* owned: what it has sent of the answer */
    size_t bytes, capacity;
};

/* HOPELESS: no point can be run, since the traces cannot be used. */
enum point_outcome { POINT_FAILED, POINT_DONE, POINT_HOPELESS };
struct point_answer {
    enum point_outcome outcome;
    char *text; /* owned: the point's line if it is done, else why not */
};

/* Asks for a point. STATUS_SYSTEM: the process cannot be started. */
enum status point_server_begin(struct point_server *server, size_t point, struct err *err);

/* Waits for wait_ms at most. *answered: here is the answer, which may be that the process has ended. */
enum status point_server_poll(struct point_server *server, int wait_ms, bool *answered, struct point_answer *answer,
                              struct err *err);
/* Ends the process, a point that it has included. */
void point_server_close(struct point_server *server);

#endif
