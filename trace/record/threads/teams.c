#include "trace/record/threads/teams.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static __thread struct rec_member *member;
static const struct rec_team_hooks *hooks;

void rmacast_teams_attach(const struct rec_team_hooks *given)
{
    __atomic_store_n(&hooks, given, __ATOMIC_RELEASE);
}

struct rec_member *rmacast_member(void)
{
    return member;
}

static void *find_in(const char *file, const char *name)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_NOLOAD), *found = library ? dlsym(library, name) : NULL;
    Dl_info about, own;
    if (library) dlclose(library);
    bool is_own = found && dladdr(found, &about) && dladdr(&hooks, &own) && about.dli_fbase == own.dli_fbase;
    return is_own ? NULL : found;
}

/* The runtime that the caller would have called without this library: a process may have several, which must not be
 * mixed. It is the one that was loaded with the program, else that of the calling library. */
static void *find_runtime(const char *name, const void *site, void **known)
{
    Dl_info about;
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (!found) found = dlsym(RTLD_NEXT, name);
    __atomic_store_n(known, found, __ATOMIC_RELAXED);
    if (!found && dladdr(site, &about)) found = find_in(about.dli_fname, name);
    return found ? found : find_in("libgomp.so.1", name);
}

struct region {
    void (*function)(void *);
    void *data;
    const struct rec_team_hooks *by;
    struct rec_team team;
};

static void run_member(void *data)
{
    struct region *region = data;
    struct rec_member own = {.team = &region->team, .outer = member};
    int before = errno;
    member = &own;
    region->by->begin(&own);
    errno = before;
    region->function(region->data);
    before = errno;
    region->by->end(&own);
    member = own.outer;
    errno = before;
}

/* The compiler gives its call the line of the statement before. The region's own function begins where the region does;
 * a site is a return address, one byte behind. */
#define REGION_SITE ((const char *)(uintptr_t)function + 1)

/* A function that runs a region. What GCC makes of a reduction with tasks reads its data, and is not wrapped. */
#define REGION(NAME, PARAMETERS, ARGUMENTS)                                                                            \
    EXPORT void NAME PARAMETERS;                                                                                       \
    void NAME PARAMETERS                                                                                               \
    {                                                                                                                  \
        static void *known;                                                                                            \
        const void *site = __builtin_return_address(0);                                                                \
        int before = errno;                                                                                            \
        void(*next) PARAMETERS, *found = find_runtime(#NAME, site, &known);                                            \
        memcpy(&next, &found, sizeof next);                                                                            \
        struct region region = {.function = function, .data = data};                                                   \
        region.by = __atomic_load_n(&hooks, __ATOMIC_ACQUIRE);                                                         \
        if (region.by) region.by->fork(&region.team, REGION_SITE);                                                     \
        errno = before;                                                                                                \
        if (region.team.site) {                                                                                        \
            function = run_member;                                                                                     \
            data = &region;                                                                                            \
        }                                                                                                              \
        next ARGUMENTS;                                                                                                \
        before = errno;                                                                                                \
        if (region.team.site) region.by->join(&region.team);                                                           \
        errno = before;                                                                                                \
    }

#define TEAM void (*function)(void *), void *data, unsigned threads
REGION(GOMP_parallel, (TEAM, unsigned flags), (function, data, threads, flags))
REGION(GOMP_parallel_sections, (TEAM, unsigned count, unsigned flags), (function, data, threads, count, flags))
#define LOOP(SCHEDULE)                                                                                                 \
    REGION(GOMP_parallel_loop_##SCHEDULE, (TEAM, long first, long end, long step, long chunk, unsigned flags),         \
           (function, data, threads, first, end, step, chunk, flags))
LOOP(static)
LOOP(dynamic)
LOOP(guided)
LOOP(nonmonotonic_dynamic)
LOOP(nonmonotonic_guided)
#define LOOP_AT_RUNTIME(SCHEDULE)                                                                                      \
    REGION(GOMP_parallel_loop_##SCHEDULE, (TEAM, long first, long end, long step, unsigned flags),                     \
           (function, data, threads, first, end, step, flags))
LOOP_AT_RUNTIME(runtime)
LOOP_AT_RUNTIME(nonmonotonic_runtime)
LOOP_AT_RUNTIME(maybe_nonmonotonic_runtime)
