#include "trace/spool/transport.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The transports of messages between ranks of one host, and between hosts. */
enum medium { UNKNOWN, SHARED_MEMORY, TCP, REMOTE_DMA };

static const char *const names[] = {[SHARED_MEMORY] = "shared memory", [TCP] = "TCP", [REMOTE_DMA] = "remote DMA"};

/* Transports of UCX (ucx_info -d) and modules of Open MPI's BTL by the beginnings of their names. */
static const struct transport_name {
    const char *name;
    enum medium medium;
} transport_names[] = {{"shm", SHARED_MEMORY},   {"sm", SHARED_MEMORY},   {"mm", SHARED_MEMORY},  {"posix", SHARED_MEMORY},
                       {"sysv", SHARED_MEMORY},  {"cma", SHARED_MEMORY},  {"knem", SHARED_MEMORY}, {"xpmem", SHARED_MEMORY},
                       {"vader", SHARED_MEMORY}, {"tcp", TCP},            {"rc", REMOTE_DMA},      {"ud", REMOTE_DMA},
                       {"dc", REMOTE_DMA},       {"ib", REMOTE_DMA},      {"openib", REMOTE_DMA},  {"uct", REMOTE_DMA}};

/* The media in the list of transports. Nothing and "all": each. false: a list of what is left out. */
static bool read_list(const char *list, bool allowed[REMOTE_DMA + 1])
{
    bool all = !list || !*list || strcmp(list, "all") == 0;
    for (int medium = SHARED_MEMORY; medium <= REMOTE_DMA; medium++) allowed[medium] = all;
    if (all) return true;
    if (*list == '^') return false;
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        for (size_t i = 0; i < sizeof transport_names / sizeof *transport_names; i++)
            if (strncmp(at, transport_names[i].name, strlen(transport_names[i].name)) == 0)
                allowed[transport_names[i].medium] = true;
    return true;
}

/* The first that is there, as the library prefers them. */
static enum medium choose_medium(const bool allowed[REMOTE_DMA + 1], bool within, bool rdma)
{
    if (within && allowed[SHARED_MEMORY]) return SHARED_MEMORY;
    if (rdma && allowed[REMOTE_DMA]) return REMOTE_DMA;
    return allowed[TCP] ? TCP : UNKNOWN;
}

bool spool_transport_text(const struct spool_transport *told, char text[SPOOL_TRANSPORT_BYTES])
{
    bool allowed[REMOTE_DMA + 1];
    if (!read_list(told->list, allowed) || told->ranks < 2) return false;
    enum medium within = choose_medium(allowed, true, told->rdma), between = choose_medium(allowed, false, told->rdma);
    bool apart = told->hosts > 1, together = told->ranks > told->hosts;
    if ((apart && between == UNKNOWN) || (together && within == UNKNOWN)) return false;
    if (apart && together && within != between)
        snprintf(text, SPOOL_TRANSPORT_BYTES, "%s between hosts, %s within", names[between], names[within]);
    else
        snprintf(text, SPOOL_TRANSPORT_BYTES, "%s", names[apart ? between : within]);
    return true;
}
