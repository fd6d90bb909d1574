/* What carried the messages of a recorded program, as far as its environment says. */
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

/* "TCP", "shared memory", "remote DMA", "TCP between hosts, shared memory within". false: not known, and with one rank. For
 * MPICH's ch4:ucx and for Open MPI, which take shared memory within a host and remote DMA before TCP between hosts where the
 * list allows it (UCX 1.13, ucp_wireup; Open MPI 4.1, the BTLs' exclusivity). */
bool spool_transport_text(const struct spool_transport *told, char text[SPOOL_TRANSPORT_BYTES]);

#endif
