/* messages [tcp]: makes each one-sided call of MPICH between two ranks, and compares what both hand to UCX, and with
 * tcp what UCX sends, with rows. Rank 0 is the origin, rank 1 the target.
 *
 * The rows (messages.def) are written from the sources of MPICH 4.0.2 and UCX 1.13.1; docs/protocols.md names file and
 * function. A row has what a rank hands to UCX and what UCX sends for it, as words:
 *   NAME:BYTES     a call or message; BYTES a number, n (the operation's bytes), n+88, or * (not compared)
 *   NAME/PART:n    n bytes in fragments of at most PART bytes; NAME/PART: as many, without bytes
 *   .NAME          to itself
 *   NAME?          may be missing: UCX's flush of all sends nothing if everything has been acknowledged
 * Bytes of MPICH's active messages are its header of 16 bytes, the operation's structure (ch4_types.h) and the data. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/protocols/handed.h"

enum { BYTES_MAX = 1 << 20, STEP_TAG = 7 };

static bool by_tcp;
static int rank, compared, wrong, missing; /* missing: words with ? that did not come */
static MPI_Win window;
static MPI_Group partner;
static MPI_Aint partner_base; /* of the dynamic window */
static char *in, *out, *base, *shared;

enum stage { MAKING, UNCHECKED, EPOCHS, AFTER_UNCHECKED, FREEING, MAKING_DYNAMIC, DYNAMIC, MAKING_SHARED, SHARED, SENDS };
enum who { ORIGIN, BOTH, UNORDERED };

struct row {
    const char *name;
    void (*call)(int n);
    enum stage stage;
    enum who who;
    int n_most;
    const char *handed[2], *sent[2];
};

#define CALL(NAME, ...)                                                                                                \
    static void NAME(int n)                                                                                            \
    {                                                                                                                  \
        (void)n;                                                                                                       \
        __VA_ARGS__;                                                                                                   \
    }

#define PUT(TO)        MPI_Put(in, n, MPI_BYTE, TO, 0, n, MPI_BYTE, window)
#define GET            MPI_Get(out, n, MPI_BYTE, 1, 0, n, MPI_BYTE, window)
#define ACCUMULATE(TO) MPI_Accumulate(in, n / 8, MPI_DOUBLE, TO, 0, n / 8, MPI_DOUBLE, MPI_SUM, window)
#define FLUSH          MPI_Win_flush(1, window)
#define LOCK(TO, HOW)  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TO, HOW, window)
#define UNLOCK(TO)     MPI_Win_unlock(TO, window)

CALL(put_flush_local, PUT(1); MPI_Win_flush_local(1, window))
CALL(put_flush, PUT(1); FLUSH)
CALL(put_flush_twice, PUT(1); FLUSH; FLUSH)
CALL(put_flush_all, PUT(1); MPI_Win_flush_all(window))
CALL(get_flush, GET; FLUSH)
CALL(get_flush_local, GET; MPI_Win_flush_local(1, window); FLUSH)
CALL(put_flush_local_all, PUT(1); MPI_Win_flush_local_all(window))
CALL(get_flush_local_all, GET; MPI_Win_flush_local_all(window))
CALL(get_flush_all, GET; MPI_Win_flush_all(window))
CALL(accumulate, ACCUMULATE(1); FLUSH)
CALL(accumulate_local, ACCUMULATE(1); MPI_Win_flush_local(1, window); MPI_Win_flush_all(window))
CALL(put_own, PUT(0); MPI_Win_flush(0, window))
CALL(accumulate_own, ACCUMULATE(0); MPI_Win_flush(0, window))
CALL(get_accumulate,
     MPI_Get_accumulate(in, n / 8, MPI_DOUBLE, out, n / 8, MPI_DOUBLE, 1, 0, n / 8, MPI_DOUBLE, MPI_SUM, window);
     FLUSH)
CALL(get_by_no_op,
     MPI_Get_accumulate(NULL, 0, MPI_DOUBLE, out, n / 8, MPI_DOUBLE, 1, 0, n / 8, MPI_DOUBLE, MPI_NO_OP, window);
     FLUSH)
CALL(fetch_and_op, MPI_Fetch_and_op(in, out, MPI_DOUBLE, 1, 0, MPI_SUM, window); FLUSH)
CALL(compare_and_swap, MPI_Compare_and_swap(in, in, out, MPI_LONG, 1, 0, window); FLUSH)

