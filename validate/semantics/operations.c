/* One-sided operations as data: issued at once, kept until they may leave, or copied.
 *
 * A copied put leaves as an accumulate with MPI_REPLACE where that has the same effect. In MPICH the request of an
 * accumulate is complete when the data are at the target; for a put only a flush says that, and it waits for the
 * target. MPI promises neither, so a flush follows in any case; after such requests it has nothing to wait for. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "validate/semantics/semantics.h"

int64_t sem_copied_bytes;

static struct sem_item *leaving; /* copies that have been issued */

int sem_operation_issue(const struct sem_operation *o, MPI_Win win, MPI_Aint disp)
{
    switch (o->kind) {
    case SEM_PUT:
        return sem_mpi.Put(o->origin, o->origin_count, o->origin_type, o->target, disp, o->target_count, o->target_type,
                           win);
    case SEM_GET:
        return sem_mpi.Get(o->result, o->result_count, o->result_type, o->target, disp, o->target_count, o->target_type,
                           win);
    case SEM_ACCUMULATE:
        return sem_mpi.Accumulate(o->origin, o->origin_count, o->origin_type, o->target, disp, o->target_count,
                                  o->target_type, o->op, win);
    case SEM_GET_ACCUMULATE:
        return sem_mpi.Get_accumulate(o->origin, o->origin_count, o->origin_type, o->result, o->result_count,
                                      o->result_type, o->target, disp, o->target_count, o->target_type, o->op, win);
    case SEM_FETCH_AND_OP: return sem_mpi.Fetch_and_op(o->origin, o->result, o->target_type, o->target, disp, o->op, win);
    case SEM_COMPARE_AND_SWAP:
        return sem_mpi.Compare_and_swap(o->origin, o->compare, o->result, o->target_type, o->target, disp, win);
    }
    return MPI_ERR_INTERN;
}

static bool is_named(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    sem_mpi.Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/* The program may free a type as soon as its call has returned (MPI-3.1 4.1.9). */
static bool hold_type(MPI_Datatype *type)
{
    MPI_Datatype held;
    if (*type == MPI_DATATYPE_NULL || is_named(*type) || sem_mpi.Type_dup(*type, &held) != MPI_SUCCESS) return false;
    *type = held;
    return true;
}

struct sem_item *sem_item_new(const struct sem_operation *operation)
{
    struct sem_item *item = calloc(1, sizeof *item);
    if (!item) sem_fail("out of memory");
    if (!operation) return item;
    item->operation = *operation;
    struct sem_operation *own = &item->operation;
    bool single = own->kind == SEM_FETCH_AND_OP || own->kind == SEM_COMPARE_AND_SWAP;
    bool sends = own->kind == SEM_PUT || own->kind == SEM_ACCUMULATE || own->kind == SEM_GET_ACCUMULATE;
    bool brings = own->kind == SEM_GET || own->kind == SEM_GET_ACCUMULATE;
    item->held_origin = !single && sends && own->origin_count > 0 && hold_type(&own->origin_type);
    item->held_result = !single && brings && hold_type(&own->result_type);
    item->held_target = hold_type(&own->target_type);
    return item;
}

/* The memory of the plain copy that was freed last. The heap would return it to the system, and the next copy would pay
 * for each of its pages again. */
enum { SPARE_BYTES_MOST = 1 << 24 };
static void *spare;
static size_t spare_room;

void sem_item_free(struct sem_item *item)
{
    if (item->held_origin) sem_mpi.Type_free(&item->operation.origin_type);
    if (item->held_result) sem_mpi.Type_free(&item->operation.result_type);
    if (item->held_target) sem_mpi.Type_free(&item->operation.target_type);
    sem_copied_bytes -= item->copy_bytes;
    free(item->requests);
    if (item->copy_room > spare_room && item->copy_room <= SPARE_BYTES_MOST) {
        free(spare);
        spare = item->copy;
        spare_room = item->copy_room;
    } else {
        free(item->copy);
    }
    free(item);
}

/* The one predefined type that a type consists of; MPI_DATATYPE_NULL: there are several. Types of accumulates consist
 * of one (MPI-3.1 11.3.4). */
static MPI_Datatype basic_type(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    sem_mpi.Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED) return type;
    if (types < 1) return MPI_DATATYPE_NULL;
    int *of_integers = calloc((size_t)integers + 1, sizeof *of_integers);
    MPI_Aint *of_addresses = calloc((size_t)addresses + 1, sizeof *of_addresses);
    MPI_Datatype *of_types = calloc((size_t)types, sizeof *of_types);
    if (!of_integers || !of_addresses || !of_types) sem_fail("out of memory");
    sem_mpi.Type_get_contents(type, integers, addresses, types, of_integers, of_addresses, of_types);
    MPI_Datatype found = basic_type(of_types[0]);
    for (int i = 1; i < types; i++)
        if (basic_type(of_types[i]) != found) found = MPI_DATATYPE_NULL;
    for (int i = 0; i < types; i++)
        if (!is_named(of_types[i])) sem_mpi.Type_free(&of_types[i]);
    free(of_integers);
    free(of_addresses);
    free(of_types);
    return found;
}

