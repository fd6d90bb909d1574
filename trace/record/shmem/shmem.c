/* The wrappers of OpenSHMEM's functions, in the recorder for Open MPI: the rows of trace/record/shmem/shmem_functions.def.
 * A PE is a rank of MPI_COMM_WORLD, since Open MPI's OpenSHMEM initialises MPI. */
#include <errno.h>
#include <link.h>
#include <shmem.h>
#include <stdlib.h>

#include "trace/record/mpi/handles.h"
#include "trace/record/preload/library.h"
#include "trace/record/record.h"

#define REC_EXPORT __attribute__((visibility("default")))

enum { /* numbers of trace/calls/ops.def */
    REC_OP_NONE,
#define TRACE_OP(NAME) REC_OP_##NAME,
#include "trace/calls/ops.def"
#undef TRACE_OP
};

enum {
#define SHMEM_OP(ROW, OP) REC_OP_OF_##ROW = REC_OP_##OP,
#include "trace/record/shmem/shmem_ops.def"
#undef SHMEM_OP
};

/* A static variable has another address in each PE's memory, but at one place of its file. */
struct file {
    uintptr_t low, high, bias;
};
enum { FILES = 512, FILE_SHIFT = 48 };
static struct file files[FILES]; /* in the order of loading: the same on all PEs of one program */
static int file_count;
static uintptr_t lowest = UINTPTR_MAX;

static uint32_t window = SPOOL_NO_ID;

static int note_file(struct dl_phdr_info *info, size_t bytes, void *nothing)
{
    (void)bytes, (void)nothing;
    struct file file = {.low = UINTPTR_MAX, .bias = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W)) continue;
        if (begin < file.low) file.low = begin;
        if (begin + part->p_memsz > file.high) file.high = begin + part->p_memsz;
    }
    if (file_count == FILES) return 1;
    files[file_count++] = file;
    if (file.low < lowest) lowest = file.low;
    return 0;
}

/* The same number on all PEs for one symmetric object. Open MPI maps the heap at one address in all of them. */
static int64_t symmetric_address(const volatile void *object)
{
    uintptr_t address = (uintptr_t)object;
    for (int i = 0; address >= lowest && i < file_count; i++)
        if (address >= files[i].low && address < files[i].high)
            return (int64_t)((address - files[i].bias) | (uintptr_t)i << FILE_SHIFT);
    return (int64_t)(address & INT64_MAX);
}

static void note_start(struct rec_call *rec)
{
    rec_opened(rec);
    if (rec_state != REC_OPEN || window != SPOOL_NO_ID) return;
    file_count = 0;
    dl_iterate_phdr(note_file, NULL);
    window = rec_win_heap();
}

static void set_window(struct rec_call *rec)
{
    if (window == SPOOL_NO_ID) {
        errno = 0;
        rec_stop("an OpenSHMEM routine before shmem_init");
        return;
    }
    rec->enter.id = window;
}

static void set_place(struct rec_call *rec, const volatile void *object)
{
    set_window(rec);
    rec->enter.extra = symmetric_address(object);
}

static void set_move(struct rec_call *rec, const void *object, int pe, size_t bytes)
{
    set_place(rec, object);
    rec->enter.peer = pe;
    rec->enter.bytes = (int64_t)bytes;
}

/* Elements are `stride` elements apart. */
static void set_stride(struct rec_call *rec, enum spool_buffer buffer, ptrdiff_t stride, size_t count, size_t size)
{
    int64_t step = stride < 0 ? -(int64_t)stride : (int64_t)stride, span;
    if (count < 2 || step == 1 || __builtin_mul_overflow((int64_t)count - 1, step, &span) ||
        __builtin_mul_overflow(span + 1, (int64_t)size, &span))
        return;
    rec_set_extent(rec, buffer, span);
}

static struct rec_table teams; /* by handle, and by context: const struct rec_comm * */
static bool has_contexts;      /* of teams */

#if SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION < 5 /* the program's library may have it all the same */
typedef void *shmem_team_t;
typedef struct shmem_team_config shmem_team_config_t;
#endif