#define WAITED(CALLED)                                                                                                 \
    MPI_Request request;                                                                                               \
    CALLED;                                                                                                            \
    MPI_Wait(&request, MPI_STATUS_IGNORE)
CALL(rput, WAITED(MPI_Rput(in, n, MPI_BYTE, 1, 0, n, MPI_BYTE, window, &request)))
CALL(rget, WAITED(MPI_Rget(out, n, MPI_BYTE, 1, 0, n, MPI_BYTE, window, &request)))
CALL(raccumulate, WAITED(MPI_Raccumulate(in, n / 8, MPI_DOUBLE, 1, 0, n / 8, MPI_DOUBLE, MPI_SUM, window, &request)))
CALL(rget_accumulate, WAITED(MPI_Rget_accumulate(in, n / 8, MPI_DOUBLE, out, n / 8, MPI_DOUBLE, 1, 0, n / 8, MPI_DOUBLE,
                                                 MPI_SUM, window, &request)))

/* n bytes in blocks of 4 with gaps of 4. */
#define WITH_GAPS(CALLED)                                                                                              \
    MPI_Datatype gaps;                                                                                                 \
    MPI_Type_vector(n / 4, 4, 8, MPI_BYTE, &gaps);                                                                     \
    MPI_Type_commit(&gaps);                                                                                            \
    CALLED;                                                                                                            \
    FLUSH;                                                                                                             \
    MPI_Type_free(&gaps)
CALL(put_from_gaps, WITH_GAPS(MPI_Put(in, 1, gaps, 1, 0, n, MPI_BYTE, window)))
CALL(put_into_gaps, WITH_GAPS(MPI_Put(in, n, MPI_BYTE, 1, 0, 1, gaps, window)))
CALL(get_from_gaps, WITH_GAPS(MPI_Get(out, n, MPI_BYTE, 1, 0, 1, gaps, window)))
CALL(get_into_gaps, WITH_GAPS(MPI_Get(out, 1, gaps, 1, 0, n, MPI_BYTE, window)))

CALL(lock_shared, MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window); UNLOCK(1))
CALL(lock_exclusive, LOCK(1, 0); UNLOCK(1))
CALL(lock_own, LOCK(0, 0); UNLOCK(0))
CALL(lock_put, LOCK(1, 0); PUT(1); UNLOCK(1))
CALL(lock_get, LOCK(1, 0); GET; UNLOCK(1))
CALL(lock_accumulate, LOCK(1, 0); ACCUMULATE(1); UNLOCK(1))
CALL(lock_unchecked, LOCK(1, MPI_MODE_NOCHECK); PUT(1); UNLOCK(1))
CALL(lock_all, MPI_Win_lock_all(0, window); MPI_Win_unlock_all(window))
CALL(lock_all_put, MPI_Win_lock_all(0, window); PUT(1); MPI_Win_unlock_all(window))
CALL(lock_all_unchecked, MPI_Win_lock_all(MPI_MODE_NOCHECK, window); MPI_Win_unlock_all(window))

#define EPOCH(HOW, OPERATION)                                                                                          \
    if (rank == 0) {                                                                                                   \
        MPI_Win_start(partner, HOW, window);                                                                           \
        OPERATION;                                                                                                     \
        MPI_Win_complete(window);                                                                                      \
    } else {                                                                                                           \
        MPI_Win_post(partner, HOW, window);                                                                            \
        MPI_Win_wait(window);                                                                                          \
    }
CALL(epoch, EPOCH(0, ))
CALL(
    epoch_tested,
    if (rank == 0) {
        MPI_Win_start(partner, 0, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(partner, 0, window);
        for (int flag = 0; !flag;) MPI_Win_test(window, &flag);
    })
CALL(epoch_unchecked, EPOCH(MPI_MODE_NOCHECK, ))
CALL(epoch_put, EPOCH(0, PUT(1)))
CALL(epoch_get, EPOCH(0, GET))
CALL(epoch_accumulate, EPOCH(0, ACCUMULATE(1)))

CALL(fence, MPI_Win_fence(0, window))
CALL(fence_first, MPI_Win_fence(MPI_MODE_NOPRECEDE, window))
CALL(fence_last, MPI_Win_fence(MPI_MODE_NOSUCCEED, window))
CALL(fence_promised, MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, window))
CALL(synchronise, MPI_Win_sync(window))
CALL(fence_alone, MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, window))
CALL(fence_put, if (rank == 0) PUT(1); MPI_Win_fence(0, window))
CALL(fence_get, if (rank == 0) GET; MPI_Win_fence(0, window))
CALL(fence_accumulate, if (rank == 0) ACCUMULATE(1); MPI_Win_fence(0, window))

