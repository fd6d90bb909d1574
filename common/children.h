/* Runs work in child processes, several at once, and receives the results through pipes: for code that runs only once
 * per process (SimGrid) or may end its process. One thread calls; children share nothing with each other. */
#ifndef COMMON_CHILDREN_H
#define COMMON_CHILDREN_H

#include <stddef.h>
#include <stdio.h>

#include "common/status.h"

/* Runs in the child: writes its result to out, or fails. index counts the jobs from 0. */
typedef enum status (*child_work)(void *context, size_t index, FILE *out, struct err *err);

struct child_answer {
    enum status status;
    struct err err; /* of a job that failed or whose process ended early */
    char *data;     /* owned, NUL-terminated; NULL unless status is STATUS_OK */
    size_t bytes;
};

/* Runs jobs 0..count-1, at most `at_once` at a time (0: one per processor), and waits for all. answers[i] belongs to
 * job i whatever the order in which they end; a child that ends without an answer is STATUS_SYSTEM saying how it ended
 * and the first line it left on its standard error. A child ends with its parent. STATUS_SYSTEM if no child can be
 * made. */
enum status children_run(child_work work, void *context, size_t count, size_t at_once, struct child_answer *answers,
                         struct err *err);
void child_answers_clear(struct child_answer *answers, size_t count);

#endif
