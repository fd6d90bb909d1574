#include "mpi/reading.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "common/array.h"
#include "common/bytes.h"
#include "model/slices/slices.h"
#include "trace/open.h"
#include "trace/steps.h"

enum { TAG_COMMAND = 1, TAG_BATCH, AHEAD = 4 /* batches of each rank */, PAUSE_NS = 20000, TRIES = 200, MASTER = 0 };

/* READ: a batch of the rank was taken, so the next one may come. */
enum command_kind { COMMAND_OPEN, COMMAND_READ, COMMAND_CLOSE, COMMAND_END };
struct command {
    uint32_t kind, rank;
    uint32_t end; /* of OPEN: the reader has the ranks from `rank` on before this one */
    char path[];
};

#define NO_RANK UINT32_MAX /* the answer to CLOSE */

/* A batch on its way: the head; events and calls of receives that were sent before and are complete now; new calls with what
 * belongs to them; the extents of those with gaps; the windows that they create; the lists of requests that they name. */
struct batch {
    uint32_t rank;
    enum status status; /* a failure has its struct err alone */
    bool ended, incomplete, core_waits, sims, befores[BEFORE_COUNT];
    uint64_t known, calls, gaps, windows, lists, requests;
    int64_t sum_ps[BEFORE_COUNT];
};

/* Libraries of MPI wait with all the processor has; who waits long lets the other processes of the machine work. */
static void probe_message(int source, int tag, bool wait, int *there, MPI_Status *status)
{
    static const struct timespec pause = {.tv_nsec = PAUSE_NS};
    *there = 0;
    for (int tries = 0; !*there && (wait || tries == 0); tries++) {
        MPI_Iprobe(source, tag, MPI_COMM_WORLD, there, status);
        if (!*there && tries >= TRIES) nanosleep(&pause, NULL);
    }
}

/* --- the readers --- */

struct sending {
    MPI_Request request;
    struct bytes bytes;
};

struct reader {
    struct trace_source source;
    enum status status; /* of the first failure: nothing is read behind it */
    struct err err;
    bool *ended;      /* per rank */
    uint32_t *wanted; /* a ring of ranks, in the order of their turns */
    size_t wanted_first, wanted_count, wanted_capacity, calls;
    struct sending *sendings;
    size_t sending_count, sending_capacity;
};

/* The rank's part of a window, which readers find where it is created. */
struct window_part {
    int64_t bytes; /* -1: not known */
    int32_t window;
    char flavor;
};

static bool makes_window(const struct trace_call *call)
{
    return call_kind(call->call) == CALL_WIN_CREATE && call->handle != TRACE_NONE;
}

static enum status put_window(const struct trace *trace, uint32_t rank, int32_t number, struct bytes *bytes, struct err *err)
{
    const struct trace_window *window = &trace->definitions.windows[number];
    int32_t member = trace_comm_rank(&trace->definitions.comms[window->comm], (int32_t)rank);
    bool known = window->bytes && member != TRACE_NONE;
    const struct window_part part = {known ? window->bytes[member] : -1, number, window->flavor};
    return bytes_put(bytes, &part, sizeof part, err);
}

static enum status take_window(struct trace *trace, uint32_t rank, const struct window_part *part, struct err *err)
{
    struct trace_window *window = &trace->definitions.windows[part->window];
    const struct trace_comm *comm = &trace->definitions.comms[window->comm];
    window->flavor = part->flavor;
    if (part->bytes < 0) return STATUS_OK;
    if (!window->bytes) {
        window->bytes = malloc(((size_t)comm->count + 1) * sizeof *window->bytes);
        if (!window->bytes) return err_memory(err);
        for (uint32_t i = 0; i < comm->count; i++) window->bytes[i] = -1;
    }
    window->bytes[trace_comm_rank(comm, (int32_t)rank)] = part->bytes;
    return STATUS_OK;
}

