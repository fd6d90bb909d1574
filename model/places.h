/* Waits summed by pattern and place in the program. */
#ifndef MODEL_PLACES_H
#define MODEL_PLACES_H

#include "model/account.h"
#include "model/callpath.h"
#include "model/finding.h"
#include "model/result.h"

struct place {
    uint32_t node; /* call path */
    uint32_t site; /* TRACE_NO_SITE: unknown, call tells it */
    uint16_t call; /* enum mpi_call */
    uint16_t pattern;
    int64_t severity_ps;
    uint64_t count;
    struct finding worst; /* the longest single wait */
};

struct places {
    struct callpaths paths;
    struct map locations, index; /* (node, site or call) to location; (pattern, location) to item */
    struct place *items;
    size_t count, capacity;
};

/* Inits *places. */
enum status places_init(const struct trace *trace, struct places *places, struct err *err);
void places_clear(struct places *places);

enum status places_add(struct places *places, const struct trace *trace, const struct finding *finding,
                       struct err *err);

/* Appends each place, with its advice, to its pattern in result, the largest severity first. */
enum status places_report(const struct places *places, const struct trace *trace, struct result *result,
                          struct err *err);

#endif
