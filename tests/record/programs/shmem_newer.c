/* OpenSHMEM 1.5 on four PEs: puts with signals, teams, a context of a team, non-blocking atomics, waits for several places. With
 * -DLIBRARY: its routines on top of OpenSHMEM 1.4, which does the work, since no library here has them. The argument "late" lets
 * PE 0 put 0.3 s late. Then an extension of Open MPI, which is not recorded. */
#define _GNU_SOURCE
#include <shmem.h>
#include <shmemx.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct team *team;
extern team SHMEM_TEAM_WORLD;
int shmem_team_n_pes(team of);
int shmem_team_translate_pe(team from, int pe, team to);
int shmem_team_split_strided(team parent, int start, int stride, int size, const void *config, long mask, team *made);
void shmem_team_destroy(team gone);
int shmem_team_sync(team of);
int shmem_team_create_ctx(team of, long options, shmem_ctx_t *made);
int shmem_long_sum_reduce(team of, long *target, const long *source, size_t count);
void shmem_long_put_signal(long *target, const long *source, size_t count, uint64_t *place, uint64_t value, int how, int pe);
uint64_t shmem_signal_wait_until(uint64_t *place, int compare, uint64_t value);
uint64_t shmem_signal_fetch(const uint64_t *place);
void shmem_long_atomic_fetch_add_nbi(long *old, long *target, long value, int pe);
void shmem_long_wait_until_all(long *places, size_t count, const int *status, int compare, long value);
size_t shmem_long_wait_until_any(long *places, size_t count, const int *status, int compare, long value);
size_t shmem_long_test_any(long *places, size_t count, const int *status, int compare, long value);

#ifdef LIBRARY

struct team {
    int start, stride, size;
} world = {0, 1, 4}, others;
team SHMEM_TEAM_WORLD = &world;
static char context;
enum { SYNCS = SHMEM_REDUCE_SYNC_SIZE + SHMEM_BARRIER_SYNC_SIZE };
static long *sync_of, *work, *from, *to; /* symmetric */

static int log_of(int stride)
{
    return stride == 2;
}

int shmem_team_n_pes(team of)
{
    return of->size;
}

int shmem_team_translate_pe(team from_team, int pe, team to_team)
{
    int all = from_team->start + pe * from_team->stride;
    return (all - to_team->start) / to_team->stride;
}

int shmem_team_split_strided(team parent, int start, int stride, int size, const void *config, long mask, team *made)
{
    if (parent != &world || config || mask) return 1;
    others = (struct team){start, stride, size};
    *made = &others;
    sync_of = shmem_malloc((SYNCS + SHMEM_REDUCE_MIN_WRKDATA_SIZE + 2) * sizeof *sync_of);
    for (int i = 0; i < SYNCS; i++) sync_of[i] = SHMEM_SYNC_VALUE;
    work = sync_of + SYNCS;
    from = work + SHMEM_REDUCE_MIN_WRKDATA_SIZE;
    to = from + 1;
    shmem_barrier_all();
    return 0;
}

void shmem_team_destroy(team gone)
{
    gone->size = -1;
}

int shmem_team_sync(team of)
{
    shmem_sync(of->start, log_of(of->stride), of->size, sync_of + SHMEM_REDUCE_SYNC_SIZE);
    return 0;
}

int shmem_team_create_ctx(team of, long options, shmem_ctx_t *made)
{
    *made = (shmem_ctx_t)&context;
    return of == &others && options == 0 ? 0 : 1;
}

/* Comes before Open MPI's: a PE of this context is one of the team. */
void shmem_ctx_long_p(shmem_ctx_t ctx, long *target, long value, int pe)
{
    if (ctx == (shmem_ctx_t)&context) shmem_long_p(target, value, others.start + pe * others.stride);
}

int shmem_long_sum_reduce(team of, long *target, const long *source, size_t count)
{
    *from = *source;
    shmem_long_sum_to_all(to, from, (int)count, of->start, log_of(of->stride), of->size, work, sync_of);
    *target = *to;
    return 0;
}

