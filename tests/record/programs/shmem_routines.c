/* OpenSHMEM's routines on four PEs: each works on its right neighbour's memory, so that all results are known. */
#include <shmem.h>
#include <stdlib.h>

#define SYNCS 12

static long cells[8], sync_of[SYNCS][SHMEM_REDUCE_SYNC_SIZE + SHMEM_ALLTOALL_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE];
static long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE + 8], lock, total[2], part[2], all[16];
static unsigned int bits;
static int flag;
static int me, right, left;

static void expect(int right_result)
{
    if (!right_result) shmem_global_exit(7);
}

static void moves(long *heap)
{
    long source[3] = {10 + me, 20 + me, 30 + me}, found[3] = {0};
    shmem_long_put(cells, source, 3, right);
    shmem_putmem(heap, source, 5, right);
    shmem_iput32(heap + 2, source, 2, 3, 2, right);
    shmem_fence();
    shmem_int_p(&flag, 1, right);
    shmem_long_put_nbi(&cells[3], source, 1, right);
    shmem_quiet();
    shmem_int_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_barrier_all();
    expect(cells[0] == 10 + left && cells[2] == 30 + left && cells[3] == 10 + left);
    shmem_long_get(found, cells, 3, right);
    expect(found[1] == 20 + me);
    expect(shmem_long_g(&cells[2], right) == 30 + me);
    shmem_iget64(found, cells, 2, 3, 2, right);
    expect(found[2] == 10 + me);
    shmem_get64_nbi(found, cells, 1, right);
    shmem_quiet();
    expect(found[0] == 10 + me);
    expect(shmem_int_test(&flag, SHMEM_CMP_EQ, 1));
}

static void atomics(void)
{
    shmem_long_atomic_set(&cells[7], 5, right);
    shmem_long_atomic_add(&cells[7], 2, right);
    shmem_long_atomic_inc(&cells[7], right);
    expect(shmem_long_atomic_fetch_add(&cells[7], 2, right) == 8);
    expect(shmem_long_atomic_fetch_inc(&cells[7], right) == 10);
    expect(shmem_long_atomic_swap(&cells[7], 1, right) == 11);
    expect(shmem_long_atomic_compare_swap(&cells[7], 1, 3, right) == 1);
    expect(shmem_long_atomic_fetch(&cells[7], right) == 3);
    expect(shmem_long_fadd(&cells[7], 1, right) == 3);
    shmem_uint_atomic_or(&bits, 7, right);
    shmem_uint_atomic_and(&bits, 6, right);
    expect(shmem_uint_atomic_fetch_xor(&bits, 1, right) == 6);
}

static void context(void)
{
    long source = 99;
    shmem_ctx_t ctx;
    expect(shmem_ctx_create(0, &ctx) == 0);
    shmem_ctx_long_put(ctx, &cells[5], &source, 1, right);
    shmem_ctx_quiet(ctx);
    shmem_ctx_destroy(ctx);
}

static void locks(void)
{
    shmem_set_lock(&lock);
    shmem_clear_lock(&lock);
    shmem_barrier_all();
    if (me != 0) return;
    expect(shmem_test_lock(&lock) == 0);
    shmem_clear_lock(&lock);
}

static void collectives(void)
{
    part[0] = me;
    part[1] = 1;
    shmem_sync_all();
    shmem_long_sum_to_all(total, part, 2, 0, 0, 4, work, sync_of[0]);
    expect(total[0] == 6 && total[1] == 4);
    shmem_long_max_to_all(total, part, 1, 0, 0, 4, work, sync_of[1]);
    shmem_broadcast64(all, part, 1, 2, 0, 0, 4, sync_of[2]);
    shmem_fcollect64(all, part, 2, 0, 0, 4, sync_of[3]);
    expect(all[6] == 3 && all[7] == 1);
    shmem_collect64(all, part, me % 2 + 1, 0, 0, 4, sync_of[4]);
    shmem_alltoall64(all + 4, all, 1, 0, 0, 4, sync_of[5]);
    if (me % 2) return;
    shmem_barrier(0, 1, 2, sync_of[6]);
    shmem_sync(0, 1, 2, sync_of[7]);
    shmem_broadcast32(all, part, 3, 1, 0, 1, 2, sync_of[8]);
}

int main(void)
{
    shmem_init();
    me = shmem_my_pe();
    right = (me + 1) % 4;
    left = (me + 3) % 4;
    for (int i = 0; i < SYNCS; i++)
        for (size_t j = 0; j < sizeof sync_of[i] / sizeof *sync_of[i]; j++) sync_of[i][j] = SHMEM_SYNC_VALUE;
    long *heap = shmem_malloc(64);
    shmem_barrier_all();
    moves(heap);
    atomics();
    context();
    locks();
    collectives();
    shmem_barrier_all();
    shmem_free(heap);
    shmem_finalize();
    return 0;
}
