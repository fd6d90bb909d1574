/* What a synchronising call of an MPI library does, step by step: mpi.rma.protocol.calls of a platform file
 * (docs/simulation.md, Protocols). A list is one of the rows of platforms/steps.def; the drivers of simulate/rma act by its form
 * and by what it asks. Not for when the first step may begin: that is the blocking semantics (struct rma_semantics). */
#ifndef PLATFORMS_STEPS_H
#define PLATFORMS_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/json.h"
#include "common/status.h"

enum steps_call { STEPS_COMPLETE, STEPS_UNLOCK, STEPS_FLUSH, STEPS_FENCE, STEPS_LOCK, STEPS_CALL_COUNT };

/* The first form of each call is its default. */
enum steps_form {
#define FORM(name, call, words) FORM_##name,
#include "platforms/steps.def"
#undef FORM
    FORM_COUNT
};

/* Whom the call asks, behind its operations, whether they are complete. QUERY_NONE: nobody, acknowledgements say so. */
enum steps_query { QUERY_NONE, QUERY_NEEDED, QUERY_CONNECTED, QUERY_ALL };

struct call_steps {
    enum steps_form form;
    enum steps_query query;
    bool asserted; /* of a fence: NOPRECEDE and NOSUCCEED leave out what they allow */
};

/* "complete", "unlock", "flush", "fence", "lock"; NULL behind them. */
extern const char *const steps_call_names[STEPS_CALL_COUNT + 1];

struct call_steps steps_default(enum steps_call call);

/* Makes the steps of MPI_Win_lock or a fence those of a short name (docs/platforms.md): the first one, "blocking" or "barrier",
 * or the second one. Steps that have the name stay: "lazy" may ask, "notify" may exchange counts. */
void steps_rename(struct call_steps *steps, enum steps_call call, bool second);

/* Reads an array of steps, ["issue", "acknowledged", "notify"], or a text, "issue,acknowledged,notify". STATUS_DATA names the
 * first step that no list of the call has there, and what could stand there. */
enum status steps_read(const struct json_node *node, enum steps_call call, struct call_steps *steps, struct err *err);

/* Writes the steps, "issue,acknowledged,notify". Gives text. */
enum { STEPS_TEXT_BYTES = 96 };
char *steps_text(const struct call_steps *steps, char text[STEPS_TEXT_BYTES]);

/* The steps of a list one by one, for who runs it. The ways to query are one step: struct call_steps says which. */
enum steps_step {
    DO_ISSUE, DO_LEFT, DO_ACKNOWLEDGED, DO_QUERY, DO_NOTIFY, DO_ASK, DO_GRANT, DO_RELEASE, DO_ANSWER, DO_BARRIER, DO_COUNTS,
    DO_INCOMING, DO_COUNT
};
enum { STEPS_MAX = 7 };
struct steps_list {
    uint8_t count, steps[STEPS_MAX]; /* enum steps_step */
};
/* In their order; `asserted` is none of them. */
struct steps_list steps_list(const struct call_steps *steps);

/* The array of steps; NULL: no memory. */
cJSON *steps_json(const struct call_steps *steps);

/* Sets *steps to list number index (from 0) of those that the call may have. false: there are no more. */
bool steps_variant(enum steps_call call, int index, struct call_steps *steps);

#endif