static enum status put_calls(const struct reader *reader, struct batch *head, struct bytes *bytes, struct err *err)
{
    const struct trace_definitions *definitions = &reader->source.trace->definitions;
    const struct trace_rank *process = &reader->source.trace->ranks[head->rank];
    const size_t kept = process->kept_count, calls = process->count - kept;
    for (size_t i = 0; i < kept; i++) head->known += !source_knows_less(&process->calls[i]);
    for (size_t i = kept; i < process->count; i++) {
        head->gaps += (process->calls[i].flags & TRACE_GAPS) != 0;
        head->windows += makes_window(&process->calls[i]);
    }
    head->calls = calls;
    head->lists = definitions->list_count;
    head->requests = definitions->request_count;
    head->incomplete = process->incomplete;
    head->core_waits = reader->source.trace->provenance.core_waits;
    head->sims = process->sim;
    for (int b = 0; b < BEFORE_COUNT; b++) head->befores[b] = process->before_ps[b];
    memcpy(head->sum_ps, process->before_sum_ps, sizeof head->sum_ps);
    TRY(bytes_put(bytes, head, sizeof *head, err));
    TRY(bytes_put_text(bytes, process->incomplete_why, err));
    for (size_t i = 0; i < kept; i++) {
        if (source_knows_less(&process->calls[i])) continue;
        TRY(bytes_put(bytes, &process->kept[i].event, sizeof process->kept[i].event, err));
        TRY(bytes_put(bytes, &process->calls[i], sizeof process->calls[i], err));
    }
    TRY(bytes_put(bytes, process->calls + kept, calls * sizeof *process->calls, err));
    if (head->sims) TRY(bytes_put(bytes, process->sim + kept, calls * sizeof *process->sim, err));
    for (int b = 0; b < BEFORE_COUNT; b++)
        if (head->befores[b]) TRY(bytes_put(bytes, process->before_ps[b] + kept, calls * sizeof(int64_t), err));
    for (size_t i = kept; i < process->count; i++) {
        const struct trace_extents extents = trace_call_extents(reader->source.trace, head->rank, i);
        if (process->calls[i].flags & TRACE_GAPS) TRY(bytes_put(bytes, &extents, sizeof extents, err));
    }
    for (size_t i = kept; i < process->count; i++)
        if (makes_window(&process->calls[i]))
            TRY(put_window(reader->source.trace, head->rank, process->calls[i].handle, bytes, err));
    TRY(bytes_put(bytes, definitions->lists, definitions->list_count * sizeof *definitions->lists, err));
    return bytes_put(bytes, definitions->requests, definitions->request_count * sizeof *definitions->requests, err);
}

static enum status read_batch(struct reader *reader, uint32_t rank, struct bytes *bytes)
{
    struct batch head = {.rank = rank};
    TRY(reader->source.read(&reader->source, rank, reader->calls, &head.ended, &reader->err));
    reader->ended[rank] = head.ended;
    TRY(put_calls(reader, &head, bytes, &reader->err));
    return source_drop_calls(&reader->source, rank, &reader->err);
}

static enum status send_bytes(struct reader *reader, struct bytes *bytes, struct err *err)
{
    size_t left = 0;
    for (size_t i = 0; i < reader->sending_count; i++) {
        int done;
        MPI_Test(&reader->sendings[i].request, &done, MPI_STATUS_IGNORE);
        if (done)
            bytes_clear(&reader->sendings[i].bytes);
        else
            reader->sendings[left++] = reader->sendings[i];
    }
    reader->sending_count = left;
    TRY(array_reserve((void **)&reader->sendings, &reader->sending_capacity, left + 1, sizeof *reader->sendings, err));
    struct sending *sending = &reader->sendings[reader->sending_count++];
    sending->bytes = *bytes;
    MPI_Isend(bytes->data, (int)bytes->count, MPI_BYTE, MASTER, TAG_BATCH, MPI_COMM_WORLD, &sending->request);
    return STATUS_OK;
}

