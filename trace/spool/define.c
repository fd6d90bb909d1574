/* Unifies the definitions of all ranks and adds them to the trace. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/parallel.h"
#include "trace/spool/cursor.h"

/* Communicators with the same members in the same order, made of the same one (or only seen in use): the k-th of a rank
 * is the k-th of all. Threads of a rank may make them of different ones in any order. */
struct kind {
    int32_t *members;
    uint32_t count, first_group; /* members; as in struct trace_comm */
    bool seen;
    uint32_t parent; /* in the trace, plus 1; 0: not said */
    struct spool_ids comms;
};

struct known_names { /* of a rank before */
    struct spool_bytes text;
    const struct spool_ids *ids; /* what its first `count` mean; NULL: none are known */
    size_t count;
};

struct unify {
    struct spool *spool;
    struct trace *trace;
    struct kind *kinds;
    size_t kind_count, kind_capacity;
    struct map kind_index;      /* hash to kind; further ones of a hash at hash + 1, ... */
    struct map window_index;    /* (communicator, sequence) to window */
    struct map comms_of_rank;   /* kind to number on this rank */
    struct map windows_of_rank; /* communicator to number on this rank */
    struct spool_bytes content;
    struct known_names names[2]; /* operations, calls */
    int32_t *members;
    size_t members_capacity;
    uint32_t first_group;             /* as in struct kind */
    struct spool_rank *rank, *files;  /* of the current record */
    const struct spool_item *item;
    const struct spool_record *record; /* the item's */
    size_t index;
    struct err *err;
};

static enum status members_read(struct unify *unify, uint32_t *count)
{
    const struct spool_record *head = unify->record;
    int64_t expected = head->extra, world = unify->spool->world;
    bool between = head->kind == SPOOL_COMM && (head->flags & SPOOL_BETWEEN);
    size_t last = between ? sizeof unify->first_group : 0, stored = unify->content.bytes - last;
    unify->first_group = 0;
    if (unify->content.bytes < last || (between && stored == 0)) SPOOL_FAIL(unify, "two groups without members");
    if (expected < 0 || expected > world || (stored != 0 && stored != (size_t)expected * sizeof *unify->members))
        SPOOL_FAIL(unify, "%" PRId64 " members, expected 0 to %" PRId64, expected, world);
    TRY(array_reserve((void **)&unify->members, &unify->members_capacity, (size_t)expected + 1, sizeof *unify->members,
                      unify->err));
    for (int64_t i = 0; i < expected; i++) {
        int64_t member = head->peer + i;
        if (stored) member = ((const int32_t *)(const void *)unify->content.data)[i];
        if (member < 0 || member >= world)
            SPOOL_FAIL(unify, "member %" PRId64 ", expected a rank below %" PRId64, member, world);
        unify->members[i] = (int32_t)member;
    }
    *count = (uint32_t)expected;
    if (!between) return STATUS_OK;
    memcpy(&unify->first_group, unify->content.data + stored, sizeof unify->first_group);
    if (unify->first_group > 0 && unify->first_group < *count) return STATUS_OK;
    SPOOL_FAIL(unify, "%" PRIu32 " members in the first of two groups, expected 1 to %" PRId64, unify->first_group,
               expected - 1);
}

static enum status find_kind(struct unify *unify, uint32_t count, bool seen, uint32_t parent, size_t *found)
{
    uint64_t hash = map_mix(map_mix(map_mix(count, seen), parent), unify->first_group), *slot;
    for (uint32_t i = 0; i < count; i++) hash = map_mix(hash, (uint32_t)unify->members[i]);
    for (;; hash++) {
        TRY(map_put(&unify->kind_index, hash, unify->kind_count, &slot, unify->err));
        if (*slot == unify->kind_count) break;
        const struct kind *kind = &unify->kinds[*slot];
        *found = (size_t)*slot;
        if (kind->seen == seen && kind->parent == parent && kind->count == count && kind->first_group == unify->first_group &&
            memcmp(kind->members, unify->members, count * sizeof *kind->members) == 0)
            return STATUS_OK;
    }
    struct kind made = {.count = count, .first_group = unify->first_group, .seen = seen, .parent = parent};
    made.members = malloc(((size_t)count + 1) * sizeof *made.members);
    if (!made.members) return err_memory(unify->err);
    memcpy(made.members, unify->members, count * sizeof *made.members);
    *found = unify->kind_count;
    ARRAY_PUSH(unify->kinds, unify->kind_count, unify->kind_capacity, made, unify->err);
    return STATUS_OK;
}

