/* Routines of OpenSHMEM 1.5, which no library here has: with -DLIBRARY stand-ins for them, which move nothing and say what
 * they were given. */
#include <stddef.h>
#include <stdint.h>

void shmem_putmem_signal(void *target, const void *source, size_t bytes, uint64_t *flag, uint64_t value, int how, int pe);
uint64_t shmem_signal_wait_until(uint64_t *flag, int compare, uint64_t value);
int shmem_team_split_strided(void *parent, int start, int stride, int size, const void *config, long mask, void **team);
double shmem_double_sum_reduce(double a, double b);

#ifdef LIBRARY

void shmem_putmem_signal(void *target, const void *source, size_t bytes, uint64_t *flag, uint64_t value, int how, int pe)
{
    *flag = target && source ? bytes + value + (uint64_t)how + (uint64_t)pe : 0;
}

uint64_t shmem_signal_wait_until(uint64_t *flag, int compare, uint64_t value)
{
    return *flag * (uint64_t)compare + value;
}

int shmem_team_split_strided(void *parent, int start, int stride, int size, const void *config, long mask, void **team)
{
    *team = parent;
    return start + 10 * stride + 100 * size + (config ? 1000 : 0) + (int)mask; /* mask and team are on the stack */
}

double shmem_double_sum_reduce(double a, double b)
{
    return a + b;
}

#else

#include <shmem.h>

int main(void)
{
    uint64_t flag = 0;
    char data = 0;
    void *team = NULL;
    shmem_init();
    shmem_putmem_signal(&data, &data, 1, &flag, 2, 3, 4);
    int good = flag == 10 && shmem_signal_wait_until(&flag, 2, 5) == 25;
    good = good && shmem_team_split_strided(&data, 1, 2, 3, NULL, 4000, &team) == 4321 && team == &data;
    good = good && shmem_double_sum_reduce(1.5, 2.5) == 4.0;
    shmem_finalize();
    return !good;
}

#endif
