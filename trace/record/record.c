#include "trace/record/record.h"

/* Calls of different places have templates of their own. */
void rec_put_extents(const struct rec_call *rec, uint64_t time)
{
    if (!rec->gaps || rec_state != REC_OPEN || !rec_own) return;
    uint64_t result = (uint64_t)rec->extents[SPOOL_RESULT];
    struct spool_record record = {.time = time,
                                  .kind = SPOOL_EXTENTS,
                                  .id = SPOOL_NO_ID,
                                  .peer = (int32_t)(uint32_t)result,
                                  .tag = (int32_t)(uint32_t)(result >> 32),
                                  .bytes = rec->extents[SPOOL_ORIGIN],
                                  .extra = rec->extents[SPOOL_TARGET]};
    rec_put_into(rec_own, &record, REC_EXTENT_TEMPLATES + rec->pattern % REC_EXTENT_TEMPLATE_COUNT);
}

/* Before the spool is open (MPI_Init) the record is kept in rec and written by rec_opened(). */
REC_INLINE void enter(struct rec_call *rec)
{
    rec->enter.time = rec_stamp_before();
    struct rec_buffer *own = rec_own;
    if (!REC_LIKELY(rec_state == REC_OPEN && own != NULL))
        return; /* own: made in the meantime by another thread's MPI_Init */
    rec->entered = true;
    rec_put_event(own, &rec->enter, rec_call_template(rec));
}

/* The frame of what a call calls is below the call's on the stack. */
bool rec_abandoned(uintptr_t frame)
{
    uintptr_t left = rec_inside;
    if (left == REC_LAST || frame < left || !rec_on_own_stack(frame) || !rec_on_own_stack(left)) return false;
    rec_inside = 0;
    rec_put(&REC_RECORD(SPOOL_ABANDONED, .time = rec_stamp()));
    return true;
}

static __attribute__((noinline, cold)) void enter_slowly(struct rec_call *rec)
{
    if (rec_unrecorded_any) rec_unrecorded_define();
    if (rec_cpu) rec_cpu_enter();
    rec_put_extents(rec, rec_stamp());
    enter(rec);
}

/* The rare work is a tail call of another function, so that no register has to be saved for it. */
void rec_enter(struct rec_call *rec)
{
    if (rec->quiet || rec->entered) return;
    if (!REC_LIKELY(!rec_unrecorded_any && !rec_cpu && rec_ticks && !rec->gaps))
        enter_slowly(rec);
    else
        enter(rec);
}

static __attribute__((noinline, cold)) void exit_slowly(struct rec_call *rec)
{
    if (rec->entered && rec_state == REC_OPEN) rec_put_event(rec_own, &rec->exit, rec_call_template(rec) + 1);
    if (rec_inside == REC_LAST && rec_state == REC_OPEN) {
        __atomic_fetch_or(&rec_out.tail->state, (uint32_t)SPOOL_CLOSED, __ATOMIC_RELEASE);
        rec_state = REC_OFF;
    }
    if (rec_cpu && !rec->quiet) rec_cpu_leave();
    rec_inside = 0;
}

void rec_exit(struct rec_call *rec)
{
    if (!REC_LIKELY(rec_inside != REC_LAST && !rec_cpu && rec->entered && rec_state == REC_OPEN)) {
        exit_slowly(rec);
        return;
    }
    rec_inside = 0;
    rec_put_event(rec_own, &rec->exit, rec_call_template(rec) + 1);
}