int64_t sem_item_bytes(const struct sem_operation *operation)
{
    int size;
    sem_mpi.Type_size(operation->origin_type, &size);
    int64_t bytes = (int64_t)size * operation->origin_count;
    return bytes > INT_MAX / 2 ? -1 : bytes;
}

static void *pack_data(const struct sem_operation *operation, int *packed)
{
    int room, at = 0;
    sem_mpi.Pack_size(operation->origin_count, operation->origin_type, MPI_COMM_SELF, &room);
    void *copy = malloc((size_t)room + 1);
    if (!copy) sem_fail("out of memory");
    sem_mpi.Pack(operation->origin, operation->origin_count, operation->origin_type, copy, room, &at, MPI_COMM_SELF);
    *packed = at;
    return copy;
}

/* A predefined type without gaps needs no packing: its elements lie side by side. */
static bool is_plain(MPI_Datatype type)
{
    int size;
    MPI_Aint low, extent;
    if (!is_named(type) || type == MPI_PACKED) return false;
    sem_mpi.Type_size(type, &size);
    sem_mpi.Type_get_extent(type, &low, &extent);
    return size == extent;
}

static void copy_plain(struct sem_item *item, size_t bytes)
{
    bool fits = spare && spare_room >= bytes;
    item->copy = fits ? spare : malloc(bytes + 1);
    item->copy_room = fits ? spare_room : bytes + 1;
    if (!item->copy) sem_fail("out of memory");
    if (fits) spare = NULL, spare_room = 0;
    if (bytes > 0) memcpy(item->copy, item->operation.origin, bytes);
}

/* Packed pairs such as MPI_DOUBLE_INT lack the gaps that they have in memory. */
static void *unpack_data(void *packed, int bytes, MPI_Datatype basic, int *count)
{
    int size, at = 0;
    MPI_Aint low, extent;
    sem_mpi.Type_size(basic, &size);
    sem_mpi.Type_get_extent(basic, &low, &extent);
    *count = size > 0 ? bytes / size : 0;
    void *copy = malloc((size_t)*count * (size_t)extent + 1);
    if (!copy) sem_fail("out of memory");
    sem_mpi.Unpack(packed, bytes, &at, copy, *count, basic, MPI_COMM_SELF);
    free(packed);
    return copy;
}

/* up to this size applying costs MPICH 4.0.2 no more than a put */
enum { REPLACE_BYTES_MOST = 57343 };

/* The type with which an accumulate with MPI_REPLACE has the effect of the put; MPI_DATATYPE_NULL: none. A larger put
 * leaves in parts, which only a predefined target type allows. */
static MPI_Datatype replace_type(const struct sem_operation *operation, int64_t bytes)
{
    int size;
    MPI_Aint low, extent;
    MPI_Datatype type = basic_type(operation->origin_type);
    if (type == MPI_DATATYPE_NULL || type == MPI_PACKED || basic_type(operation->target_type) != type ||
        (bytes > REPLACE_BYTES_MOST && !is_named(operation->target_type)))
        return MPI_DATATYPE_NULL;
    sem_mpi.Type_size(type, &size);
    sem_mpi.Type_get_extent(type, &low, &extent);
    return size == extent ? type : MPI_DATATYPE_NULL;
}

/* Copies the data as count consecutive elements of that type. */
static void copy_elements(struct sem_item *item, MPI_Datatype type, int64_t bytes, int *count)
{
    const struct sem_operation *operation = &item->operation;
    int packed;
    *count = operation->origin_count;
    if (is_plain(operation->origin_type)) {
        copy_plain(item, (size_t)bytes);
        return;
    }
    void *copy = pack_data(operation, &packed);
    item->copy = unpack_data(copy, packed, type, count);
}

