/* onesided KIND SEMANTICS ATOMIC_S_PER_BYTE DELAY_S: one-sided communication as the point-to-point messages of
 * docs/simulation.md, on SMPI. Of 2 n ranks the first n are the program and write what they called; rank n + i stands
 * on the node of rank i and is its NIC: it grants locks, answers gets, applies accumulates and acknowledges while the
 * program computes, and sends what semantics c and d let wait for a post. KIND: passive (locks, flushes), all
 * (lock_all), thread (a NIC that serves DELAY_S late), lazy (locks), active (post, start, complete, wait under
 * SEMANTICS a, b, c or d), barrier or notify (fences). Tags say what a message is; what a get asks for stands in its
 * tag, too.
 */
#include "rows.h"

enum message {
    ASK_EXCLUSIVE = 4,
    ASK_SHARED,
    GRANT,
    RELEASE,
    PUT,  /* to a NIC, which acknowledges */
    LATE, /* put, from the program to its own NIC: to be sent when the post has come */
    GET,
    LATE_GET,
    ADD,
    FETCH, /* as ADD, but the result goes back */
    POST,
    CLOSE,   /* from the program to its own NIC: complete was called */
    LEFT,    /* its answer: the data have left */
    ASK_GET, /* from the program to its own NIC: GET behind what the NIC is sending for others */
    TELL,    /* from the program to its own NIC: COMPLETE behind what the NIC is sending for others */
    COMPLETE,
    STOP,
    MESSAGES, /* tag = message + MESSAGES * (bytes / UNIT) */
    UNIT = 32,
    NIC_RECEIVES = 12, /* more than messages of different sizes are under way to it at a time */
    ASKERS_MAX = 64,
};

static int n; /* ranks of the program */
static struct party program;
static char semantics;
static double atomic_s_per_byte, delay_s;

static void schedule_send(const struct party *party, int to, long bytes, MPI_Request *request)
{
    send_bytes(party->comm, to, bytes, DATA, request);
}

static void schedule_send_synchronous(const struct party *party, int to, long bytes, MPI_Request *request)
{
    schedule_send(party, to, bytes, request);
}

static void schedule_receive(const struct party *party, int from, MPI_Request *request)
{
    PMPI_Irecv(own.in, BUFFER_BYTES, MPI_BYTE, from, DATA, party->comm, request);
}

static void schedule_take(const struct party *party, int count, MPI_Request *requests, const int *sources)
{
    (void)party, (void)sources;
    finish(count, requests);
}

static int nic_of(int rank)
{
    return n + rank;
}

