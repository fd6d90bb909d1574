#include "trace/record/mpi/handles.h"

#include <errno.h>
#include <stdlib.h>

struct rec_table rec_wins REC_HOT;
static struct rec_table comms REC_HOT, groups REC_HOT; /* by handle; of groups the value is id + 1 */
static uint32_t comm_count, win_count, group_count;
static struct rec_table known_groups;

static int *reused;
static size_t reused_room;

/* Two arrays of count ints: the ranks 0, 1, ... and room behind them. Grows, is never freed: no allocation in steady
 * state. */
static int *reused_ranks(int count)
{
    size_t need = 2 * (size_t)count + 1;
    if (need > reused_room) {
        int *grown = realloc(reused, need * 2 * sizeof *reused);
        if (!grown) return NULL;
        reused = grown;
        reused_room = need * 2;
    }
    for (int i = 0; i < count; i++) reused[i] = i;
    return reused;
}

/* Returns the world ranks of a group in its order, in reused memory; NULL: memory is short, or one is outside the world. */
static int32_t *group_world(MPI_Group group, int count)
{
    int *ranks = reused_ranks(count);
    if (!ranks) return NULL;
    int *world = ranks + count;
    if (count > 0 && PMPI_Group_translate_ranks(group, count, ranks, rec_world_group, world) != MPI_SUCCESS)
        return NULL;
    for (int i = 0; i < count; i++)
        if (world[i] < 0 || world[i] >= rec_world) return NULL;
    return world;
}

/* first_group is the number of members in the first of two groups; 0: there is one group. */
static void define_members(struct spool_record head, const int32_t *world, int count, int32_t first_group)
{
    bool consecutive = first_group == 0;
    for (int i = 1; i < count; i++) consecutive = consecutive && world[i] == world[0] + i;
    head.extra = count;
    head.peer = count > 0 ? world[0] : SPOOL_PEER_NONE;
    rec_define_with(head, world, consecutive ? 0 : (size_t)count * sizeof *world, &first_group,
                    first_group > 0 ? sizeof first_group : 0);
}

static struct rec_comm *comm_apart(void)
{
    struct rec_comm *made = calloc(1, sizeof *made);
    if (made) *made = (struct rec_comm){.id = SPOOL_NO_ID, .apart = true, .uses = 1};
    return made;
}

static struct rec_comm *comm_new(const int32_t *world, int count)
{
    struct rec_comm *made = calloc(1, sizeof *made);
    bool same = true;
    for (int i = 0; i < count; i++) same = same && world[i] == i;
    if (made && !same) {
        made->world = malloc((size_t)count * sizeof *made->world);
        if (made->world) memcpy(made->world, world, (size_t)count * sizeof *world);
    }
    if (!made || (!same && !made->world)) {
        free(made);
        return NULL;
    }
    made->id = comm_count++;
    made->uses = 1;
    made->size = count;
    while (made->rank < count && world[made->rank] != rec_rank) made->rank++;
    return made;
}

/* A parent that is NULL or apart is not recorded. first_group: see define_members(). */
static void define_comm(uint32_t id, const struct rec_comm *parent, bool seen, const int32_t *world, int count,
                        int first_group)
{
    struct spool_record head = {.kind = SPOOL_COMM, .id = id};
    head.flags = (uint8_t)((seen ? SPOOL_SEEN : 0) | (first_group > 0 ? SPOOL_BETWEEN : 0));
    if (parent && !parent->apart) head.tag = (int32_t)(parent->id + 1);
    define_members(head, world, count, first_group);
}

/* World ranks of the members, as it was made by fetch; the caller frees. NULL: one is outside the world. */
static int32_t *members_of(MPI_Comm comm, __typeof__(PMPI_Comm_group) *fetch, int *count)
{
    MPI_Group group;
    if (fetch(comm, &group) != MPI_SUCCESS) return NULL;
    PMPI_Group_size(group, count);
    const int32_t *world = group_world(group, *count);
    int32_t *made = world ? malloc(((size_t)*count + 1) * sizeof *made) : NULL;
    if (made) memcpy(made, world, (size_t)*count * sizeof *made);
    PMPI_Group_free(&group);
    return made;
}

