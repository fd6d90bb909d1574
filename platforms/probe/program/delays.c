/* The cases of cases.def on both sides. Each begins with a handshake: the origin is ready, the partner has prepared and
 * announces that it leaves MPI. From then on the partner is late by the delay. */
#include <stddef.h>
#include <sys/resource.h>

#include "platforms/probe/program/probe.h"

/* The partner's send may end after its message arrives. The origin begins when the partner has certainly left MPI. */
#define LEFT_S 1e-4

void rank_prepared(int rank)
{
    MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_READY, comm_with(rank));
    MPI_Recv(NULL, 0, MPI_BYTE, rank, TAG_LEAVING, comm_with(rank), MPI_STATUS_IGNORE);
    spin(LEFT_S);
}

void await_origin(void)
{
    MPI_Recv(NULL, 0, MPI_BYTE, ORIGIN, TAG_READY, comm_with(my_rank), MPI_STATUS_IGNORE);
}

void leave_window(void)
{
    MPI_Send(NULL, 0, MPI_BYTE, ORIGIN, TAG_LEAVING, comm_with(my_rank));
}

static double cpu_s(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double others_cpu_s(void)
{
    return cpu_s(RUSAGE_SELF) - cpu_s(RUSAGE_THREAD);
}

void be_outside(const struct step *step, struct marks *marks)
{
    double begin_s = now_s(), before_s = others_cpu_s();
    if (marks->left_s == 0) marks->left_s = begin_s;
    if (step->delay_s > 0) sleep_until(begin_s + step->delay_s);
    double used_s = others_cpu_s() - before_s;
    marks->event_s = now_s();
    marks->helper = step->delay_s > 0 ? used_s / (marks->event_s - begin_s) : 0;
}

static void be_inside(const struct step *step, struct marks *marks)
{
    poll_until(now_s() + step->delay_s);
    marks->event_s = now_s();
}

#define LOCK(RANK) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, RANK, 0, window)

/* --- access epochs --- */

static void epoch_origin(const struct step *step, struct marks *marks)
{
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, MPI_Win_start(partner_group, 0, window));
    TIMED(1, issue_operation((enum probe_variant)step->variant, step->bytes));
    TIMED(2, MPI_Win_complete(window));
}

static void epoch_partner(const struct step *step, struct marks *marks)
{
    await_origin();
    leave_window();
    be_inside(step, marks);
    MPI_Win_post(origin_group, 0, window);
    MPI_Win_wait(window);
}

static void complete_origin(const struct step *step, struct marks *marks)
{
    rank_prepared(PARTNER); /* the post has arrived */
    MPI_Win_start(partner_group, 0, window);
    BEGIN();
    TIMED(0, issue_operation((enum probe_variant)step->variant, step->bytes));
    TIMED(1, MPI_Win_complete(window));
}

static void complete_partner(const struct step *step, struct marks *marks)
{
    await_origin();
    MPI_Win_post(origin_group, 0, window);
    leave_window();
    be_outside(step, marks);
    MPI_Win_wait(window);
}

/* The origin is outside MPI between the put and complete. Do the data arrive meanwhile? */
static void issue_origin(const struct step *step, struct marks *marks)
{
    rank_prepared(PARTNER);
    MPI_Win_start(partner_group, 0, window);
    issue_operation((enum probe_variant)step->variant, step->bytes);
    BEGIN();
    sleep_until(marks->begin_s + step->delay_s);
    marks->event_s = now_s();
    MPI_Win_complete(window);
}

static void issue_partner(const struct step *step, struct marks *marks)
{
    volatile char *last = base + step->bytes - 1;
    *last = 0;
    await_origin();
    MPI_Win_post(origin_group, 0, window);
    leave_window();
    int complete = 0;
    while (!*last && !complete) MPI_Win_test(window, &complete);
    marks->end_s[0] = now_s();
    if (!complete) MPI_Win_wait(window);
}

static void make_epochs(int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        MPI_Win_start(partner_group, 0, window);
        MPI_Win_complete(window);
    }
}

static void ahead_origin(const struct step *step, struct marks *marks)
{
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, make_epochs(step->bytes - 1));
    TIMED(1, make_epochs(1));
}

