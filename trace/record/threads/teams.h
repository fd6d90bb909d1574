/* Parallel regions of OpenMP, of programs that GCC compiled: who forks a team of threads, which of them take part, and who waits
 * for them. The runtime keeps its threads, so only the first region of a team shows by creations (creation.h). The preloaded
 * library wraps the functions of libgomp that run a region (teams.c). The recorder writes what they report for threads that
 * have a buffer: a region whose members make no recorded calls leaves nothing.
 *
 * Not for barriers, critical sections, tasks and taskwaits of a region, nor for code that LLVM's or Intel's compilers made. */
#ifndef TRACE_RECORD_THREADS_TEAMS_H
#define TRACE_RECORD_THREADS_TEAMS_H

#include <stdbool.h>
#include <stdint.h>

struct rec_team { /* of one region */
    const void *site; /* of the region, in its creator; NULL: it is not followed */
    uint64_t since;   /* of the fork, since the base of the creator's buffer */
    uint32_t creator;
    uint32_t ends;    /* of members, recorded so far: the creator waits for as many */
};

struct rec_member { /* a thread in a region; the creator is one, too */
    struct rec_team *team;
    uint64_t began; /* stamp */
    bool told;      /* the spool has its begin */
    struct rec_member *outer; /* the region around this one, NULL: none */
};

struct rec_team_hooks {
    void (*fork)(struct rec_team *team, const void *site); /* in the creator, before the members begin */
    void (*begin)(struct rec_member *member);
    void (*end)(struct rec_member *member);
    void (*join)(struct rec_team *team); /* in the creator, after all have ended */
};

/* From now on; the hooks stay valid. */
extern void rmacast_teams_attach(const struct rec_team_hooks *hooks) __attribute__((weak, visibility("default")));
/* The calling thread in the innermost region that it is in, NULL: in none. */
extern struct rec_member *rmacast_member(void) __attribute__((weak, visibility("default")));

#endif
