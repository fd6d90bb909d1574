/* Runs work in child processes, several at once, and receives the results through pipes: for code that runs only once
 * per process (SimGrid) or may end its process. One thread calls; children share nothing with each other. */
#ifndef COMMON_CHILDREN_H
#define COMMON_CHILDREN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/status.h"

/* Runs in the child: writes its result to out, or fails. index counts the jobs from 0. */
typedef enum status (*child_work)(void *context, size_t index, FILE *out, struct err *err);

/* A child that cannot go back to its work's caller ends with this exit status: the first line of its standard error is the
 * answer, STATUS_DATA. */
enum { CHILD_EXPLAINED = 70 };

struct child_answer {
    enum status status;
    struct err err; /* of a job that failed or whose process ended early */
    char *data;     /* owned, NUL-terminated; NULL unless status is STATUS_OK */
    size_t bytes;
};

/* Jobs that are not all known in advance. next gives the number of the next job; false if there is none at present: it
 * is called again after each answer. take is called when a job ends; it may keep answer->data and set it to NULL. */
struct children_jobs {
    bool (*next)(void *context, size_t *job);
    enum status (*take)(void *context, size_t job, struct child_answer *answer, struct err *err);
};

/* Runs jobs, at most `at_once` at a time (0: one per processor), until none runs and next has none. A failure of take ends
 * all. */
enum status children_run_jobs(child_work work, const struct children_jobs *jobs, void *context, size_t at_once, struct err *err);

/* Runs jobs 0..count-1, at most `at_once` at a time (0: one per processor), and waits for all. answers[i] belongs to
 * job i whatever the order in which they end; a child that ends without an answer is STATUS_SYSTEM saying how it ended
 * and the first line it left on its standard error. A child ends with its parent. STATUS_SYSTEM if no child can be
 * made. */
enum status children_run(child_work work, void *context, size_t count, size_t at_once, struct child_answer *answers,
                         struct err *err);
void child_answers_clear(struct child_answer *answers, size_t count);

#endif