static void ahead_partner(const struct step *step, struct marks *marks)
{
    await_origin();
    leave_window();
    be_inside(step, marks);
    for (int64_t i = 0; i < step->bytes; i++) {
        MPI_Win_post(origin_group, 0, window);
        MPI_Win_wait(window);
    }
}

/* Each put is far smaller than the buffer whose room they find. */
static void fill_buffer(int64_t bytes)
{
    enum { PUTS = 16 };
    for (int i = 0; i < PUTS; i++) issue_operation(PROBE_VARIANT_PUT, bytes * (i + 1) / PUTS - bytes * i / PUTS);
}

static void buffer_origin(const struct step *step, struct marks *marks)
{
    rank_prepared(PARTNER);
    MPI_Win_start(partner_group, 0, window);
    BEGIN();
    TIMED(0, fill_buffer(step->bytes));
    TIMED(1, MPI_Win_complete(window));
}

/* --- passive targets --- */

static void served_origin(const struct step *step, struct marks *marks)
{
    hold_window();
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, issue_operation((enum probe_variant)step->variant, step->bytes));
    TIMED(1, MPI_Win_flush_local(PARTNER, window));
    TIMED(2, MPI_Win_flush(PARTNER, window));
    MPI_Win_unlock(PARTNER, window);
}

static void outside_partner(const struct step *step, struct marks *marks)
{
    await_origin();
    leave_window();
    be_outside(step, marks);
}

static void lock_origin(const struct step *step, struct marks *marks)
{
    (void)step;
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, LOCK(PARTNER));
    TIMED(1, MPI_Win_unlock(PARTNER, window));
}

static void lock_held_origin(const struct step *step, struct marks *marks)
{
    (void)step;
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, LOCK(PARTNER));
    TIMED(1, issue_operation(PROBE_VARIANT_PUT, 8));
    TIMED(2, MPI_Win_unlock(PARTNER, window));
}

/* Also where locks are lazy. */
static void lock_own_window(void)
{
    LOCK(PARTNER);
    issue_operation(PROBE_VARIANT_PUT, 8);
    MPI_Win_flush(PARTNER, window);
}

static void lock_held_partner(const struct step *step, struct marks *marks)
{
    await_origin();
    lock_own_window();
    leave_window();
    be_inside(step, marks);
    MPI_Win_unlock(PARTNER, window);
}

static void unlock_origin(const struct step *step, struct marks *marks)
{
    hold_window();
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, issue_operation((enum probe_variant)step->variant, step->bytes));
    TIMED(1, MPI_Win_unlock(PARTNER, window));
}

static void relock_origin(const struct step *step, struct marks *marks)
{
    (void)step;
    hold_window();
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, MPI_Win_unlock(PARTNER, window));
    TIMED(1, LOCK(PARTNER));
    MPI_Win_unlock(PARTNER, window);
}

static void lock_order_partner(const struct step *step, struct marks *marks)
{
    await_origin();
    leave_window();
    be_outside(step, marks);
    double event_s = marks->event_s;
    lock_own_window();
    be_outside(step, marks);
    MPI_Win_unlock(PARTNER, window);
    marks->event_s = event_s;
}

static void flush_later_origin(const struct step *step, struct marks *marks)
{
    (void)step;
    hold_window();
    issue_operation(PROBE_VARIANT_PUT, 8);
    rank_prepared(PARTNER); /* the put leaves before this message, and its answer before the partner's */
    BEGIN();
    TIMED(0, MPI_Win_flush(PARTNER, window));
    MPI_Win_unlock(PARTNER, window);
}

static void visit_origin(const struct step *step, struct marks *marks)
{
    (void)step;
    hold_window();
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, issue_operation(PROBE_VARIANT_PUT, 8));
    TIMED(1, MPI_Win_flush(PARTNER, window));
    MPI_Win_unlock(PARTNER, window);
    MPI_Recv(result, 8, MPI_BYTE, PARTNER, TAG_DATA, pair, MPI_STATUS_IGNORE);
}

/* An eager send waits for nothing. */
static void visit_partner(const struct step *step, struct marks *marks)
{
    MPI_Request request;
    await_origin();
    leave_window();
    be_outside(step, marks);
    double event_s = marks->event_s;
    MPI_Isend(source, 8, MPI_BYTE, ORIGIN, TAG_DATA, pair, &request);
    be_outside(step, marks);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    marks->event_s = event_s;
}