static enum status id_set(struct unify *unify, struct spool_ids *ids, uint32_t id)
{
    uint32_t local = unify->record->id;
    if (local != ids->count)
        SPOOL_FAIL(unify, "definition %" PRIu32 ", expected %zu: they count up", local, ids->count);
    ARRAY_PUSH(ids->items, ids->count, ids->capacity, id, unify->err);
    return STATUS_OK;
}

static uint32_t parent_of(const struct unify *unify)
{
    const struct spool_ids *comms = &unify->rank->comms;
    int64_t local = (int64_t)unify->record->tag - 1;
    return local >= 0 && (size_t)local < comms->count ? comms->items[local] + 1 : 0;
}

/* The world is the first communicator of every rank, and number 0 in the trace from the beginning. */
static enum status define_comm(struct unify *unify)
{
    uint32_t count;
    size_t found = 0;
    uint64_t *number;
    bool seen = unify->record->flags & SPOOL_SEEN;
    TRY(members_read(unify, &count));
    TRY(find_kind(unify, count, seen, parent_of(unify), &found));
    TRY(map_put(&unify->comms_of_rank, found, 0, &number, unify->err));
    struct kind *kind = &unify->kinds[found];
    if (*number == kind->comms.count) {
        int32_t id = 0;
        if (unify->kind_count > 1 || kind->comms.count > 0)
            TRY(trace_add_comm(unify->trace, kind->members, count, &id, unify->err));
        if (id > 0) unify->trace->definitions.comms[id].first_group = kind->first_group;
        if (id == 0 && count != unify->spool->world) SPOOL_FAIL(unify, "the first communicator is not the world");
        ARRAY_PUSH(kind->comms.items, kind->comms.count, kind->comms.capacity, (uint32_t)id, unify->err);
    }
    return id_set(unify, &unify->rank->comms, kind->comms.items[(*number)++]);
}

static enum status define_window(struct unify *unify)
{
    struct spool_window about;
    uint64_t *number, *slot;
    struct spool *spool = unify->spool;
    if (unify->content.bytes != sizeof about)
        SPOOL_FAIL(unify, "a window of %zu bytes, expected %zu", unify->content.bytes, sizeof about);
    memcpy(&about, unify->content.data, sizeof about);
    if (about.comm >= unify->rank->comms.count)
        SPOOL_FAIL(unify, "communicator %" PRIu32 " is not defined", about.comm);
    int32_t comm = (int32_t)unify->rank->comms.items[about.comm];
    int32_t member = trace_comm_rank(&unify->trace->definitions.comms[comm], (int32_t)unify->rank->header->rank);
    if (member == TRACE_NONE) SPOOL_FAIL(unify, "the rank is no member of the window's communicator");
    TRY(map_put(&unify->windows_of_rank, (uint64_t)comm, 0, &number, unify->err));
    TRY(map_put(&unify->window_index, map_pair((uint32_t)comm, (uint32_t)*number), spool->window_count, &slot,
                unify->err));
    if (*slot == spool->window_count) {
        size_t members = unify->trace->definitions.comms[comm].count + 1;
        struct spool_window_seen made = {.comm = comm,
                                         .flavor = (char)about.flavor,
                                         .bytes = calloc(members, sizeof *made.bytes),
                                         .disp_unit = calloc(members, sizeof *made.disp_unit),
                                         .base = calloc(members, sizeof *made.base),
                                         .known = calloc(members, sizeof *made.known)};
        ARRAY_PUSH(spool->windows, spool->window_count, spool->window_capacity, made, unify->err);
        TRY(made.bytes && made.disp_unit && made.base && made.known ? STATUS_OK : err_memory(unify->err));
    }
    struct spool_window_seen *window = &spool->windows[*slot];
    window->bytes[member] = about.bytes;
    window->disp_unit[member] = about.disp_unit;
    window->base[member] = about.base;
    window->known_count += !window->known[member];
    window->known[member] = true;
    ++*number;
    return id_set(unify, &unify->rank->windows, (uint32_t)*slot);
}

static enum status define_group(struct unify *unify)
{
    uint32_t count, id;
    TRY(members_read(unify, &count));
    TRY(trace_add_group(unify->trace, unify->members, count, &id, unify->err));
    return id_set(unify, &unify->rank->groups, id);
}