static void intercomm_define(const struct rec_comm *comm, const struct rec_comm *parent, bool seen)
{
    const int32_t *own;
    int count = rec_intercomm_own(comm->intercomm, &own), before = rec_intercomm_before(comm), all = count + comm->size;
    int32_t *members = malloc(((size_t)all + 1) * sizeof *members);
    if (!members) {
        rec_stop("out of memory");
        return;
    }
    for (int i = 0; i < comm->size; i++) members[before + i] = rec_comm_world(comm, i);
    memcpy(members + (before ? 0 : comm->size), own, (size_t)count * sizeof *own);
    define_comm(comm->id, parent, seen, members, all, before ? before : comm->size);
    free(members);
}

/* Makes an intercommunicator; NULL: memory is short. */
static struct rec_comm *intercomm_new(const int32_t *own, int count, const int32_t *other, int other_count)
{
    struct rec_comm *made = comm_new(other, other_count);
    if (!made) return NULL;
    for (made->rank = 0; made->rank < count && own[made->rank] != rec_rank;) made->rank++;
    made->intercomm = rec_intercomm_new(own, count, other, other_count);
    if (made->intercomm) return made;
    rec_comm_release(made);
    return NULL;
}

static struct rec_comm *comm_learn(MPI_Comm comm, const struct rec_comm *parent, bool seen)
{
    int is_inter = 0, count = 0, other_count = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    int32_t *world = members_of(comm, PMPI_Comm_group, &count);
    int32_t *other = world && is_inter ? members_of(comm, PMPI_Comm_remote_group, &other_count) : NULL;
    struct rec_comm *made = !world || (is_inter && !other) ? comm_apart()
                            : is_inter                     ? intercomm_new(world, count, other, other_count)
                                                           : comm_new(world, count);
    if (!made || !rec_table_put(&comms, REC_KEY(comm), (uintptr_t)made))
        rec_stop("a communicator's members cannot be had");
    else if (made->intercomm)
        intercomm_define(made, parent, seen);
    else if (!made->apart)
        define_comm(made->id, parent, seen, world, count, 0);
    free(world);
    free(other);
    return rec_state == REC_OFF ? NULL : made;
}

uint32_t rec_comm_define(const int32_t *world, int count, const struct rec_comm *parent, int first_group)
{
    define_comm(comm_count, parent, true, world, count, first_group);
    return comm_count++;
}

struct rec_comm *rec_comm_find(MPI_Comm comm)
{
    uintptr_t *found = rec_table_find(&comms, REC_KEY(comm));
    if (REC_LIKELY(found != NULL)) return (struct rec_comm *)*found;
    return comm == MPI_COMM_NULL ? NULL : comm_learn(comm, NULL, comm != rec_everyone);
}

const struct rec_comm *rec_comm_of_ranks(const int32_t *world, int size)
{
    int i = 0;
    while (size == rec_world && i < size && world[i] == i) i++;
    if (i == rec_world) return rec_comm_find(rec_everyone);
    struct rec_comm *made = comm_new(world, size);
    if (made) define_comm(made->id, NULL, true, world, size, 0);
    return made;
}

static const struct rec_comm *set_learn(int first, int log_stride, int size)
{
    int32_t *world = size > 0 ? reused_ranks(size) : NULL;
    if (!world) return NULL;
    for (int i = 0; i < size; i++) world[i] = first + i * (1 << log_stride);
    return rec_comm_of_ranks(world, size);
}

const struct rec_comm *rec_comm_of_set(int first, int log_stride, int size)
{
    static struct rec_table sets;
    if (first == 0 && log_stride == 0 && size == rec_world) return rec_comm_find(rec_everyone);
    uint64_t key = (uint64_t)first << 32 | (uint64_t)log_stride << 27 | (uint64_t)size;
    uintptr_t *found = rec_table_find(&sets, key);
    if (REC_LIKELY(found != NULL)) return (const struct rec_comm *)*found;
    const struct rec_comm *made = set_learn(first, log_stride, size);
    if (!made || !rec_table_put(&sets, key, (uintptr_t)made)) {
        rec_stop("an active set's members cannot be had");
        return NULL;
    }
    return made;
}

void rec_comm_release(struct rec_comm *comm)
{
    if (--comm->uses > 0 || rec_shared) return; /* rec_shared: a call of another thread may still use it */
    free(comm->neighbors);
    rec_intercomm_free(comm->intercomm);
    free(comm->world);
    free(comm);
}

void rec_set_made_comm(struct rec_call *rec, MPI_Comm made)
{
    if (made == MPI_COMM_NULL) return;
    struct rec_comm *comm = comm_learn(made, rec->comm, false);
    if (comm) rec->exit.id = comm->id;
}