CALL(create, MPI_Win_create(base, BYTES_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window))
CALL(allocate, MPI_Win_allocate(BYTES_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window))
CALL(allocate_shared,
     MPI_Win_allocate_shared(BYTES_MAX, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window))
CALL(create_dynamic, MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window))
CALL(free_window, MPI_Win_free(&window))
CALL(set_info, MPI_Info info; MPI_Info_create(&info); MPI_Win_set_info(window, info); MPI_Info_free(&info))
CALL(dynamic_put, MPI_Put(in, n, MPI_BYTE, 1, partner_base, n, MPI_BYTE, window); FLUSH)
CALL(dynamic_get, MPI_Get(out, n, MPI_BYTE, 1, partner_base, n, MPI_BYTE, window); FLUSH)

CALL(send, if (rank == 0) MPI_Send(in, n, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
     else MPI_Recv(out, n, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
CALL(send_large, send(BYTES_MAX))
CALL(ssend, if (rank == 0) MPI_Ssend(in, n, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
     else MPI_Recv(out, n, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE))

static const struct row rows[] = {
#define ROW(STAGE, NAME, CALL, WHO, MOST, HANDED_0, HANDED_1, SENT_0, SENT_1)                                          \
    {NAME, CALL, STAGE, WHO, MOST, {HANDED_0, HANDED_1}, {SENT_0, SENT_1}},
#include "tests/protocols/messages.def"
};

/* A word of a row, read. */
struct word {
    char name[32];
    size_t bytes;
    int count;
    bool to_self, any_bytes, in_fragments, optional;
};

static const char *read_word(const char *text, int n, struct word *word)
{
    int used = 0, part = 0, more = 0;
    *word = (struct word){.count = 1, .to_self = *text == '.'};
    text += word->to_self;
    sscanf(text, "%31[A-Za-z_]%n", word->name, &used);
    text += used;
    if (sscanf(text, "/%d%n", &part, &used) == 1) {
        word->count = (n + part - 1) / part;
        word->in_fragments = true;
        text += used;
    }
    if (*text == ':') {
        bool of_n = text[1] == 'n';
        word->any_bytes = text[1] == '*';
        text += of_n || word->any_bytes ? 2 : 1;
        if (sscanf(text, of_n ? "+%d%n" : "%d%n", &more, &used) == 1) text += used;
        word->bytes = (size_t)((of_n ? n : 0) + more);
    }
    word->optional = *text == '?';
    text += word->optional;
    return *text == ' ' ? text + 1 : text;
}

static bool is_word(const struct handed *row, const struct word *word)
{
    return strcmp(row->name, word->name) == 0 && row->to_self == word->to_self && row->count == word->count &&
           (word->any_bytes || row->bytes == word->bytes);
}

/* Takes the row of the list that the word expects: the first that is not taken, or any. */
static bool take_word(struct handed_list *list, bool *taken, const struct word *word, bool any)
{
    for (int i = 0; i < list->count; i++) {
        if (taken[i]) continue;
        if (is_word(&list->rows[i], word)) return taken[i] = true;
        if (!any) return false;
    }
    return false;
}

/* One row for all fragments of a name: in any order, other messages may stand between them. */
static void join_fragments(struct handed_list *list, const char *name)
{
    struct handed *first = NULL;
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        struct handed *row = &list->rows[i];
        if (first && strcmp(row->name, name) == 0) {
            first->bytes += row->bytes;
            first->count += row->count;
            continue;
        }
        list->rows[kept] = *row;
        if (!first && strcmp(row->name, name) == 0) first = &list->rows[kept];
        kept++;
    }
    list->count = kept;
}

static bool agrees(struct handed_list *list, const char *expected, int n, bool any)
{
    static bool taken[HANDED_MAX];
    memset(taken, 0, sizeof taken);
    int words = 0;
    struct word word;
    for (const char *text = expected; any && *text;) {
        text = read_word(text, n, &word);
        if (word.in_fragments) join_fragments(list, word.name);
    }
    for (; *expected; words++) {
        expected = read_word(expected, n, &word);
        if (take_word(list, taken, &word, any)) continue;
        if (!word.optional) return false;
        missing++;
        words--;
    }
    return words == list->count;
}

static void print_list(const char *title, const struct handed_list *list, const char *expected)
{
    printf("  %s:", title);
    for (int i = 0; i < list->count; i++) {
        const struct handed *row = &list->rows[i];
        printf(" %s%s:%zu", row->to_self ? "." : "", row->name, row->bytes);
        if (row->count > 1) printf(" in %d", row->count);
    }
    printf("\n  expected: %s\n", expected);
}

static void compare(const struct row *row, int n)
{
    bool any = row->who == UNORDERED && rank == 1;
    bool calls = agrees(&handed_calls, row->handed[rank], n, any);
    bool messages = !by_tcp || agrees(&handed_messages, row->sent[rank], n, any);
    compared++;
    if (calls && messages) return;
    wrong++;
    printf("rank %d, %s of %d bytes\n", rank, row->name, n);
    if (!calls) print_list("handed", &handed_calls, row->handed[rank]);
    if (!messages) print_list("sent", &handed_messages, row->sent[rank]);
    fflush(stdout);
}

static void drop_first(struct handed_list *list)
{
    if (list->count > 0) memmove(list->rows, list->rows + 1, (size_t)--list->count * sizeof *list->rows);
}

/* The barrier's own message is a rank's first. It is recorded, too, because the partner may begin before this rank has
 * left the barrier. */
static void step(const struct row *row, int n)
{
    handed_calls.count = handed_messages.count = 0;
    handed_on = true;
    MPI_Barrier(MPI_COMM_WORLD);
    if (row->who != ORIGIN || rank == 0) {
        row->call(n);
        handed_on = false;
    }
    if (row->who == ORIGIN && rank == 0) MPI_Send(NULL, 0, MPI_BYTE, 1, STEP_TAG, MPI_COMM_WORLD);
    if (row->who == ORIGIN && rank == 1) MPI_Recv(NULL, 0, MPI_BYTE, 0, STEP_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    handed_on = false;
    drop_first(&handed_calls);
    drop_first(&handed_messages);
    compare(row, n);
}

static void run(enum stage stage)
{
    static const int sizes[] = {8, 8192, 65536, BYTES_MAX};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].stage != stage) continue;
        if (rows[i].n_most == 0) step(&rows[i], 8);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if (sizes[s] <= rows[i].n_most) step(&rows[i], sizes[s]);
    }
}

static void run_unchecked(void)
{
    if (rank == 0) MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    run(UNCHECKED);
    if (rank == 0) MPI_Win_unlock_all(window);
}

static void run_dynamic(void)
{
    MPI_Aint own_base;
    run(MAKING_DYNAMIC);
    MPI_Win_attach(window, base, BYTES_MAX);
    MPI_Get_address(base, &own_base);
    MPI_Sendrecv(&own_base, 1, MPI_AINT, 1 - rank, 1, &partner_base, 1, MPI_AINT, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    run(DYNAMIC);
    if (rank == 0) MPI_Win_unlock_all(window);
    MPI_Win_detach(window, base);
    run(FREEING);
}

static void run_shared(void)
{
    run(MAKING_SHARED);
    if (rank == 0) MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    run(SHARED);
    if (rank == 0) MPI_Win_unlock_all(window);
    run(FREEING);
}

static void learn_own_endpoint(void)
{
    MPI_Request request;
    MPI_Irecv(out, 1, MPI_BYTE, rank, 1, MPI_COMM_WORLD, &request);
    MPI_Send(in, 1, MPI_BYTE, rank, 1, MPI_COMM_WORLD);
    handed_own_endpoint = handed_last_endpoint;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Group all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    by_tcp = argc > 1 && strcmp(argv[1], "tcp") == 0;
    in = calloc(2, BYTES_MAX);
    out = calloc(2, BYTES_MAX);
    char *own = base = aligned_alloc(4096, 2 * BYTES_MAX);
    if (size != 2 || !in || !out || !base) return 1;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){1 - rank}, &partner);
    learn_own_endpoint();
    run(MAKING);
    run_unchecked();
    run(EPOCHS);
    run(AFTER_UNCHECKED);
    run(FREEING);
    base = own;
    run_dynamic();
    run_shared();
    run(SENDS);
    /* Each flush of all is answered. */
    int all_wrong, unanswered, own_missing = rank == 0 ? missing : -missing;
    MPI_Allreduce(&own_missing, &unanswered, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += rank == 0 && unanswered != 0;
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("%d rows, %d flushes unanswered, %d wrong\n", compared, unanswered, all_wrong);
    fflush(stdout);
    MPI_Group_free(&partner);
    MPI_Group_free(&all);
    MPI_Finalize();
    return all_wrong > 0;
}