/* --- fences and messages --- */

static int fence_assertion(int variant)
{
    switch (variant) {
    case PROBE_VARIANT_NOPRECEDE: return MPI_MODE_NOPRECEDE;
    case PROBE_VARIANT_NOSUCCEED: return MPI_MODE_NOSUCCEED;
    case PROBE_VARIANT_BOTH: return MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    default: return 0;
    }
}

static void fence_origin(const struct step *step, struct marks *marks)
{
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, MPI_Win_fence(fence_assertion(step->variant), fence_window));
}

static void fence_partner(const struct step *step, struct marks *marks)
{
    await_origin();
    leave_window();
    be_inside(step, marks);
    MPI_Win_fence(fence_assertion(step->variant), fence_window);
}

static void send_origin(const struct step *step, struct marks *marks)
{
    rank_prepared(PARTNER);
    BEGIN();
    TIMED(0, MPI_Send(source, (int)step->bytes, MPI_BYTE, PARTNER, TAG_DATA, pair));
}

static void send_partner(const struct step *step, struct marks *marks)
{
    await_origin();
    leave_window();
    be_outside(step, marks);
    MPI_Recv(result, (int)step->bytes, MPI_BYTE, ORIGIN, TAG_DATA, pair, MPI_STATUS_IGNORE);
}

static void send_posted_partner(const struct step *step, struct marks *marks)
{
    MPI_Request request;
    await_origin();
    MPI_Irecv(result, (int)step->bytes, MPI_BYTE, ORIGIN, TAG_DATA, pair, &request);
    leave_window();
    be_outside(step, marks);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The origin is outside MPI between MPI_Isend and its wait. Does the partner receive meanwhile? */
static void send_left_origin(const struct step *step, struct marks *marks)
{
    MPI_Request request;
    rank_prepared(PARTNER);
    BEGIN();
    MPI_Isend(source, (int)step->bytes, MPI_BYTE, PARTNER, TAG_DATA, pair, &request);
    sleep_until(marks->begin_s + step->delay_s);
    marks->event_s = now_s();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void send_left_partner(const struct step *step, struct marks *marks)
{
    await_origin();
    leave_window();
    MPI_Recv(result, (int)step->bytes, MPI_BYTE, ORIGIN, TAG_DATA, pair, MPI_STATUS_IGNORE);
    marks->end_s[0] = now_s();
}

typedef void (*side)(const struct step *step, struct marks *marks);
static const struct {
    side origin, partner;
} cases[PROBE_CASE_COUNT] = {
    [PROBE_EPOCH] = {epoch_origin, epoch_partner},
    [PROBE_SERVED] = {served_origin, outside_partner},
    [PROBE_COMPLETE] = {complete_origin, complete_partner},
    [PROBE_LOCK_HELD] = {lock_held_origin, lock_held_partner},
    [PROBE_LOCK_ASLEEP] = {lock_origin, outside_partner},
    [PROBE_UNLOCK_ASLEEP] = {unlock_origin, outside_partner},
    [PROBE_RELOCK] = {relock_origin, outside_partner},
    [PROBE_LOCK_ORDER] = {lock_origin, lock_order_partner},
    [PROBE_FLUSH_LATER] = {flush_later_origin, outside_partner},
    [PROBE_VISIT] = {visit_origin, visit_partner},
    [PROBE_ISSUE] = {issue_origin, issue_partner},
    [PROBE_FENCE] = {fence_origin, fence_partner},
    [PROBE_SEND] = {send_origin, send_partner},
    [PROBE_SEND_POSTED] = {send_origin, send_posted_partner},
    [PROBE_SEND_LEFT] = {send_left_origin, send_left_partner},
    [PROBE_AHEAD] = {ahead_origin, ahead_partner},
    [PROBE_BUFFER] = {buffer_origin, epoch_partner},
    [PROBE_GROUP] = {three_origin, three_partner},
    [PROBE_GROUP_QUEUED] = {three_origin, three_partner},
    [PROBE_FLUSH_OTHERS] = {three_origin, three_partner},
};

void delay_origin(const struct step *step, struct marks *marks)
{
    cases[step->id].origin(step, marks);
}

void delay_partner(const struct step *step, struct marks *marks)
{
    cases[step->id].partner(step, marks);
}