/* A communicator whose handle comes with the completion is known when it is first used. */
void rec_set_coming_comm(MPI_Comm comm, MPI_Comm made)
{
    const struct rec_comm *like = rec_comm_find(comm);
    if (!like || like->apart || made == MPI_COMM_NULL || rec_table_find(&comms, REC_KEY(made))) return;
    const int32_t *own = NULL;
    int *world = reused_ranks(like->size), count = like->intercomm ? rec_intercomm_own(like->intercomm, &own) : 0;
    for (int i = 0; world && i < like->size; i++) world[i] = rec_comm_world(like, i);
    struct rec_comm *copy = !world            ? NULL
                            : like->intercomm ? intercomm_new(own, count, world, like->size)
                                              : comm_new(world, like->size);
    if (!copy || !rec_table_put(&comms, REC_KEY(made), (uintptr_t)copy)) {
        rec_stop("out of memory");
        return;
    }
    if (copy->intercomm)
        intercomm_define(copy, like, false);
    else
        define_comm(copy->id, like, false, world, copy->size, 0);
}

void rec_drop_comm(uint64_t key)
{
    struct rec_comm *comm = (struct rec_comm *)rec_table_remove(&comms, key);
    if (comm) rec_comm_release(comm);
}

void rec_set_made_win(struct rec_call *rec, MPI_Win win, MPI_Comm comm, const void *base, MPI_Aint bytes, int64_t unit,
                      char flavor)
{
    struct rec_comm *members = rec_comm_find(comm);
    struct rec_win *made = members ? calloc(1, sizeof *made) : NULL;
    if (!members) return;
    if (!made || !rec_table_put(&rec_wins, REC_KEY(win), (uintptr_t)made)) {
        free(made);
        rec_stop("out of memory");
        return;
    }
    members->uses++;
    *made = (struct rec_win){.id = members->apart ? SPOOL_NO_ID : win_count++, .comm = members};
    if (members->apart) return;
    struct spool_window definition = {.bytes = bytes,
                                      .base = (uint64_t)(uintptr_t)base,
                                      .disp_unit = unit < INT32_MAX ? (int32_t)unit : INT32_MAX,
                                      .comm = members->id,
                                      .flavor = flavor};
    rec_define(SPOOL_WINDOW, made->id, &definition, sizeof definition);
    rec_modules_define();
    rec->exit.id = made->id;
}

uint32_t rec_win_heap(void)
{
    struct spool_window definition = {.disp_unit = 1, .flavor = 'h'};
    rec_define(SPOOL_WINDOW, win_count, &definition, sizeof definition);
    return win_count++;
}

const struct rec_win *rec_win_unknown(MPI_Win win)
{
    if (win == MPI_WIN_NULL) return NULL;
    errno = 0;
    rec_stop("a window of unknown origin is used");
    return NULL;
}

void rec_name_win(MPI_Win win, const char *name)
{
    const struct rec_win *named = rec_win_find(win);
    struct spool_record record = {.kind = SPOOL_WINDOW_NAME, .extra = named ? named->id : 0};
    if (named && !named->comm->apart) rec_define_with(record, name, strlen(name), NULL, 0);
}

void rec_drop_win(uint64_t key)
{
    struct rec_win *win = (struct rec_win *)rec_table_remove(&rec_wins, key);
    if (win) rec_comm_release(win->comm);
    free(win);
}

static int compare_ranks(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

uint32_t rec_group_find(MPI_Group group)
{
    uintptr_t *found = rec_table_find(&groups, REC_KEY(group));
    if (REC_LIKELY(found != NULL)) return (uint32_t)(*found - 1);
    int count = 0;
    if (group == MPI_GROUP_NULL) return SPOOL_NO_ID;
    PMPI_Group_size(group, &count);
    int32_t *world = group_world(group, count);
    uint32_t id = 0;
    if (world) qsort(world, (size_t)count, sizeof *world, compare_ranks);
    if (world && !rec_list_id(&known_groups, world, (size_t)count * sizeof *world, &group_count, &id))
        define_members((struct spool_record){.kind = SPOOL_GROUP, .id = id}, world, count, 0);
    if (!world || !rec_table_put(&groups, REC_KEY(group), (uintptr_t)id + 1))
        rec_stop("a group's members cannot be had");
    return id;
}

void rec_drop_group(MPI_Group group)
{
    rec_table_remove(&groups, REC_KEY(group));
}
