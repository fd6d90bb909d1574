/* plans TRACE DIRECTORY: of each collective call of the trace the messages that a replay sends for it, against those that
 * MPICH sent (DIRECTORY/sent.R, a line per call of rank R): as many, in the same order, of the same bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/collectives/collective.h"
#include "trace/open.h"

enum { MESSAGES_MAX = 4096, LINE_BYTES_MAX = 65536 };

struct messages {
    int64_t bytes[MESSAGES_MAX];
    size_t count;
};

/* MPICH sends a rank the edges that it names of itself, too: bytes of those that end there, or begin. */
static int64_t own_edges(const struct coll_shape *shape, uint32_t rank, bool ends)
{
    int64_t bytes = 0;
    const int64_t *at = ends ? shape->neighbors.destinations : shape->neighbors.sources;
    for (uint32_t i = 0; i < shape->neighbors.source_count; i++) bytes += at[i] == (int64_t)rank ? 8 : 0;
    return bytes;
}

static void add_plan(const struct replay *replay, uint32_t rank, int32_t comm, const struct coll_shape *shape,
                     struct messages *messages)
{
    uint32_t own = (uint32_t)trace_comm_rank(&replay->trace->definitions.comms[comm], (int32_t)rank);
    struct coll_step step;
    for (uint32_t number = 0; coll_step(shape, own, number, &step); number++) {
        bool kept = shape->algorithm == COLL_EDGES && number / 2 == own;
        int64_t bytes = kept ? own_edges(shape, rank, number % 2 == 0) : step.send_bytes;
        if ((kept ? bytes > 0 : step.send_to >= 0) && messages->count < MESSAGES_MAX)
            messages->bytes[messages->count++] = bytes;
    }
}

static void plan(struct replay *replay, uint32_t rank, const struct trace_call *call, struct messages *messages)
{
    int32_t comm;
    struct coll_shape shape;
    messages->count = 0;
    if (call_kind(call->call) != CALL_COMM_CREATE) {
        shape = replay_shape_of(replay, call);
        if (replay_learn_peer_counts(replay, rank, call, &shape) != STATUS_OK) exit(1);
        add_plan(replay, rank, call->handle, &shape, messages);
        return;
    }
    for (uint32_t part = 0; replay_comm_part(replay, rank, call, part, &comm, &shape); part++) {
        if (comm == TRACE_NONE) continue;
        if (shape.algorithm == COLL_EDGES && replay_learn_peer_counts(replay, rank, call, &shape) != STATUS_OK) exit(1);
        add_plan(replay, rank, comm, &shape, messages);
    }
}

static void read_sent(char *line, struct messages *messages)
{
    messages->count = 0;
    for (char *word = strtok(line, " \n"); word && messages->count < MESSAGES_MAX; word = strtok(NULL, " \n"))
        messages->bytes[messages->count++] = strtoll(word, NULL, 10);
}

/* What MPICH parts into elements a replay parts into bytes: the halves of halves differ by elements of 8 bytes. */
enum { ELEMENT_BYTES = 8, DERIVED = 1 };

static bool is_reduction(enum call_kind kind)
{
    return kind == CALL_REDUCE || kind == CALL_ALLREDUCE || kind == CALL_COMM_CREATE;
}

/* Nothing is moved, and MPICH leaves out messages where a replay sends empty ones (coll_moves_nothing). */
static bool sends_less(const struct trace_call *call, const struct messages *sent, const struct messages *planned)
{
    return call->bytes == 0 && !(call_row(call->call)->needed & F_BYTES) && sent->count < planned->count;
}

static bool agrees(const struct trace_call *call, const struct messages *sent, const struct messages *planned)
{
    enum call_kind kind = call_kind(call->call);
    if (sends_less(call, sent, planned)) return true;
    /* MPICH's all-to-all sends a rank its own block, too, as a message that never meets a network. */
    bool to_all = kind == CALL_ALLTOALL || kind == CALL_ALLTOALLV;
    size_t own = to_all && sent->count == planned->count + 1 ? 1 : 0;
    if (sent->count != planned->count + own) return false;
    for (size_t i = 0; i < planned->count; i++) {
        int64_t allowed = is_reduction(kind) ? ELEMENT_BYTES : 0;
        bool derived = (kind == CALL_GATHER || kind == CALL_ALLGATHER) && sent->bytes[i] == DERIVED;
        if (!derived && llabs(sent->bytes[i] - planned->bytes[i]) > allowed) return false;
    }
    return true;
}

static void print_messages(const char *who, const struct messages *messages)
{
    printf("  %s:", who);
    for (size_t i = 0; i < messages->count; i++) printf(" %" PRId64, messages->bytes[i]);
    printf("\n");
}

static bool compare_rank(struct replay *replay, uint32_t rank, FILE *file, size_t *compared)
{
    static char line[LINE_BYTES_MAX];
    static struct messages sent, planned;
    bool good = true;
    const struct trace_rank *process = &replay->trace->ranks[rank];
    for (size_t i = 0; i < process->count; i++) {
        const struct trace_call *call = &process->calls[i];
        if (!fgets(line, sizeof line, file)) return false;
        read_sent(line, &sent);
        plan(replay, rank, call, &planned);
        *compared += sent.count;
        if (agrees(call, &sent, &planned)) continue;
        printf("rank %" PRIu32 ", event %zu (%s) of %" PRId64 " bytes\n", rank, i + 1, call_name(call->call),
               call->bytes);
        print_messages("MPICH", &sent);
        print_messages("plan", &planned);
        good = false;
    }
    return good;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    struct trace *trace;
    struct platform platform = {.control_bytes = 0};
    bool good = true;
    size_t compared = 0;
    if (argc != 3) return 2;
    if (trace_open(argv[1], &trace, &err) != STATUS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    struct replay replay = {.trace = trace, .recorded = trace, .platform = &platform, .err = &err};
    for (uint32_t rank = 0; rank < trace->rank_count; rank++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/sent.%" PRIu32, argv[2], rank);
        FILE *file = fopen(path, "r");
        good = file && compare_rank(&replay, rank, file, &compared) && good;
        if (file) fclose(file);
    }
    printf("%zu messages\n", compared);
    replay_clear_peer_counts(&replay);
    trace_free(trace);
    return good && compared > 0 ? 0 : 1;
}
