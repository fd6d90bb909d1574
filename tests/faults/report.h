/* What the injector and its preloaded library tell each other: a file that both map, named by RMACAST_FAULTS. */
#ifndef FAULTS_REPORT_H
#define FAULTS_REPORT_H

#include <stdatomic.h>
#include <stdint.h>

enum { FRAMES_MAX = 24, FRAMES_COMPARED = 8, PLACES_MAX = 1 << 20, MARK_SYSCALL = 100000, SERVE_FROM = 198, SERVE_TO = 199 };

struct report {
    atomic_ulong count;  /* calls so far, of all processes of the command */
    uint64_t fail;       /* the call that fails, from 1; 0: none */
    uint64_t counts_allocations, serves;
    int process;          /* the command that has begun; serves */
    atomic_ulong reached; /* 1: it has */
    uint64_t frames;
    char frame[FRAMES_MAX][200];   /* who asked for it, innermost first: MODULE+OFFSET */
    uint64_t places[PLACES_MAX];   /* fail 0: a sum of the callers of each call; odd: of the library that the linker begins */
};

#endif