static enum status define_counts(struct unify *unify)
{
    uint32_t id;
    const int64_t *bytes = (const int64_t *)(const void *)unify->content.data;
    size_t count = unify->content.bytes / sizeof *bytes;
    if (unify->content.bytes % sizeof *bytes != 0)
        SPOOL_FAIL(unify, "counts of %zu bytes, expected 8 for each", unify->content.bytes);
    TRY(trace_add_counts(unify->trace, bytes, (uint32_t)count, &id, unify->err));
    return id_set(unify, &unify->rank->counts, id);
}

/* If members disagree, the last name counts. */
static enum status define_window_name(struct unify *unify)
{
    uint64_t local = (uint64_t)unify->record->extra;
    if (local >= unify->rank->windows.count) SPOOL_FAIL(unify, "window %" PRIu64 " is not defined", local);
    char **name = &unify->spool->windows[unify->rank->windows.items[local]].name;
    free(*name);
    *name = strdup(unify->content.data);
    return *name ? STATUS_OK : err_memory(unify->err);
}

static enum status define_region(struct unify *unify)
{
    uint32_t id;
    TRY(trace_add_region(unify->trace, unify->content.data, &id, unify->err));
    return id_set(unify, &unify->rank->regions, id);
}

static enum status define_module(struct unify *unify)
{
    struct spool_loaded made;
    if (unify->content.bytes <= sizeof made.addresses) SPOOL_FAIL(unify, "a module without path");
    memcpy(&made.addresses, unify->content.data, sizeof made.addresses);
    made.path = strdup(unify->content.data + sizeof made.addresses);
    if (!made.path) return err_memory(unify->err);
    struct spool_rank *rank = unify->rank;
    enum status status =
        array_reserve((void **)&rank->modules, &rank->module_capacity, rank->module_count + 1, sizeof made, unify->err);
    if (status == STATUS_OK)
        rank->modules[rank->module_count++] = made;
    else
        free(made.path);
    return status;
}

static enum status define_line(struct unify *unify)
{
    struct spool_rank *rank = unify->rank;
    const char *function = unify->content.data, *file = function + strlen(function) + 1;
    if (unify->record->id != rank->line_count)
        SPOOL_FAIL(unify, "line %" PRIu32 ", expected %zu: they count up", unify->record->id, rank->line_count);
    if (file > function + unify->content.bytes) SPOOL_FAIL(unify, "a line without file");
    struct spool_place made = {strdup(function), *file ? strdup(file) : NULL, unify->record->tag};
    ARRAY_PUSH(rank->lines, rank->line_count, rank->line_capacity, made, unify->err);
    return made.function && (made.file || !*file) ? STATUS_OK : err_memory(unify->err);
}

static enum status define_clock(struct unify *unify)
{
    struct spool_clock clock;
    if (unify->content.bytes != sizeof clock)
        SPOOL_FAIL(unify, "a clock of %zu bytes, expected %zu", unify->content.bytes, sizeof clock);
    memcpy(&clock, unify->content.data, sizeof clock);
    ARRAY_PUSH(unify->rank->clocks, unify->rank->clock_count, unify->rank->clock_capacity, clock, unify->err);
    return STATUS_OK;
}

/* Ranks of one program have the same names. */
static bool is_content(const struct unify *unify, const struct known_names *known)
{
    return known->ids && known->text.bytes == unify->content.bytes &&
           memcmp(known->text.data, unify->content.data, known->text.bytes) == 0;
}

static enum status define_names(struct unify *unify)
{
    bool calls = unify->record->peer == SPOOL_NAMES_CALLS;
    struct spool_ids *ids = calls ? &unify->rank->calls : &unify->rank->ops;
    struct known_names *known = &unify->names[calls];
    bool first = ids->count == 0;
    if (first && is_content(unify, known)) {
        TRY(array_reserve((void **)&ids->items, &ids->capacity, known->count + 1, sizeof *ids->items, unify->err));
        if (known->count > 0) memcpy(ids->items, known->ids->items, known->count * sizeof *ids->items);
        ids->count = known->count;
        return STATUS_OK;
    }
    if (first) {
        struct spool_bytes *text = &known->text;
        known->ids = NULL;
        TRY(array_reserve((void **)&text->data, &text->capacity, unify->content.bytes + 1, 1, unify->err));
        memcpy(text->data, unify->content.data, unify->content.bytes);
        text->bytes = unify->content.bytes;
    }
    char *rest = unify->content.data;
    for (char *name; (name = strsep(&rest, "\n")) != NULL && *name;) {
        enum mpi_call call;
        uint32_t id = SPOOL_NO_ID;
        if (!calls)
            id = (uint32_t)trace_op_by_name(name);
        else if (call_by_name(name, &call))
            id = call;
        ARRAY_PUSH(ids->items, ids->count, ids->capacity, id, unify->err);
    }
    if (!first) return STATUS_OK;
    known->ids = ids;
    known->count = ids->count;
    return STATUS_OK;
}

