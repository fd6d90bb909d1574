/* What one process sends another: the next calls of one rank, with their lists of requests, as bytes. Both run the same
 * program on machines of the same kind. */
#ifndef MPI_PARCEL_H
#define MPI_PARCEL_H

#include "trace/trace.h"

struct parcel {
    unsigned char *bytes; /* owned */
    size_t count, capacity;
};

void parcel_clear(struct parcel *parcel);

/* Packs the first `calls` calls of a rank. ended: none follow. */
enum status parcel_pack(struct parcel *parcel, const struct trace *trace, uint32_t rank, size_t calls, bool ended,
                        struct err *err);
/* Instead of calls: why there are none. */
enum status parcel_pack_failure(struct parcel *parcel, enum status failure, const char *text, struct err *err);

/* The rank of a parcel; a failure's is that of the rank_count. */
uint32_t parcel_rank(const struct parcel *parcel);
/* Appends the calls to the trace; *ended as packed. The failure that was packed is returned as such. */
enum status parcel_unpack(const struct parcel *parcel, struct trace *trace, bool *ended, struct err *err);

#endif