/* The members of a team, which its library tells. */
static const struct rec_comm *learn_team(shmem_team_t team)
{
    const shmem_team_t *everyone = rec_library_next("SHMEM_TEAM_WORLD");
    int (*size_of)(shmem_team_t) = (int (*)(shmem_team_t))rec_library_next("shmem_team_n_pes");
    int (*translate)(shmem_team_t, int, shmem_team_t) =
        (int (*)(shmem_team_t, int, shmem_team_t))rec_library_next("shmem_team_translate_pe");
    int size = everyone && size_of && translate ? size_of(team) : -1;
    int32_t *world = size > 0 ? malloc((size_t)size * sizeof *world) : NULL;
    for (int i = 0; world && i < size; i++) world[i] = translate(team, i, *everyone);
    const struct rec_comm *made = world ? rec_comm_of_ranks(world, size) : NULL;
    free(world);
    if (made && rec_table_put(&teams, REC_KEY(team), (uintptr_t)made)) return made;
    rec_stop("a team's members cannot be had");
    return NULL;
}

static const struct rec_comm *find_team(shmem_team_t team)
{
    const uintptr_t *found = rec_table_find(&teams, REC_KEY(team));
    return found ? (const struct rec_comm *)*found : learn_team(team);
}

static void set_team(struct rec_call *rec, shmem_team_t team, int root, size_t bytes)
{
    const struct rec_comm *comm = find_team(team);
    if (comm) rec->enter.id = comm->id;
    if (comm && root >= 0) rec->enter.peer = rec_comm_world(comm, root);
    rec->enter.bytes = (int64_t)bytes;
}

static void keep_context(shmem_team_t team, uint64_t context)
{
    const struct rec_comm *comm = find_team(team);
    has_contexts = true;
    if (comm && !rec_table_put(&teams, context, (uintptr_t)comm)) rec_stop("out of memory");
}

/* A PE of a team's context is one of the team. */
static void set_context(struct rec_call *rec, uint64_t context)
{
    const uintptr_t *found = has_contexts ? rec_table_find(&teams, context) : NULL;
    if (found) rec->enter.peer = rec_comm_world((const struct rec_comm *)*found, rec->enter.peer);
}

/* The call has returned, and waited for this place. */
static void put_wait(struct rec_call *rec, const void *place, bool flag)
{
    set_place(rec, place);
    rec_set_flag(rec, flag);
    rec_put(&rec->enter);
    rec_put(&rec->exit);
}

/* Nobody knows which of the places was last: the first one has the time. */
static void put_waits(struct rec_call *rec, const char *places, size_t size, size_t count, const int *status)
{
    for (size_t i = 0; i < count && rec_state == REC_OPEN; i++) {
        if (status && status[i]) continue;
        put_wait(rec, places + i * size, false);
        rec->enter.time = rec->exit.time;
    }
}

static void set_members(struct rec_call *rec, int first, int stride, int size, size_t bytes)
{
    const struct rec_comm *comm = rec_comm_of_set(first, stride, size);
    if (comm) rec->enter.id = comm->id;
    rec->enter.bytes = (int64_t)bytes;
}

#define rec_shmem_started()               note_start(&rec)
#define rec_shmem_window() set_window(&rec)
#define rec_shmem_place(object) set_place(&rec, (object))
#define rec_shmem_move(object, pe, bytes) set_move(&rec, (object), (pe), (bytes))
#define rec_shmem_strided(object, pe, count, size, origin_stride, target_stride)                                       \
    (set_move(&rec, (object), (pe), (count) * (size)),                                                                 \
     set_stride(&rec, SPOOL_ORIGIN, (origin_stride), (count), (size)),                                                 \
     set_stride(&rec, SPOOL_TARGET, (target_stride), (count), (size)))