void shmem_long_put_signal(long *target, const long *source, size_t count, uint64_t *place, uint64_t value, int how, int pe)
{
    shmem_long_put(target, source, count, pe);
    shmem_fence();
    if (how == 0) shmem_ulong_atomic_set((unsigned long *)place, value, pe);
}

uint64_t shmem_signal_wait_until(uint64_t *place, int compare, uint64_t value)
{
    shmem_ulong_wait_until((unsigned long *)place, compare, value);
    return *place;
}

uint64_t shmem_signal_fetch(const uint64_t *place)
{
    return *place;
}

void shmem_long_atomic_fetch_add_nbi(long *old, long *target, long value, int pe)
{
    *old = shmem_long_atomic_fetch_add(target, value, pe);
}

void shmem_long_wait_until_all(long *places, size_t count, const int *status, int compare, long value)
{
    for (size_t i = 0; i < count; i++)
        if (!status || !status[i]) shmem_long_wait_until(places + i, compare, value);
}

size_t shmem_long_test_any(long *places, size_t count, const int *status, int compare, long value)
{
    for (size_t i = 0; i < count; i++)
        if ((!status || !status[i]) && shmem_long_test(places + i, compare, value)) return i;
    return SIZE_MAX;
}

size_t shmem_long_wait_until_any(long *places, size_t count, const int *status, int compare, long value)
{
    shmem_long_wait_until(places + count - 1, compare, value); /* the one that the program fills */
    return shmem_long_test_any(places, count, status, compare, value);
}

#else

static uint64_t flag;
static long data[2], cell, counter, places[3];

static void expect(int right_result)
{
    if (!right_result) shmem_global_exit(7);
}

int main(int argc, char **argv)
{
    long value, old = -1, sum = 0;
    const int status[3] = {0, 1, 0}, without_first[3] = {1, 0, 0};
    team halves;
    shmem_ctx_t ctx;
    shmem_init();
    int me = shmem_my_pe(), right = (me + 1) % 4, left = (me + 3) % 4;
    value = 10 + me;
    shmem_barrier_all();
    if (argc > 1 && strcmp(argv[1], "late") == 0 && me == 0) usleep(300000);
    shmem_long_put_signal(data, &value, 1, &flag, 5, 0, right);
    expect(shmem_signal_wait_until(&flag, SHMEM_CMP_EQ, 5) == 5 && data[0] == 10 + left && shmem_signal_fetch(&flag) == 5);
    expect(shmem_team_split_strided(SHMEM_TEAM_WORLD, me % 2, 2, 2, NULL, 0, &halves) == 0);
    expect(shmem_long_sum_reduce(halves, &sum, &value, 1) == 0 && sum == 22 + 2 * (me % 2));
    expect(shmem_team_sync(halves) == 0 && shmem_team_create_ctx(halves, 0, &ctx) == 0);
    shmem_ctx_long_p(ctx, &cell, 1, 1 - me / 2); /* to PE (me + 2) % 4 of all */
    shmem_long_wait_until(&cell, SHMEM_CMP_EQ, 1);
    shmem_long_atomic_fetch_add_nbi(&old, &counter, 3, right);
    shmem_quiet();
    expect(old == 0);
    shmem_long_p(&places[2], 1, right);
    expect(shmem_long_wait_until_any(places, 3, without_first, SHMEM_CMP_EQ, 1) == 2); /* the first may be filled already */
    shmem_long_p(&places[0], 1, right);
    shmem_long_wait_until_all(places, 3, status, SHMEM_CMP_EQ, 1);
    expect(shmem_long_test_any(places, 3, NULL, SHMEM_CMP_EQ, 2) == SIZE_MAX);
    shmem_team_destroy(halves);
    shmem_barrier_all();
    if (argc > 1 && strcmp(argv[1], "extension") == 0) shmemx_int32_p((int32_t *)&data[1], 1, right);
    shmem_finalize();
    return 0;
}

#endif
