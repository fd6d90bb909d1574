/* Derives from a recorded program's environment what carried its messages. */
#ifndef TRACE_SPOOL_TRANSPORT_H
#define TRACE_SPOOL_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

enum { SPOOL_TRANSPORT_BYTES = 64 };

struct spool_transport {
    const char *list; /* UCX_TLS, or Open MPI's btl: "tcp,self"; NULL: the library's own choice */
    bool rdma;        /* a host has a device for remote DMA */
    size_t hosts, ranks;
};

/* Writes "TCP", "shared memory", "remote DMA" or "TCP between hosts, shared memory within" to text. Returns false if it
 * is not known, and for one rank. It holds for MPICH's ch4:ucx and for Open MPI. Where the list allows it, both use
 * shared memory within a host, and prefer remote DMA to TCP between hosts (UCX 1.13, ucp_wireup; Open MPI 4.1,
 * exclusivity of the BTLs). */
bool spool_transport_text(const struct spool_transport *told, char text[SPOOL_TRANSPORT_BYTES]);

#endif