bool sem_item_copy(struct sem_item *item)
{
    struct sem_operation *operation = &item->operation;
    int64_t bytes = sem_item_bytes(operation);
    bool put = operation->kind == SEM_PUT;
    MPI_Datatype type = put ? replace_type(operation, bytes) : basic_type(operation->origin_type);
    int count;
    if (bytes < 0 || (!put && type == MPI_DATATYPE_NULL)) return false;
    if (type == MPI_DATATYPE_NULL) { /* a put that leaves as one */
        item->copy = pack_data(operation, &count);
        type = MPI_BYTE;
    } else {
        copy_elements(item, type, bytes, &count);
        item->acknowledged = true;
        item->in_parts = put && bytes > REPLACE_BYTES_MOST;
        if (put) operation->kind = SEM_ACCUMULATE;
        if (put) operation->op = MPI_REPLACE;
    }
    if (item->held_origin) sem_mpi.Type_free(&operation->origin_type);
    item->held_origin = false;
    operation->origin = item->copy;
    operation->origin_type = type;
    operation->origin_count = count;
    item->copy_bytes = bytes;
    sem_copied_bytes += bytes;
    return true;
}

static MPI_Request *add_request(struct sem_item *item)
{
    if (!item->requests) item->requests = calloc(1, sizeof *item->requests);
    if (!item->requests) sem_fail("out of memory");
    return &item->requests[item->request_count++];
}

/* A large put: accumulates that are each applied at the cost of a put. */
static void issue_parts(struct sem_item *item, MPI_Win window, MPI_Aint disp)
{
    const struct sem_operation *o = &item->operation;
    int size;
    sem_mpi.Type_size(o->origin_type, &size);
    int most = REPLACE_BYTES_MOST / size;
    item->requests = calloc((size_t)(o->origin_count / most + 1), sizeof *item->requests);
    if (!item->requests) sem_fail("out of memory");
    for (int at = 0; at < o->origin_count; at += most) {
        int count = o->origin_count - at < most ? o->origin_count - at : most;
        MPI_Aint offset = (MPI_Aint)at * size;
        sem_mpi.Raccumulate((const char *)o->origin + offset, count, o->origin_type, o->target, disp + offset, count,
                            o->origin_type, o->op, window, add_request(item));
    }
}

void sem_item_issue(struct sem_item *item, struct sem_window *window)
{
    const struct sem_operation *o = &item->operation;
    struct sem_peer *peer = &window->peers[o->target];
    MPI_Aint disp = o->disp * peer->unit + peer->shift;
    peer->issued = true;
    if (item->acknowledged)
        peer->leaving++;
    else
        peer->unflushed = true;
    if (!item->copy) {
        sem_operation_issue(o, window->own, disp);
        sem_item_free(item);
        return;
    }
    if (item->in_parts)
        issue_parts(item, window->own, disp);
    else if (o->kind == SEM_PUT)
        sem_mpi.Rput(o->origin, o->origin_count, o->origin_type, o->target, disp, o->target_count, o->target_type,
                     window->own, add_request(item));
    else
        sem_mpi.Raccumulate(o->origin, o->origin_count, o->origin_type, o->target, disp, o->target_count, o->target_type,
                            o->op, window->own, add_request(item));
    item->to = peer;
    item->next = leaving;
    leaving = item;
}

static bool has_left(struct sem_item *item)
{
    int left = true;
    for (int i = 0; left && i < item->request_count; i++) sem_mpi.Test(&item->requests[i], &left, MPI_STATUS_IGNORE);
    return left;
}

void sem_copies_poll(void)
{
    struct sem_item **at = &leaving;
    while (*at) {
        struct sem_item *item = *at;
        if (has_left(item)) {
            *at = item->next;
            item->to->leaving -= item->acknowledged;
            sem_item_free(item);
        } else {
            at = &item->next;
        }
    }
}

void sem_queue_add(struct sem_queue *queue, struct sem_item *item)
{
    item->next = NULL;
    *queue->end = item;
    queue->end = &item->next;
    queue->operations += !item->tells;
}

struct sem_item *sem_queue_take(struct sem_queue *queue)
{
    struct sem_item *item = queue->first;
    queue->first = item->next;
    if (!queue->first) queue->end = &queue->first;
    queue->operations -= !item->tells;
    return item;
}