static enum status define_identity(struct unify *unify)
{
    struct spool_rank *rank = unify->rank;
    const struct {
        const char *key;
        char **value;
    } known[] = {{"library=", &rank->library},
                 {"ucx_tls=", &rank->tls},
                 {"cores=", &rank->cores},
                 {"misses=", &rank->misses},
                 {"misses_per_s=", &rank->misses_per_s},
                 {"launcher=", &rank->launcher},
                 {"launched=", &rank->launched},
                 {"openmpi_btl=", &rank->btl},
                 {"rdma=", &rank->rdma},
                 {"run=", &rank->run},
                 {"mpich_version=", &rank->mpich_version},
                 {"mpich_device=", &rank->mpich_device},
                 {"ucx_rcache_enable=", &rank->rcache}};
    if (unify->record->extra != 0) rank->cost_ps = unify->record->extra; /* the one of the end has none */
    if (rank->cost_ps < 0) SPOOL_FAIL(unify, "a call costs the recorder %" PRId64 " ps, expected 0 or more", rank->cost_ps);
    char *rest = unify->content.data;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        unify->trace->provenance.core_waits =
            unify->trace->provenance.core_waits || strcmp(line, "core_waits=yes") == 0;
        rank->spawned = rank->spawned || strcmp(line, "spawned=yes") == 0;
        if (strncmp(line, "host=", 5) == 0 && line[5])
            TRY(trace_set_node(unify->trace, unify->rank->header->rank, line + 5, unify->err));
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            size_t length = strlen(known[i].key);
            if (strncmp(line, known[i].key, length) != 0 || *known[i].value) continue;
            *known[i].value = strdup(line + length);
            if (!*known[i].value) return err_memory(unify->err);
        }
    }
    return STATUS_OK;
}

static enum status define_unrecorded(struct unify *unify)
{
    char *old = unify->rank->unrecorded, *joined;
    if (asprintf(&joined, "%s%s%s", old ? old : "", old ? ", " : "", unify->content.data) < 0)
        return err_memory(unify->err);
    free(old);
    unify->rank->unrecorded = joined;
    return STATUS_OK;
}

struct reading { /* of a thread's files */
    struct spool_rank *files;
    size_t next; /* index of the next item; after the last one comes its fault, if it has one */
    bool over;
};

static bool is_over(const struct reading *reading)
{
    const struct spool_scan *scan = &reading->files->scan;
    return reading->next == scan->count && scan->status == STATUS_OK;
}

static uint64_t time_of(const struct reading *reading)
{
    const struct spool_scan *scan = &reading->files->scan;
    return reading->next < scan->count ? scan->items[reading->next].after : scan->after;
}

/* Returns the reading with the earliest item; NULL if all are done. */
static struct reading *earliest_reading(struct reading *readings, size_t count)
{
    struct reading *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (!readings[i].over && (!first || time_of(&readings[i]) < time_of(first))) first = &readings[i];
    return first;
}

static enum status fail_at_end(struct unify *unify, struct spool_rank *files)
{
    unify->files = files;
    unify->index = files->scan.at;
    return err_set(unify->err, files->scan.status, NULL, NULL, "%s", files->scan.why);
}

