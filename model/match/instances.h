/* Collective instances: the calls of all members that make one fence, window creation or freeing, barrier or collective
 * (docs/patterns.md, "Event abstractions"). The k-th call of a member on a window (fences, creations and freeings
 * counted apart) or communicator (all collectives together, as MPI orders them) belongs to the k-th instance. */
#ifndef MODEL_MATCH_INSTANCES_H
#define MODEL_MATCH_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define INSTANCE_NONE SIZE_MAX

struct instance {
    enum call_kind kind;
    int32_t handle;        /* window or communicator, as in the calls */
    uint32_t size;         /* members */
    uint32_t finished;     /* members whose call was seen to return; the instance is complete if all did */
    size_t member_first;   /* in instances.calls, in the order of the communicator */
};

struct instance_sequence { /* of one window's fences, creations or freeings, or of one communicator */
    size_t *items;
    size_t count, capacity;
};

struct instances {
    struct instance *items; /* by first appearance, walking rank after rank */
    size_t count, capacity;
    size_t *calls; /* index of the member's call, INSTANCE_NONE if it has none */
    size_t call_count, call_capacity;
    struct instance_sequence *sequences;
    size_t sequence_count;
};

/* Inits *instances from a trace that has passed trace_check(), without non-blocking collectives, in whose calls no rank waits.
 * Returns STATUS_DATA if members call different collectives at the same turn of a communicator. */
enum status instances_build(const struct trace *trace, struct instances *instances, struct err *err);
/* Of one kind alone, non-blocking ones, too; CALL_KIND_COUNT: as instances_build(). */
enum status instances_build_of(const struct trace *trace, enum call_kind only, struct instances *instances, struct err *err);
void instances_clear(struct instances *instances);

/* The number-th instance of a window (fence, creation, freeing), from 0; NULL if there is none. */
const struct instance *instance_find(const struct instances *instances, enum call_kind kind, int32_t window,
                                     size_t number);
const struct trace_comm *instance_comm(const struct trace *trace, const struct instance *instance);
/* The call of member `member` (an index in the communicator); NULL if it has none. */
const struct trace_call *instance_call(const struct trace *trace, const struct instances *instances,
                                       const struct instance *instance, uint32_t member);
bool instance_complete(const struct instance *instance);

/* Whether, in a collective in which every member contributes to every other one, member `taker` needs the data of
 * `giver`. In an intercommunicator the members of one group need those of the other (MPI-3.1 5.2.3, 5.3). No member
 * needs a block without bytes. Where a call states the bytes sent and received (MPI_Bcast, MPI_Allreduce, ...), 0
 * stands for any size. */
bool instance_gives(const struct trace *trace, const struct trace_comm *comm, const struct trace_call *call, uint32_t giver,
                    uint32_t taker);

#endif