/* The next rank's batch; where reading has failed, that. */
static void answer_next(struct reader *reader)
{
    const uint32_t rank = reader->wanted[reader->wanted_first];
    struct bytes bytes = {0};
    reader->wanted_first = (reader->wanted_first + 1) % reader->wanted_capacity;
    reader->wanted_count--;
    if (reader->status == STATUS_OK && reader->ended[rank]) return;
    if (reader->status == STATUS_OK) reader->status = read_batch(reader, rank, &bytes);
    if (reader->status != STATUS_OK) {
        const struct batch head = {.rank = rank, .status = reader->status};
        bytes_empty(&bytes);
        if (bytes_put(&bytes, &head, sizeof head, NULL) != STATUS_OK ||
            bytes_put(&bytes, &reader->err, sizeof reader->err, NULL) != STATUS_OK)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (send_bytes(reader, &bytes, &reader->err) != STATUS_OK) MPI_Abort(MPI_COMM_WORLD, 1);
}

static struct command *receive_command(bool wait)
{
    int there, bytes;
    MPI_Status status;
    probe_message(MASTER, TAG_COMMAND, wait, &there, &status);
    if (!there) return NULL;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    struct command *command = malloc((size_t)bytes);
    if (!command) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Recv(command, bytes, MPI_BYTE, MASTER, TAG_COMMAND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return command;
}

static void want_batch(struct reader *reader, uint32_t rank)
{
    reader->wanted[(reader->wanted_first + reader->wanted_count++) % reader->wanted_capacity] = rank;
}

static enum status begin_reading(struct reader *reader, const char *path)
{
    bool possible = false;
    uint64_t records;
    TRY(trace_open_source(path, &reader->source, &possible, &records, &reader->err));
    if (!possible) return err_set(&reader->err, STATUS_DATA, path, NULL, "has changed while it is read");
    const uint32_t ranks = reader->source.trace->rank_count;
    reader->source.adds_before = trace_steps_are_known(reader->source.trace);
    reader->source.batch = SOURCE_BATCH; /* a message each */
    reader->calls = slice_batch(slice_calls(&reader->source), ranks);
    reader->ended = calloc((size_t)ranks + 1, sizeof *reader->ended);
    return reader->ended ? STATUS_OK : err_memory(&reader->err);
}

static void serve_archive(const struct command *asked)
{
    struct reader reader = {.status = STATUS_OK};
    struct bytes last = {0};
    const struct batch closed = {.rank = NO_RANK};
    reader.status = begin_reading(&reader, asked->path);
    reader.wanted_capacity = (size_t)(asked->end - asked->rank) * AHEAD + 1;
    reader.wanted = malloc(reader.wanted_capacity * sizeof *reader.wanted);
    if (!reader.wanted) MPI_Abort(MPI_COMM_WORLD, 1);
    for (uint32_t turn = 0; turn < AHEAD; turn++)
        for (uint32_t r = asked->rank; r < asked->end; r++) want_batch(&reader, r);
    for (bool open = true; open;) {
        struct command *command = receive_command(reader.wanted_count == 0);
        if (!command) {
            answer_next(&reader);
            continue;
        }
        open = command->kind != COMMAND_CLOSE;
        if (open) want_batch(&reader, command->rank);
        free(command);
    }
    if (bytes_put(&last, &closed, sizeof closed, NULL) != STATUS_OK || send_bytes(&reader, &last, NULL) != STATUS_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < reader.sending_count; i++) {
        MPI_Wait(&reader.sendings[i].request, MPI_STATUS_IGNORE);
        bytes_clear(&reader.sendings[i].bytes);
    }
    source_close(&reader.source);
    FREE_ALL(reader.sendings, reader.wanted, reader.ended);
}

void reading_serve(void)
{
    for (bool ends = false; !ends;) {
        struct command *command = receive_command(true);
        ends = command->kind == COMMAND_END;
        if (!ends) serve_archive(command);
        free(command);
    }
}

/* --- process 0 --- */

struct waiting { /* batches of a rank that were received and not taken */
    struct bytes items[AHEAD];
    unsigned count;
};

struct reading {
    struct trace_source own; /* without calls: definitions, and the trace */
    uint32_t readers;
    struct waiting *waiting; /* per rank */
};

/* The first rank of a reader; that of reader `count` is rank_count. */
static uint32_t first_rank(uint32_t rank_count, uint32_t reader, uint32_t count)
{
    return (uint32_t)((uint64_t)rank_count * reader / count);
}

static void send_command(uint32_t reader, const struct command *command, size_t bytes)
{
    MPI_Send(command, (int)bytes, MPI_BYTE, (int)reader + 1, TAG_COMMAND, MPI_COMM_WORLD);
}

static uint32_t reader_of(const struct reading *reading, uint32_t rank)
{
    const uint32_t ranks = reading->own.trace->rank_count;
    uint32_t reader = (uint32_t)((uint64_t)rank * reading->readers / ranks);
    while (first_rank(ranks, reader + 1, reading->readers) <= rank) reader++;
    return reader;
}

/* Receives what comes next from a reader. *rank is whose it is. */
static enum status receive_batch(struct reading *reading, uint32_t reader, uint32_t *rank, struct err *err)
{
    int there, count;
    MPI_Status status;
    struct bytes bytes = {0};
    probe_message((int)reader + 1, TAG_BATCH, true, &there, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    TRY(array_reserve((void **)&bytes.data, &bytes.capacity, (size_t)count, 1, err));
    bytes.count = (size_t)count;
    MPI_Recv(bytes.data, count, MPI_BYTE, (int)reader + 1, TAG_BATCH, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(rank, bytes.data + offsetof(struct batch, rank), sizeof *rank);
    if (*rank == NO_RANK)
        bytes_clear(&bytes);
    else
        reading->waiting[*rank].items[reading->waiting[*rank].count++] = bytes;
    return STATUS_OK;
}

/* Receives that were read before and are known now: those that are not here any more have no further use. */
static void replace_known(struct trace_rank *process, uint64_t event, const struct trace_call *call)
{
    if (event >= process->first_event) {
        process->calls[process->kept_count + (event - process->first_event)] = *call;
        return;
    }
    for (size_t low = 0, high = process->kept_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (process->kept[middle].event == event) {
            process->calls[middle] = *call;
            return;
        }
        if (process->kept[middle].event < event) low = middle + 1;
        else high = middle;
    }
}

/* What belongs to the calls of a batch; NULL: none. */
struct beside {
    struct trace_sim *sims;
    int64_t *before_ps[BEFORE_COUNT];
    struct trace_extents *extents; /* of calls with gaps */
};

static enum status add_calls(struct trace *trace, const struct batch *head, const struct trace_call *calls,
                             const struct beside *beside, struct err *err)
{
    struct trace_rank *process = &trace->ranks[head->rank];
    const uint32_t first_list = (uint32_t)(trace->definitions.list_count - head->lists);
    size_t gaps = 0;
    for (size_t i = 0; i < head->calls; i++) {
        struct trace_call call = calls[i];
        if (call_row(call.call)->needed & F_REQS) call.completion.list += first_list;
        TRY(trace_add_call(trace, head->rank, &call, err));
        if (head->sims) process->sim[process->count - 1] = beside->sims[i];
        for (int b = 0; b < BEFORE_COUNT; b++)
            if (head->befores[b] && beside->before_ps[b][i] != TRACE_UNKNOWN_PS)
                TRY(trace_set_before(trace, head->rank, process->count - 1, (enum trace_before)b, beside->before_ps[b][i], err));
        if (call.flags & TRACE_GAPS)
            TRY(trace_set_extents(trace, head->rank, process->count - 1, &beside->extents[gaps++], err));
    }
    memcpy(process->before_sum_ps, head->sum_ps, sizeof head->sum_ps);
    process->incomplete = process->incomplete || head->incomplete;
    trace->provenance.core_waits = trace->provenance.core_waits || head->core_waits;
    return STATUS_OK;
}

/* Lists of a batch begin with number 0. */
static enum status add_lists(struct trace *trace, const struct batch *head, const struct trace_list *lists,
                             const uint32_t *requests, struct err *err)
{
    uint32_t ignored;
    for (size_t i = 0; i < head->lists; i++)
        TRY(trace_add_list(trace, requests + lists[i].first, lists[i].count, &ignored, err));
    return STATUS_OK;
}

/* What follows the head is read in place: bytes of another process on the same kind of machine. */
static enum status take_batch(struct trace *trace, struct bytes *bytes, const struct batch *head, struct err *err)
{
    struct trace_rank *process = &trace->ranks[head->rank];
    struct trace_call *calls = NULL;
    struct beside beside = {.sims = NULL};
    struct trace_list *lists = NULL;
    uint32_t *requests = NULL;
    char *why;
    TRY(bytes_take_text(bytes, &why, err));
    free(process->incomplete_why);
    process->incomplete_why = why;
    for (uint64_t i = 0; i < head->known; i++) {
        uint64_t event;
        struct trace_call call;
        bytes_take(bytes, &event, sizeof event);
        bytes_take(bytes, &call, sizeof call);
        replace_known(process, event, &call);
    }
    enum status status = bytes_take_array(bytes, head->calls, sizeof *calls, (void **)&calls, err);
    if (status == STATUS_OK && head->sims)
        status = bytes_take_array(bytes, head->calls, sizeof *beside.sims, (void **)&beside.sims, err);
    for (int b = 0; status == STATUS_OK && b < BEFORE_COUNT; b++)
        if (head->befores[b])
            status = bytes_take_array(bytes, head->calls, sizeof(int64_t), (void **)&beside.before_ps[b], err);
    if (status == STATUS_OK)
        status = bytes_take_array(bytes, head->gaps, sizeof *beside.extents, (void **)&beside.extents, err);
    for (size_t w = 0; status == STATUS_OK && w < head->windows; w++) {
        struct window_part part;
        bytes_take(bytes, &part, sizeof part);
        status = take_window(trace, head->rank, &part, err);
    }
    if (status == STATUS_OK) status = bytes_take_array(bytes, head->lists, sizeof *lists, (void **)&lists, err);
    if (status == STATUS_OK) status = bytes_take_array(bytes, head->requests, sizeof *requests, (void **)&requests, err);
    if (status == STATUS_OK) status = add_lists(trace, head, lists, requests, err);
    if (status == STATUS_OK) status = add_calls(trace, head, calls, &beside, err);
    for (int b = 0; b < BEFORE_COUNT; b++) free(beside.before_ps[b]);
    FREE_ALL(calls, beside.sims, beside.extents, lists, requests);
    return status;
}

static enum status read_rank(struct trace_source *source, uint32_t rank, size_t calls, bool *ended, struct err *err)
{
    struct reading *reading = source->state;
    struct waiting *waiting = &reading->waiting[rank];
    const size_t wanted = source->trace->ranks[rank].count + calls;
    const uint32_t reader = reader_of(reading, rank);
    for (*ended = false; !*ended && source->trace->ranks[rank].count < wanted;) {
        struct batch head;
        uint32_t other;
        while (waiting->count == 0) TRY(receive_batch(reading, reader, &other, err));
        struct bytes bytes = waiting->items[0];
        memmove(waiting->items, waiting->items + 1, --waiting->count * sizeof bytes);
        bytes_take(&bytes, &head, sizeof head);
        if (head.status != STATUS_OK && err) bytes_take(&bytes, err, sizeof *err);
        const enum status status = head.status == STATUS_OK ? take_batch(source->trace, &bytes, &head, err) : head.status;
        bytes_clear(&bytes);
        TRY(status);
        *ended = head.ended;
        const struct command next = {.kind = COMMAND_READ, .rank = rank};
        if (!*ended) send_command(reader, &next, sizeof next);
    }
    return STATUS_OK;
}

/* The readers may wait for their batches to be received. */
static void close_reading(struct trace_source *source)
{
    struct reading *reading = source->state;
    const struct command close = {.kind = COMMAND_CLOSE};
    for (uint32_t p = 0; p < reading->readers; p++) {
        uint32_t rank = 0;
        send_command(p, &close, sizeof close);
        while (rank != NO_RANK) {
            if (receive_batch(reading, p, &rank, NULL) != STATUS_OK) MPI_Abort(MPI_COMM_WORLD, 1);
            if (rank == NO_RANK) break;
            bytes_clear(&reading->waiting[rank].items[--reading->waiting[rank].count]);
        }
    }
    for (uint32_t r = 0; r < reading->own.trace->rank_count; r++)
        for (unsigned i = 0; i < reading->waiting[r].count; i++) bytes_clear(&reading->waiting[r].items[i]);
    source->trace = NULL; /* it is freed with that which defined it */
    source_close(&reading->own);
    FREE_ALL(reading->waiting, reading);
}

enum status reading_open(const char *path, struct trace_source *source, bool *possible, uint64_t *records, struct err *err)
{
    int count;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    TRY(trace_open_source(path, source, possible, records, err));
    if (!*possible || count == 1) return STATUS_OK;
    const size_t bytes = sizeof(struct command) + strlen(path) + 1;
    struct reading *made = calloc(1, sizeof *made);
    struct waiting *waiting = calloc((size_t)source->trace->rank_count + 1, sizeof *waiting);
    struct command *open = calloc(1, bytes);
    if (!made || !waiting || !open) {
        FREE_ALL(made, waiting, open);
        source_close(source);
        return err_memory(err);
    }
    *made = (struct reading){.own = *source, .readers = (uint32_t)count - 1, .waiting = waiting};
    *source = (struct trace_source){.trace = made->own.trace, .state = made, .read = read_rank, .close = close_reading};
    open->kind = COMMAND_OPEN;
    strcpy(open->path, path);
    for (uint32_t p = 0; p < made->readers; p++) {
        open->rank = first_rank(source->trace->rank_count, p, made->readers);
        open->end = first_rank(source->trace->rank_count, p + 1, made->readers);
        send_command(p, open, bytes);
    }
    free(open);
    return STATUS_OK;
}

void reading_end(void)
{
    int count;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    const struct command end = {.kind = COMMAND_END};
    for (int p = 1; p < count; p++) send_command((uint32_t)p - 1, &end, sizeof end);
}
