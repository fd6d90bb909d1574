/* The cases of the probe that need a third rank (docs/probe.md). */
#include <stdlib.h>
#include <string.h>

#include "platforms/probe/program/probe.h"

/* While rank 2 has nothing to do it looks so seldom that it leaves the cores free to the pair. */
#define NAP_S  2e-4
#define REST_S 0.02

static MPI_Win wide = MPI_WIN_NULL;
static char *wide_base;
static MPI_Aint wide_place[THIRD + 1];
static MPI_Group targets;
static bool awake;

bool is_of_three(enum probe_case id)
{
    return id == PROBE_GROUP || id == PROBE_GROUP_QUEUED || id == PROBE_FLUSH_OTHERS;
}

bool three_awake(void)
{
    return awake;
}

void three_widen(void)
{
    MPI_Group all;
    if (wide != MPI_WIN_NULL) return;
    MPI_Comm_group(trio, &all);
    MPI_Group_incl(all, 2, (int[]){PARTNER, THIRD}, &targets);
    MPI_Group_free(&all);
    make_window(trio, WIDE_BYTES, &wide, &wide_base, wide_place);
    memset(wide_base, 0, WIDE_BYTES);
    MPI_Barrier(trio);
}

bool three_wake(void)
{
    if (trio == MPI_COMM_NULL) return false;
    for (int rank = PARTNER; rank <= THIRD; rank++) ask(rank, &(struct step){.kind = STEP_WIDE});
    three_widen();
    awake = true;
    return true;
}

void three_rest(void)
{
    ask(THIRD, &(struct step){.kind = STEP_REST});
    awake = false;
}

void three_close(void)
{
    if (wide != MPI_WIN_NULL) {
        if (wide_place[my_rank] != 0) MPI_Win_detach(wide, wide_base);
        MPI_Win_free(&wide);
        MPI_Group_free(&targets);
    }
    if (trio != MPI_COMM_NULL) MPI_Comm_free(&trio);
}

static void await_data(void)
{
    MPI_Recv(NULL, 0, MPI_BYTE, ORIGIN, TAG_DATA, comm_with(my_rank), MPI_STATUS_IGNORE);
}

/* --- posts --- */

/* What the partner's memory holds in the first half of the delay, and what in the second. */
enum { EARLY = 2, LATER = 3 };

static void group_origin(const struct step *step, struct marks *marks)
{
    rank_prepared(PARTNER); /* its post has arrived */
    rank_prepared(THIRD);
    BEGIN();
    TIMED(0, MPI_Win_start(targets, 0, wide));
    TIMED(1, issue_into(wide, wide_place[PARTNER], (enum probe_variant)step->variant, step->bytes));
    TIMED(2, MPI_Win_complete(wide));
}

static void group_partner(void)
{
    await_origin();
    MPI_Win_post(origin_group, 0, wide);
    leave_window();
    MPI_Win_wait(wide);
}

/* A get that fetched early did not wait. */
static void queued_origin(const struct step *step, struct marks *marks)
{
    rank_prepared(PARTNER);
    rank_prepared(THIRD);
    MPI_Send(NULL, 0, MPI_BYTE, PARTNER, TAG_DATA, pair);
    BEGIN();
    MPI_Win_start(targets, 0, wide);
    issue_into(wide, wide_place[PARTNER], (enum probe_variant)step->variant, step->bytes);
    MPI_Win_complete(wide);
    marks->end_s[0] = result[step->bytes - 1] == EARLY ? marks->begin_s : now_s();
}

/* Notes when the last byte arrives; of an accumulate it is that of a sum with 0. */
static void queued_partner(const struct step *step, struct marks *marks)
{
    bool get = step->variant == PROBE_VARIANT_GET;
    volatile char *last = wide_base + step->bytes - 1;
    memset(wide_base, get ? EARLY : 0, (size_t)step->bytes);
    await_origin();
    MPI_Win_post(origin_group, 0, wide);
    leave_window();
    await_data();
    double half_s = now_s() + step->delay_s / 2;
    int complete = 0;
    while (!complete && (get || !*last)) {
        if (get && now_s() > half_s) memset(wide_base, LATER, (size_t)step->bytes);
        MPI_Win_test(wide, &complete);
    }
    marks->end_s[0] = now_s();
    if (!complete) MPI_Win_wait(wide);
}

static void group_third(const struct step *step, struct marks *marks)
{
    await_origin();
    leave_window();
    be_outside(step, marks);
    MPI_Win_post(origin_group, 0, wide);
    MPI_Win_wait(wide);
}

/* --- flush --- */

/* Nothing is open towards rank 2 but that a message was sent to it. The partner is outside MPI for a while: if its answer to the
 * put came before the flush, nobody would be asked. */
static void flush_origin(const struct step *step, struct marks *marks)
{
    (void)step;
    MPI_Win_lock_all(0, wide);
    for (int rank = PARTNER; rank <= THIRD; rank++)
        MPI_Put(source, 8, MPI_BYTE, rank, wide_place[rank], 8, MPI_BYTE, wide);
    MPI_Win_flush_all(wide);
    rank_prepared(THIRD);
    rank_prepared(PARTNER);
    issue_into(wide, wide_place[PARTNER], PROBE_VARIANT_PUT, 8);
    BEGIN();
    TIMED(0, MPI_Win_flush_all(wide));
    MPI_Win_unlock_all(wide);
    for (int rank = PARTNER; rank <= THIRD; rank++) MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_DATA, comm_with(rank));
}

static void flush_partner(const struct step *step)
{
    await_origin();
    leave_window();
    sleep_until(now_s() + step->delay_s / 4);
    await_data();
}

static void flush_third(const struct step *step, struct marks *marks)
{
    await_origin();
    leave_window();
    be_outside(step, marks);
    await_data();
}

/* --- the three sides --- */

void three_origin(const struct step *step, struct marks *marks)
{
    switch (step->id) {
    case PROBE_FLUSH_OTHERS: flush_origin(step, marks); break;
    case PROBE_GROUP_QUEUED: queued_origin(step, marks); break;
    default: group_origin(step, marks);
    }
}

void three_partner(const struct step *step, struct marks *marks)
{
    switch (step->id) {
    case PROBE_FLUSH_OTHERS: flush_partner(step); break;
    case PROBE_GROUP_QUEUED: queued_partner(step, marks); break;
    default: group_partner();
    }
}

static void act_as_third(const struct step *step)
{
    struct marks marks = {0};
    if (step->id == PROBE_FLUSH_OTHERS)
        flush_third(step, &marks);
    else
        group_third(step, &marks);
    report(&marks);
}

static void await_step(struct step *step, double nap_s)
{
    MPI_Request request;
    MPI_Irecv(step, sizeof *step, MPI_BYTE, ORIGIN, TAG_STEP, trio, &request);
    for (int over = 0; !over;) {
        MPI_Test(&request, &over, MPI_STATUS_IGNORE);
        if (!over) sleep_until(now_s() + nap_s);
    }
}

void three_run(void)
{
    struct step step;
    for (double nap_s = REST_S;;) {
        await_step(&step, nap_s);
        switch (step.kind) {
        case STEP_END: return;
        case STEP_CLOCK: clock_answer(); break;
        case STEP_REST: nap_s = REST_S; break;
        case STEP_WIDE:
            three_widen();
            nap_s = NAP_S;
            break;
        default: act_as_third(&step);
        }
    }
}