static void message(int to, int what, long carried, long asked)
{
    MPI_Request request;
    send_bytes(MPI_COMM_WORLD, to, carried, what + MESSAGES * (int)(asked / UNIT), &request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* To the own NIC: nothing moves. */
static void tell_own_nic(enum message what, long asked)
{
    double free_s = own.free_s;
    message(nic_of(own.rank), what, 0, asked);
    own.free_s = free_s;
}

static void await(int from, int what)
{
    PMPI_Recv(own.in, BUFFER_BYTES, MPI_BYTE, from, what, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* --- the NIC --- */

static struct {
    int holders, asking_first, asking_count, asking[ASKERS_MAX];
    bool exclusive, asks_exclusive[ASKERS_MAX];
    long late, late_get;
    bool has_late, has_late_get, posted, closing;
} nic;

static void grant(void)
{
    while (nic.asking_first < nic.asking_count) {
        bool exclusive = nic.asks_exclusive[nic.asking_first];
        if (nic.holders > 0 && (exclusive || nic.exclusive)) return;
        nic.holders++;
        nic.exclusive = exclusive;
        message(nic.asking[nic.asking_first++], GRANT, 0, 0);
    }
    nic.asking_first = nic.asking_count = 0;
}

static void ask(int who, bool exclusive)
{
    nic.asks_exclusive[nic.asking_count] = exclusive;
    nic.asking[nic.asking_count++] = who;
    grant();
}

/* Queued operations to the right-hand neighbour leave when its post is there; then, if complete was called, it hears of
 * it. */
static void send_late(int rank)
{
    int right = (rank + 1) % n;
    if (!nic.posted) return;
    if (nic.has_late) message(right, PUT, nic.late, 0);
    if (nic.has_late_get) message(nic_of(right), GET, 0, nic.late_get);
    nic.has_late = nic.has_late_get = false;
    if (!nic.closing) return;
    sleep_until(own.free_s);
    if (semantics != 'd') message(rank, LEFT, 0, 0);
    message(right, COMPLETE, 0, 0);
    nic.closing = nic.posted = false;
}

/* The program whose NIC this is is told of what its own NIC has in the name of the origin. */
static void serve(int rank, int from, enum message what, long moved, long asked)
{
    bool served = what == ASK_EXCLUSIVE || what == ASK_SHARED || what == GET || what == ADD || what == FETCH;
    if (served) sleep_for(delay_s);
    switch (what) {
    case ASK_EXCLUSIVE:
    case ASK_SHARED: ask(from, what == ASK_EXCLUSIVE); return;
    case RELEASE:
        nic.holders--;
        grant();
        return;
    case PUT: message(from, ACKNOWLEDGEMENT, 0, 0); return;
    case GET: message(from >= n ? from - n : from, DATA, asked, 0); return;
    case ADD:
    case FETCH:
        sleep_for(atomic_s_per_byte * (double)moved);
        if (what == ADD)
            message(from, ACKNOWLEDGEMENT, 0, 0);
        else
            message(from, DATA, asked, 0);
        return;
    case LATE:
        nic.has_late = true;
        nic.late = asked;
        break;
    case LATE_GET:
        nic.has_late_get = true;
        nic.late_get = asked;
        break;
    case ASK_GET: message(nic_of((rank + 1) % n), GET, 0, asked); return;
    case TELL: message((rank + 1) % n, COMPLETE, 0, 0); return;
    case POST: nic.posted = true; break;
    case CLOSE: nic.closing = true; break;
    default: return;
    }
    send_late(rank);
}

static void be_nic(int rank)
{
    MPI_Request requests[NIC_RECEIVES];
    for (int i = 0; i < NIC_RECEIVES; i++)
        PMPI_Irecv(own.in, BUFFER_BYTES, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    for (;;) {
        int which, bytes;
        MPI_Status status;
        PMPI_Waitany(NIC_RECEIVES, requests, &which, &status);
        PMPI_Get_count(&status, MPI_BYTE, &bytes);
        enum message what = (enum message)(status.MPI_TAG % MESSAGES);
        if (what == STOP) break;
        PMPI_Irecv(own.in, BUFFER_BYTES, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[which]);
        serve(rank, status.MPI_SOURCE, what, bytes + ENVELOPE_BYTES, (long)(status.MPI_TAG / MESSAGES) * UNIT);
    }
}

/* --- one-sided calls of the program --- */

#define CALLED(DO, ...)                                                                                                \
    do {                                                                                                               \
        double enter_s_ = MPI_Wtime();                                                                                 \
        DO;                                                                                                            \
        say(enter_s_, MPI_Wtime(), __VA_ARGS__);                                                                       \
    } while (0)

/* Of the operations since the last completion: acknowledgements, and data of gets, that are to come. */
static int acknowledgements[PARTY_MAX], gets[PARTY_MAX];

static void complete_operations(int target)
{
    for (; acknowledgements[target] > 0; acknowledgements[target]--) await(nic_of(target), ACKNOWLEDGEMENT);
    for (; gets[target] > 0; gets[target]--) await(nic_of(target), DATA);
}

static void operate(int target, enum message what, long bytes, long back)
{
    message(nic_of(target), what, what == GET ? 0 : bytes, back);
    (what == GET || what == FETCH ? gets : acknowledgements)[target]++;
}

static void put(int target, long bytes)
{
    CALLED(operate(target, PUT, bytes, 0), "MPI_Put win=0 target=%d bytes=%ld disp=0", target, bytes);
}

static void lock(int target, bool exclusive)
{
    CALLED((message(nic_of(target), exclusive ? ASK_EXCLUSIVE : ASK_SHARED, 0, 0), await(nic_of(target), GRANT)),
           "MPI_Win_lock win=0 target=%d lock=%s", target, exclusive ? "exclusive" : "shared");
}

static void unlock(int target)
{
    CALLED((complete_operations(target), message(nic_of(target), RELEASE, 0, 0)), "MPI_Win_unlock win=0 target=%d",
           target);
}

static void lock_right(long bytes)
{
    int right = turned(&program, own.rank, 1);
    lock(right, true);
    put(right, bytes);
    unlock(right);
}

/* Everybody asks rank 0 at another moment. */
static void lock_first(long bytes, bool exclusive)
{
    sleep_for(0.31e-6 * own.rank);
    if (own.rank == 0) {
        say(MPI_Wtime(), MPI_Wtime(), "MPI_Win_sync win=0");
        say(MPI_Wtime(), MPI_Wtime(), "MPI_Win_sync win=0");
        say(MPI_Wtime(), MPI_Wtime(), "MPI_Win_sync win=0");
        return;
    }
    lock(0, exclusive);
    put(0, bytes);
    unlock(0);
}

static void lock_contended(long bytes)
{
    lock_first(bytes, true);
}

static void lock_shared(long bytes)
{
    lock_first(bytes, false);
}

static void lock_get(long bytes)
{
    int right = turned(&program, own.rank, 1);
    lock(right, false);
    CALLED(operate(right, GET, 0, bytes), "MPI_Get win=0 target=%d bytes=%ld disp=0", right, bytes);
    unlock(right);
}

static void lock_accumulate(long bytes)
{
    int right = turned(&program, own.rank, 1);
    lock(right, false);
    CALLED(operate(right, ADD, bytes, 0), "MPI_Accumulate win=0 target=%d bytes=%ld disp=0", right, bytes);
    unlock(right);
}

static void lock_fetch(long bytes)
{
    int right = turned(&program, own.rank, 1);
    lock(right, false);
    CALLED(operate(right, FETCH, bytes, bytes), "MPI_Get_accumulate win=0 target=%d bytes=%ld disp=0 result_bytes=%ld",
           right, bytes, bytes);
    unlock(right);
}

static void lock_flush(long bytes)
{
    int right = turned(&program, own.rank, 1);
    lock(right, false);
    for (int i = 0; i < 2; i++) {
        put(right, bytes);
        CALLED(complete_operations(right), "MPI_Win_flush win=0 target=%d", right);
    }
    put(right, bytes);
    CALLED(sleep_until(own.free_s), "MPI_Win_flush_local win=0 target=%d", right);
    unlock(right);
}

static void request_based(long bytes)
{
    int right = turned(&program, own.rank, 1), request = traced.requests;
    traced.requests += 2;
    lock(right, false);
    CALLED(operate(right, GET, 0, bytes), "MPI_Rget win=0 target=%d bytes=%ld disp=0 req=%d", right, bytes, request);
    CALLED(complete_operations(right), "MPI_Wait req=%d", request);
    CALLED(operate(right, PUT, bytes, 0), "MPI_Rput win=0 target=%d bytes=%ld disp=0 req=%d", right, bytes,
           request + 1);
    CALLED(sleep_until(own.free_s), "MPI_Wait req=%d", request + 1);
    unlock(right);
}

static void lock_all(long bytes)
{
    int right = turned(&program, own.rank, 1);
    double enter_s = MPI_Wtime();
    for (int i = 0; i < n; i++)
        if (i != own.rank) message(nic_of(i), ASK_SHARED, 0, 0);
    for (int i = 0; i < n; i++)
        if (i != own.rank) await(nic_of(i), GRANT);
    say(enter_s, MPI_Wtime(), "MPI_Win_lock_all win=0");
    put(right, bytes);
    CALLED(complete_operations(right), "MPI_Win_flush_all win=0");
    put(right, bytes);
    enter_s = MPI_Wtime();
    complete_operations(right);
    for (int i = 0; i < n; i++)
        if (i != own.rank) message(nic_of(i), RELEASE, 0, 0);
    say(enter_s, MPI_Wtime(), "MPI_Win_unlock_all win=0");
}

static void unchecked(long bytes)
{
    int right = turned(&program, own.rank, 1);
    CALLED((void)0, "MPI_Win_lock win=0 target=%d lock=exclusive assert=NOCHECK", right);
    put(right, bytes);
    CALLED(complete_operations(right), "MPI_Win_unlock win=0 target=%d", right);
}

/* The lock is asked for by unlock; what was put waits for the grant. */
static void lock_lazily(int target, bool exclusive, long bytes)
{
    CALLED((void)0, "MPI_Win_lock win=0 target=%d lock=%s", target, exclusive ? "exclusive" : "shared");
    CALLED((void)0, "MPI_Put win=0 target=%d bytes=%ld disp=0", target, bytes);
    sleep_for(3e-6);
    CALLED((message(nic_of(target), exclusive ? ASK_EXCLUSIVE : ASK_SHARED, 0, 0), await(nic_of(target), GRANT),
            operate(target, PUT, bytes, 0), complete_operations(target), message(nic_of(target), RELEASE, 0, 0)),
           "MPI_Win_unlock win=0 target=%d", target);
}

static void lazy_right(long bytes)
{
    lock_lazily(turned(&program, own.rank, 1), true, bytes);
}

static void lazy_contended(long bytes)
{
    sleep_for(0.31e-6 * own.rank);
    if (own.rank > 0) {
        lock_lazily(0, true, bytes);
        return;
    }
    for (int i = 0; i < 3; i++) say(MPI_Wtime(), MPI_Wtime(), "MPI_Win_sync win=0");
}

/* --- post, start, complete, wait: everybody is origin of the right-hand neighbour and target of the left-hand one, and
 * late --- */

static void start(int right)
{
    CALLED(if (semantics == 'a') await(right, POST), "MPI_Win_start win=0 group=%d", right);
}

static void complete(int right, bool gets_data)
{
    double enter_s = MPI_Wtime();
    if (semantics == 'c' || semantics == 'd') {
        tell_own_nic(CLOSE, 0);
        if (gets_data) await(nic_of(right), DATA);
        if (semantics == 'c') await(nic_of(own.rank), LEFT);
    } else if (gets_data) {
        tell_own_nic(TELL, 0);
        await(nic_of(right), DATA);
    } else {
        sleep_until(own.free_s);
        message(right, COMPLETE, 0, 0);
    }
    say(enter_s, MPI_Wtime(), "MPI_Win_complete win=0");
}

static void active(long bytes, bool gets_data)
{
    int right = turned(&program, own.rank, 1), left = turned(&program, own.rank, -1);
    bool late = semantics == 'c' || semantics == 'd';
    sleep_for(1e-6 * (own.rank * 7 % 5));
    CALLED(message(late ? nic_of(left) : left, POST, 0, 0), "MPI_Win_post win=0 group=%d", left);
    start(right);
    sleep_for(1e-6);
    double enter_s = MPI_Wtime();
    if (semantics == 'b') await(right, POST);
    if (semantics == 'd' && !gets_data) sleep_for((double)bytes / bytes_per_s); /* the copy: memory is as fast */
    if (late)
        tell_own_nic(gets_data ? LATE_GET : LATE, bytes);
    else if (gets_data)
        tell_own_nic(ASK_GET, bytes);
    else
        message(right, PUT, bytes, 0);
    say(enter_s, MPI_Wtime(), "MPI_%s win=0 target=%d bytes=%ld disp=0", gets_data ? "Get" : "Put", right, bytes);
    sleep_for(2e-6);
    complete(right, gets_data);
    enter_s = MPI_Wtime();
    await(late || gets_data ? nic_of(left) : left, COMPLETE);
    if (!gets_data) await(late ? nic_of(left) : left, PUT);
    say(enter_s, MPI_Wtime(), "MPI_Win_wait win=0");
}

static void active_put(long bytes)
{
    active(bytes, false);
}

static void active_get(long bytes)
{
    active(bytes, true);
}

/* --- fences --- */

static void rounds(void)
{
    schedule_barrier(&program);
}

static void fence(long bytes, bool notify)
{
    int right = turned(&program, own.rank, 1), left = turned(&program, own.rank, -1);
    CALLED(rounds(), "MPI_Win_fence win=0 assert=NOPRECEDE");
    sleep_for(1e-6 * (own.rank * 7 % 5));
    if (notify)
        CALLED(message(right, PUT, bytes, 0), "MPI_Put win=0 target=%d bytes=%ld disp=0", right, bytes);
    else
        put(right, bytes);
    double enter_s = MPI_Wtime();
    if (!notify) complete_operations(right);
    rounds();
    if (notify) await(left, PUT);
    say(enter_s, MPI_Wtime(), "MPI_Win_fence win=0 assert=NOSUCCEED");
}

static void fence_barrier(long bytes)
{
    fence(bytes, false);
}

static void fence_notify(long bytes)
{
    fence(bytes, true);
}

static const struct {
    const char *kind, *name;
    void (*run)(long bytes);
    long most; /* bytes */
} patterns[] = {
    {"passive", "exclusive_lock", lock_right, 262144},
    {"passive", "exclusive_lock_contended", lock_contended, 8192},
    {"passive", "shared_lock_contended", lock_shared, 64},
    {"passive", "lock_get", lock_get, 262144},
    {"passive", "lock_accumulate", lock_accumulate, 262144},
    {"passive", "lock_get_accumulate", lock_fetch, 262144},
    {"passive", "lock_flush", lock_flush, 262144},
    {"passive", "lock_rget_rput", request_based, 262144},
    {"passive", "lock_nocheck", unchecked, 262144},
    {"all", "flush_all", lock_all, 64},
    {"thread", "exclusive_lock", lock_right, 8192},
    {"thread", "lock_get", lock_get, 262144},
    {"thread", "lock_accumulate", lock_accumulate, 8192},
    {"thread", "lock_get_accumulate", lock_fetch, 8192},
    {"lazy", "exclusive_lock", lazy_right, 262144},
    {"lazy", "exclusive_lock_contended", lazy_contended, 8192},
    {"active", "put", active_put, 262144},
    {"active", "get", active_get, 262144},
    {"barrier", "fence_put", fence_barrier, 262144},
    {"notify", "fence_put", fence_notify, 262144},
};

static void be_program(const char *kind)
{
    static const long bytes[] = {64, 8192, 262144};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (strcmp(patterns[i].kind, kind) != 0) continue;
        for (size_t k = 0; k < sizeof bytes / sizeof *bytes && bytes[k] <= patterns[i].most; k++) {
            char name[TRACED_TEXT];
            begin_together(&program);
            int before = own.lines;
            patterns[i].run(bytes[k]);
            snprintf(name, sizeof name, "%s_%s%s%c", kind, patterns[i].name, semantics == '-' ? "" : "_", semantics);
            if (semantics == '-') name[strlen(name) - 1] = '\0';
            add_row(name, bytes[k], before);
        }
    }
    begin_together(&program); /* nobody asks for anything any more */
    tell_own_nic(STOP, 0);
}

int main(int argc, char **argv)
{
    MPI_Comm part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &own.size);
    n = own.size / 2;
    semantics = argv[2][0];
    atomic_s_per_byte = atof(argv[3]);
    delay_s = atof(argv[4]);
    PMPI_Comm_split(MPI_COMM_WORLD, own.rank >= n, own.rank, &part);
    program = party_of(part, false);
    open_rows();
    if (own.rank < n)
        be_program(argv[1]);
    else
        be_nic(own.rank - n);
    close_rows();
    MPI_Finalize();
    return 0;
}
