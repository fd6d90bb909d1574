#include "trace/record/threads/thread_objects.h"

#include <dlfcn.h>
#include <sched.h>
#include <string.h>

#include "trace/record/threads/primitives.h"
#include "trace/record/threads/table.h"

static int locked;

static void lock_table(void)
{
    for (int tries = 0; __atomic_exchange_n(&locked, 1, __ATOMIC_ACQUIRE); tries++)
        if (tries >= 100) sched_yield();
}

static void unlock_table(void)
{
    __atomic_store_n(&locked, 0, __ATOMIC_RELEASE);
}

/* Values: ids plus 1; parties of barriers; numbers of threads plus 1. */
static struct rec_table ids[REC_SORTS], barriers, threads;
static uint32_t id_count;
static uint64_t generation = 1; /* counts what is forgotten */

/* The thread's last look-ups need no lock while no object has been forgotten. */
enum { CACHED = 64 };
struct cached {
    uint64_t key, generation;
    uint32_t id;
};
static __thread struct cached cache[CACHED];

enum { SORT_BITS = 3 };
_Static_assert(REC_SORTS <= 1 << SORT_BITS, "a sort has a number");

uint32_t rec_object(enum rec_sort sort, const void *address, bool *made)
{
    uintptr_t hash = (uintptr_t)address >> 3 ^ (uintptr_t)address >> 9 ^ (uintptr_t)sort << 4;
    struct cached *cached = &cache[hash % CACHED];
    uint64_t key = REC_KEY(address) << SORT_BITS | sort, now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
    if (made) *made = false;
    if (cached->key == key && cached->generation == now) return cached->id;
    lock_table();
    uintptr_t *found = rec_table_find(&ids[sort], REC_KEY(address));
    uint32_t id = found ? (uint32_t)(*found - 1) : id_count;
    if (!found && !rec_table_put(&ids[sort], REC_KEY(address), (uintptr_t)id + 1)) id = REC_NO_OBJECT;
    if (!found && id != REC_NO_OBJECT) id_count++;
    unlock_table();
    if (made) *made = !found;
    *cached = (struct cached){key, now, id};
    if (id == REC_NO_OBJECT) cached->key = 0;
    return id;
}

int64_t rec_barrier_parties(const void *address)
{
    lock_table();
    const uintptr_t *known = rec_table_find(&barriers, REC_KEY(address));
    int64_t parties = known ? (int64_t)*known : 1;
    unlock_table();
    return parties;
}

void rec_object_forget(enum rec_sort sort, const void *address, unsigned parties)
{
    lock_table();
    if (rec_table_remove(&ids[sort], REC_KEY(address))) __atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
    if (parties > 0)
        rec_table_put(&barriers, REC_KEY(address), parties);
    else if (sort == REC_BARRIER)
        rec_table_remove(&barriers, REC_KEY(address));
    unlock_table();
}

void rec_thread_put(pthread_t thread, uint32_t number)
{
    lock_table();
    rec_table_put(&threads, REC_KEY(thread), (uintptr_t)number + 1);
    unlock_table();
}

uint32_t rec_thread_take(pthread_t thread)
{
    lock_table();
    uintptr_t number = rec_table_remove(&threads, REC_KEY(thread)); /* plus 1 */
    unlock_table();
    return number ? (uint32_t)(number - 1) : REC_NO_OBJECT;
}

static bool is_inside(const void *site)
{
    static const char *const outside[] = {
#define OUTSIDE(NAME) NAME,
#include "trace/record/preload/outside.def"
#undef OUTSIDE
    };
    Dl_info about;
    if (!dladdr(site, &about) || !about.dli_fname) return false;
    const char *slash = strrchr(about.dli_fname, '/'), *name = slash ? slash + 1 : about.dli_fname;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (strncmp(name, outside[i], strlen(outside[i])) == 0) return false;
    return true;
}

/* Each place holds a site and in its top bit what was found; which thread writes it last does not matter. */
bool rec_site_is_inside(const void *site)
{
    enum { SITES = 1024 };
    static uint64_t sites[SITES];
    const uint64_t inside = UINT64_C(1) << 63;
    uint64_t *place = &sites[((uintptr_t)site ^ (uintptr_t)site >> 10) % SITES];
    uint64_t known = __atomic_load_n(place, __ATOMIC_RELAXED);
    if ((known & ~inside) == (uint64_t)(uintptr_t)site) return known & inside;
    bool found = is_inside(site);
    __atomic_store_n(place, (uint64_t)(uintptr_t)site | (found ? inside : 0), __ATOMIC_RELAXED);
    return found;
}
