/* The expected values of a hand-worked case, the section "expected" of its file (case_platform.h).
 *
 *   unit us                              unit of bare numbers below: s (default), ms, us, ns
 *   semantics a b                        the lines below hold under these letters; a letter may have several blocks
 *   0 2 MPI_Put 50 410                   rank, event (from 1), call, enter, exit; user regions are "enter" and "leave"
 *   xfer 0 2 410 520                     rank, event, begin and end of the data's true interval
 *   wait late_post 400 0                 pattern, severity of each rank: the simulator's account and the detector's
 *   detect late_sender 0 120             the same for patterns that only the detector knows
 *   error rank 0, event 1                the replay fails and says this; then nothing else is compared
 *
 * '#' begins a comment. Every call and every transfer must be listed. Patterns that are not listed are expected 0 where
 * EXPECTED_ALWAYS says so and are not compared otherwise. */
#ifndef TESTS_CASES_EXPECTED_H
#define TESTS_CASES_EXPECTED_H

#include "model/waits/totals.h"
#include "trace/trace.h"

enum { EXPECTED_NAME_BYTES = 40, EXPECTED_TEXT_BYTES = 200 };

struct expected_call {
    uint32_t rank, event;
    char name[EXPECTED_NAME_BYTES];
    int64_t enter_ps, exit_ps;
};

struct expected_xfer {
    uint32_t rank, event;
    int64_t start_ps, end_ps;
};

struct expected_text {
    char text[EXPECTED_TEXT_BYTES];
};

struct expected {
    struct expected_call *calls;
    size_t call_count, call_capacity;
    struct expected_xfer *xfers;
    size_t xfer_count, xfer_capacity;
    struct expected_text *errors;
    size_t error_count, error_capacity;
    uint32_t rank_count;
    int64_t *severity_ps[PATTERN_COUNT]; /* per rank; NULL: not listed */
    bool detector_only[PATTERN_COUNT];
};

/* True for the patterns that the simulator and the detector both account for in every case. */
bool expected_always(enum pattern pattern);

/* Reads what holds under one letter. Errors name file and line. */
enum status expected_open(const char *file, char letter, uint32_t rank_count, struct expected *expected,
                          struct err *err);
void expected_clear(struct expected *expected);

#endif
