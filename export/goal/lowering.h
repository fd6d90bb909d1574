/* The calls of a trace as messages (docs/export.md, "GOAL"): each function adds those of one family of calls. */
#ifndef EXPORT_GOAL_LOWERING_H
#define EXPORT_GOAL_LOWERING_H

#include "export/goal/schedule.h"
#include "model/match/relations.h"

enum status goal_lower_messages(const struct relations *relations, struct goal_schedule *schedule, struct err *err);
/* Adds collectives, also fences and the creation and freeing of windows, which synchronise all ranks. */
enum status goal_lower_collectives(const struct trace *trace, struct goal_schedule *schedule, struct err *err);
enum status goal_lower_one_sided(const struct relations *relations, struct goal_schedule *schedule, struct err *err);

#endif