#define rec_shmem_amo(OP, object, pe, bytes)                                                                           \
    (set_move(&rec, (object), (pe), (bytes)), (void)(rec.enter.tag = REC_OP_OF_shmem_atomic_##OP))
#define rec_shmem_fetched(size) ((void)(rec.exit.bytes = (int64_t)(size)))
#define rec_shmem_context(ctx) set_context(&rec, REC_KEY(ctx))
#define rec_shmem_context_of(team, ctx) keep_context((team), REC_KEY(ctx))
#define rec_shmem_team(team, bytes) set_team(&rec, (team), -1, (bytes))
#define rec_shmem_team_rooted(team, root, bytes) set_team(&rec, (team), (root), (bytes))
#define rec_shmem_team_reduce(OP, team, bytes)                                                                         \
    (set_team(&rec, (team), -1, (bytes)), (void)(rec.enter.tag = REC_OP_OF_shmem_##OP##_to_all))
#define rec_shmem_team_gone(team) rec_table_remove(&teams, REC_KEY(team))
#define rec_shmem_all_waited(places, count, status)                                                                    \
    put_waits(&rec, (const char *)(places), sizeof *(places), (count), (status))
#define rec_shmem_waited(places, index, count)                                                                         \
    ((index) < (count) ? put_wait(&rec, &(places)[index], false) : rec_nothing())
#define rec_shmem_tested(places, index, count) put_wait(&rec, &(places)[(index) < (count) ? (index) : 0], (index) < (count))
#define rec_shmem_all() set_members(&rec, 0, 0, rec_world, 0)
#define rec_shmem_set(first, stride, size) set_members(&rec, (first), (stride), (size), 0)
#define rec_shmem_collective(first, stride, size, bytes) set_members(&rec, (first), (stride), (size), (bytes))
#define rec_shmem_rooted(first, stride, size, root, bytes)                                                             \
    (set_members(&rec, (first), (stride), (size), (bytes)), (void)(rec.enter.peer = (first) + (root) * (1 << (stride))))
#define rec_shmem_reduce(OP, first, stride, size, bytes)                                                               \
    (set_members(&rec, (first), (stride), (size), (bytes)),                                                             \
     (void)(rec.enter.tag = REC_OP_OF_shmem_##OP##_to_all))

#define REC_FUNCTION(TYPE, NAME, ROW, PARAMETERS, ARGUMENTS, BEFORE, AFTER, KEEP, KEPT)                                \
    static __typeof__(NAME) *real_##NAME;                                                                              \
    REC_EXPORT TYPE NAME PARAMETERS                                                                                    \
    {                                                                                                                  \
        const void *site = __builtin_return_address(0);                                                                \
        if (!REC_LIKELY(real_##NAME != NULL)) *(void **)&real_##NAME = rec_library_next(#NAME);                        \
        if (rec_off[REC_ID_##ROW] == REC_SKIPPED || !rec_begin(__builtin_dwarf_cfa(), true)) {                         \
            if (!rec_initialises(REC_ID_##ROW)) return real_##NAME ARGUMENTS;                                          \
            bool outermost = rec_decline_begin();                                                                      \
            KEEP real_##NAME ARGUMENTS;                                                                                \
            if (outermost) rec_decline_end(true, REC_ID_##ROW);                                                        \
            return KEPT;                                                                                               \
        }                                                                                                              \
        struct rec_call rec;                                                                                           \
        rec_prepare(&rec, REC_ID_##ROW, site);                                                                         \
        rec_lock();                                                                                                    \
        BEFORE;                                                                                                        \
        rec_unlock();                                                                                                  \
        rec_enter(&rec);                                                                                               \
        KEEP real_##NAME ARGUMENTS;                                                                                    \
        rec.exit.time = rec_stamp();                                                                                   \
        if (rec_state != REC_OFF) {                                                                                    \
            rec_lock();                                                                                                \
            AFTER;                                                                                                     \
            rec_unlock();                                                                                              \
        }                                                                                                              \
        rec_exit(&rec);                                                                                                \
        return KEPT;                                                                                                   \
    }
/* A shmem.h of OpenSHMEM 1.4 has not all of them. */
#define SHMEM_DO(NAME, ROW, PARAMETERS, ARGUMENTS, BEFORE, AFTER) void NAME PARAMETERS;
#define SHMEM_GIVE(TYPE, NAME, ROW, PARAMETERS, ARGUMENTS, BEFORE, AFTER) TYPE NAME PARAMETERS;
#include "trace/record/shmem/shmem_functions.def"
#undef SHMEM_GIVE
#undef SHMEM_DO

#define SHMEM_DO(NAME, ROW, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                                      \
    REC_FUNCTION(void, NAME, ROW, PARAMETERS, ARGUMENTS, BEFORE, AFTER, , )
#define SHMEM_GIVE(TYPE, NAME, ROW, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                              \
    REC_FUNCTION(TYPE, NAME, ROW, PARAMETERS, ARGUMENTS, BEFORE, AFTER, TYPE result =, result)
#include "trace/record/shmem/shmem_functions.def"