static enum status define_item(struct unify *unify, struct reading *reading)
{
    const struct spool_scan *scan = &reading->files->scan;
    if (reading->next == scan->count) return fail_at_end(unify, reading->files);
    unify->files = reading->files;
    unify->item = &scan->items[reading->next++];
    unify->index = unify->item->at;
    unify->record = &unify->item->record;
    reading->over = is_over(reading);
    TRY(spool_item_content(unify->files, unify->item, &unify->content, unify->err));
    switch (unify->record->kind) {
    case SPOOL_NAMES: return define_names(unify);
    case SPOOL_IDENTITY: return define_identity(unify);
    case SPOOL_CLOCK: return define_clock(unify);
    case SPOOL_ANCHOR:
        return spool_anchor_add(unify->rank, unify->files, unify->index, unify->record->time, (uint64_t)unify->record->extra,
                                unify->err);
    case SPOOL_MODULE: return define_module(unify);
    case SPOOL_LINE: return define_line(unify);
    case SPOOL_COMM: return define_comm(unify);
    case SPOOL_GROUP: return define_group(unify);
    case SPOOL_WINDOW: return define_window(unify);
    case SPOOL_WINDOW_NAME: return define_window_name(unify);
    case SPOOL_REGION: return define_region(unify);
    case SPOOL_COUNTS: return define_counts(unify);
    case SPOOL_MISSED: return define_unrecorded(unify);
    default: return STATUS_OK;
    }
}

/* Ids count up over the threads of a rank; who makes one holds the recorder's lock, or alone calls MPI then. */
static enum status define_threads(struct unify *unify, struct reading *readings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        readings[i].files = i == 0 ? unify->rank : &unify->rank->threads[i - 1];
        readings[i].over = is_over(&readings[i]);
        if (readings[i].files->scan.status != STATUS_OK && !readings[i].files->scan.begun)
            return fail_at_end(unify, readings[i].files);
    }
    for (struct reading *first; (first = earliest_reading(readings, count)) != NULL;) TRY(define_item(unify, first));
    return STATUS_OK;
}

static enum status define_rank(struct unify *unify)
{
    size_t count = unify->rank->thread_count + 1;
    if (spool_ticks(unify->rank->header))
        TRY(spool_anchor_add(unify->rank, unify->rank, 0, 0, unify->rank->header->base_ns, unify->err));
    struct reading *readings = calloc(count, sizeof *readings);
    if (!readings) return err_memory(unify->err);
    enum status status = define_threads(unify, readings, count);
    free(readings);
    return status;
}

static enum status scan_rank(void *context, size_t rank, struct err *err)
{
    const struct spool *spool = context;
    struct spool_rank *from = &spool->ranks[rank];
    if (!from->present) return STATUS_OK;
    TRY(spool_scan(from, err));
    for (size_t i = 0; i < from->thread_count; i++) TRY(spool_scan(&from->threads[i], err));
    return STATUS_OK;
}

/* A window has sizes and units of all members or of none: they are dropped if one member did not record them. */
static enum status add_windows(const struct spool *spool, struct trace *trace, struct err *err)
{
    for (size_t i = 0; i < spool->window_count; i++) {
        const struct spool_window_seen *window = &spool->windows[i];
        bool all = window->known_count == trace->definitions.comms[window->comm].count;
        int32_t id;
        TRY(trace_add_window(trace, window->comm, all ? window->bytes : NULL, all ? window->disp_unit : NULL,
                             trace_flavor_name(window->flavor) ? window->flavor : '?', &id, err));
        if (window->name && *window->name) TRY(trace_set_window_name(trace, id, window->name, err));
    }
    return STATUS_OK;
}

enum status spool_define(struct spool *spool, struct trace *trace, struct err *err)
{
    struct unify unify = {.spool = spool, .trace = trace, .err = err};
    enum status status = parallel_run(spool->world, spool_threads(spool), scan_rank, spool, err);
    for (uint32_t i = 0; status == STATUS_OK && i < spool->world; i++) {
        if (!spool->ranks[i].present) continue;
        unify.rank = &spool->ranks[i];
        status = define_rank(&unify);
        if (status == STATUS_DATA && spool->keep_going) status = spool_end_at(unify.files, unify.index, err->text, err);
        map_clear(&unify.comms_of_rank);
        map_clear(&unify.windows_of_rank);
    }
    if (status == STATUS_OK) status = add_windows(spool, trace, err);
    for (size_t i = 0; i < unify.kind_count; i++) {
        FREE_ALL(unify.kinds[i].members, unify.kinds[i].comms.items);
    }
    FREE_ALL(unify.kinds, unify.members, unify.content.data);
    for (int i = 0; i < 2; i++) free(unify.names[i].text.data);
    map_clear(&unify.kind_index);
    map_clear(&unify.window_index);
    return status;
}
