/* Shared by the files efficiency*.c: the collector that they fill. */
#ifndef MODEL_EFFICIENCY_EFFICIENCY_PARTS_H
#define MODEL_EFFICIENCY_EFFICIENCY_PARTS_H

#include "common/units.h"
#include "model/efficiency/efficiency.h"
#include "model/efficiency/processors.h"

enum { EFFICIENCY_ADDED = EFFICIENCY_SEQUENTIAL_MPI + 1 }; /* characteristics that are added up over the events */

struct collector {
    const struct relations *relations;
    const struct intervals *intervals;
    const struct processors *processors;
    struct efficiency *efficiency; /* its intervals are numbered as those above */
    struct err *err;
};

static inline void collector_add(const struct collector *collector, uint32_t interval,
                                 enum characteristic characteristic, uint32_t processor, int64_t ps)
{
    int64_t *value_ps = &collector->efficiency->intervals[interval].value_ps[characteristic][processor];
    *value_ps = units_add_ps(*value_ps, ps); /* losses against the last rank may exceed the time that there is */
}

/* Time in calls, and in computing. as: the function whose kind of time it is (model/match/collective_requests.h). */
void collector_add_call(const struct collector *collector, uint32_t interval, uint32_t processor, enum mpi_call call,
                        enum mpi_call as, int64_t ps);
void collector_add_computing(const struct collector *collector, uint32_t interval, uint32_t processor, int64_t ps);

/* A wait state in a call, by the kind of the call. */
void collector_add_wait(const struct collector *collector, uint32_t interval, uint32_t processor, enum mpi_call call,
                        int64_t ps);

/* The interval of the call that a wait lasts for, CAUSED_NOWHERE without one. */
uint32_t collector_cause(const struct collector *collector, const struct wait *wait);

/* Losses of collectives and messages: all of a trace, of a slice those that are counted now. */
void collector_walk_instances(const struct collector *collector);
void collector_walk_messages(const struct collector *collector);

enum status collector_name_processors(const struct collector *collector, uint32_t rank_count);
/* The values of an interval, all zero; the rest of what is known of it. */
enum status collector_make_values(const struct collector *collector, size_t interval);
enum status collector_describe(const struct collector *collector, size_t interval);

/* Once everything is added: what follows from it. Parents come before their children. */
void efficiency_conclude(struct efficiency *efficiency);

#endif
