/* GOAL schedules for LogGOPSim: docs/export.md says which messages each call is lowered to. */
#include "export/export.h"
#include "export/goal/lowering.h"

static enum status lower_trace(const struct relations *relations, struct goal_schedule *schedule, struct err *err)
{
    TRY(goal_lower_messages(relations, schedule, err));
    TRY(goal_lower_collectives(relations->trace, schedule, err));
    TRY(goal_lower_one_sided(relations, schedule, err));
    return goal_order_calls(schedule, err);
}

enum status export_goal(const struct trace *trace, const struct export_options *options, FILE *out, struct export_report *report,
                        struct err *err)
{
    struct relations relations;
    struct goal_schedule schedule;
    (void)options;
    TRY(trace_check_one_thread(trace, "a GOAL schedule", err));
    TRY(trace_check_no_shmem(trace, "a GOAL schedule", err));
    TRY(relations_build(trace, &relations, err));
    enum status status = goal_new(trace, &schedule, err);
    if (status == STATUS_OK) {
        status = lower_trace(&relations, &schedule, err);
        if (status == STATUS_OK) goal_write(&schedule, out);
        report->unmatched = schedule.left_out;
        goal_clear(&schedule);
    }
    relations_clear(&relations);
    return status;
}
