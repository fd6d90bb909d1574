/* Shared by the files efficiency*.c: the collector that they fill. */
#ifndef MODEL_EFFICIENCY_EFFICIENCY_PARTS_H
#define MODEL_EFFICIENCY_EFFICIENCY_PARTS_H

#include "common/units.h"
#include "model/efficiency/efficiency.h"
#include "model/efficiency/processors.h"

enum { EFFICIENCY_ADDED = EFFICIENCY_SEQUENTIAL_MPI + 1 }; /* the number of characteristics that are summed over
                                                              events */

struct collector {
    const struct relations *relations;
    const struct intervals *intervals;
    const struct locations *locations;
    struct efficiency *efficiency; /* its intervals are numbered as those above, their values are by location */
    struct err *err;
};

static inline void collector_add(const struct collector *collector, uint32_t interval,
                                 enum characteristic characteristic, uint32_t location, int64_t ps)
{
    int64_t *value_ps = &collector->efficiency->intervals[interval].value_ps[characteristic][location];
    *value_ps = units_add_ps(*value_ps, ps); /* losses against the last rank may exceed the time that there is */
}

/* Adds time in calls, and in computing. as is the function that the time counts for (model/match/request_makers.h). */
void collector_add_call(const struct collector *collector, uint32_t interval, uint32_t location, enum mpi_call call,
                        enum mpi_call as, int64_t ps);
void collector_add_computing(const struct collector *collector, uint32_t interval, uint32_t location, int64_t ps);

/* Adds a wait state in a call, by the kind of the call. */
void collector_add_wait(const struct collector *collector, uint32_t interval, uint32_t location, enum mpi_call call,
                        enum pattern pattern, int64_t ps);

/* The interval of the call that ends a wait; CAUSED_NOWHERE if there is none. */
uint32_t collector_cause(const struct collector *collector, const struct wait *wait);

/* Adds the losses of collectives and messages of a slice that this round counts. */
void collector_walk_instances(const struct collector *collector);
void collector_walk_messages(const struct collector *collector);

/* Allocates the values of an interval, all zero: by location or processor. */
enum status efficiency_make_values(struct efficiency_interval *interval, size_t columns, struct err *err);
/* Fills in the other members of an interval. */
enum status collector_describe(const struct collector *collector, size_t interval);

/* Replaces the values by location with those by processor. */
enum status efficiency_fold(struct efficiency *efficiency, uint32_t rank_count, uint32_t location_count,
                            const struct processors *processors, struct err *err);
/* Derives the other figures from the sums, after everything has been added. Parents come before their children. */
void efficiency_conclude(struct efficiency *efficiency);

#endif
