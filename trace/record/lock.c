/* The lock of the tables that threads share: trace/record/record.h. */
#include <sched.h>

#include "trace/record/record.h"

bool rec_shared REC_HOT;
int rec_locked;

void rec_lock_wait(void)
{
    for (int tries = 0; __atomic_exchange_n(&rec_locked, 1, __ATOMIC_ACQUIRE); tries++)
        if (tries >= 100) sched_yield();
}
