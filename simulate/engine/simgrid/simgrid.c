/* The SimGrid engine: messages share links by the flow model of SimGrid 3.32, driven through its C API. The only file
 * that includes SimGrid, in a module of its own that load.c loads.
 *
 * Times are kept in an event queue of integer picoseconds. One clock actor runs the queue: it executes all events that
 * are due and sleeps until the next one, or until a courier wakes it. A courier is an actor that is blocked in
 * sg_host_sendto while the bytes of a message flow; at the end it puts an event into the queue.
 *
 * SimGrid moves bytes only. This engine adds latencies after the last byte has left: CM02 gives routes of different
 * latency unequal shares of a link (the inverse of the latencies), but equal shares when the latency factor is 0.
 * Messages of at most FLOW_LEAST_BYTES never become flows. On our topologies, whose links are known, a message becomes
 * a flow when it begins to share a link with another one; before that, its rate is that of its links. The sending NIC
 * is first in, first out and sends one message at a time, as in the loggp engine. The receiving NIC and all links are
 * shared. Source of the flow model: P. Velho et al., On the Validity of Flow-level TCP Network Models for Grid and
 * Cloud Simulations, TOMACS 23(4), 2013; docs/simulation.md. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <simgrid/semaphore.h>
#include <xbt/dynar.h>

#include "common/array.h"
#include "common/children.h"
#include "common/map.h"
#include "common/units.h"
#include "platforms/topology/topology.h"
#include "simulate/engine/simgrid/flow_net.h"
#include "simulate/engine/simgrid/user_file.h"

enum { FLOW_LEAST_BYTES = 64, CLOCK_STACK_BYTES = 256 * 1024 };

/* SimGrid 3.32 moves whole bytes. On our topologies it gets links and messages 1024 times as large, so that rounding
 * stretched messages costs less than a picosecond. */
enum { FLOW_SCALE = 1024 };

#define CLOCK_STEP_S 1e-12 /* surf/precision */

struct route {
    int64_t latency_ps;
    double bandwidth_Bps;
};

struct engine {
    struct flow_net net;
    enum status status; /* of what failed inside an actor */
    struct err *err;
    bool uses_flows;
    double link_Bps;        /* of the topology's links, as SimGrid knows them */
    sg_host_t *hosts;       /* by node; NULL: no rank sends from there */
    sg_host_t home;         /* where the engine's own actors are */
    struct map route_index; /* of a user's platform: node pair to routes */
    struct route *routes;
    size_t route_count, route_capacity;
    double *latencies_s;          /* of its links at the begin */
    struct user_states states;    /* of a user's platform */
    const struct user_state *off; /* of what the run uses, that which goes off first; NULL: none does */
    size_t couriers, idle_couriers;
    size_t jobs_announced; /* of net.job_count: jobs with a courier */
    sg_sem_t job_sem, clock_sem;
    bool clock_woken, quit;
};

static void use_element(struct engine *engine, bool link, const char *name)
{
    const struct user_state *state = user_states_find(&engine->states, link, name);
    if (state && (!engine->off || state->off_s < engine->off->off_s)) engine->off = state;
}

/* A profile may have changed the latency of a link since the begin (latency_file), which counts for every route. */
static struct route find_route(struct engine *engine, sg_host_t from, sg_host_t to)
{
    double latency_s = sg_host_get_route_latency(from, to);
    xbt_dynar_t links = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(from, to, links);
    for (unsigned long i = 0; i < xbt_dynar_length(links); i++) {
        const sg_link_t link = xbt_dynar_get_as(links, i, sg_link_t);
        const double *begin_s = sg_link_get_data(link);
        if (begin_s) latency_s += *begin_s - sg_link_get_latency(link);
        if (engine->states.count > 0) use_element(engine, true, sg_link_get_name(link));
    }
    xbt_dynar_free(&links);
    return (struct route){cost_duration_ps(latency_s), sg_host_get_route_bandwidth(from, to)};
}

static enum status keep_latencies(struct engine *engine, struct err *err)
{
    sg_link_t *links = sg_link_list();
    const size_t count = sg_link_count();
    engine->latencies_s = calloc(count + 1, sizeof *engine->latencies_s);
    for (size_t i = 0; engine->latencies_s && i < count; i++) {
        engine->latencies_s[i] = sg_link_get_latency(links[i]);
        sg_link_set_data(links[i], &engine->latencies_s[i]);
    }
    free(links);
    return engine->latencies_s ? STATUS_OK : err_memory(err);
}

/* On a user's SimGrid platform, latency and rate between nodes are those of its routes. A message that is slower than
 * its links occupies them as long as it takes: its bytes are stretched. */
static enum status set_cost(struct engine *engine, const struct engine_message *message, struct cost *cost,
                            double *flow_bytes, struct err *err)
{
    const struct platform *platform = engine->net.platform;
    double link_Bps = engine->link_Bps;
    *cost = cost_message(platform, message);
    if (cost->network && platform->simgrid_xml) {
        uint64_t *slot, key = map_pair((uint32_t)message->src_node, (uint32_t)message->dst_node);
        TRY(map_put(&engine->route_index, key, engine->route_count, &slot, err));
        if (*slot == engine->route_count) {
            const struct route found =
                find_route(engine, engine->hosts[message->src_node], engine->hosts[message->dst_node]);
            ARRAY_PUSH(engine->routes, engine->route_count, engine->route_capacity, found, err);
        }
        const struct route route = engine->routes[*slot];
        int64_t gap_ps = units_ps(platform->gap_s);
        link_Bps = route.bandwidth_Bps;
        cost->latency_ps = route.latency_ps;
        cost->transmit_ps = cost_duration_ps((double)message->bytes / link_Bps);
        cost->occupy_ps = cost->transmit_ps > gap_ps ? cost->transmit_ps : gap_ps;
    }
    *flow_bytes = message->bytes > FLOW_LEAST_BYTES ? round(units_s(cost->transmit_ps) * link_Bps) : 0;
    return STATUS_OK;
}

static enum status simgrid_engine_send(struct engine *engine, const struct engine_message *message,
                                       struct engine_departure *departure, struct err *err)
{
    struct cost cost;
    double flow_bytes;
    TRY(set_cost(engine, message, &cost, &flow_bytes, err));
    return flow_net_send(&engine->net, message, &cost, flow_bytes, departure, err);
}

static enum status simgrid_engine_timer(struct engine *engine, int64_t at_ps, uint32_t key, uint32_t id,
                                        struct err *err)
{
    return flow_net_timer(&engine->net, at_ps, key, id, err);
}

/* --- actors --- */

static int64_t clock_ps(void)
{
    return cost_duration_ps(simgrid_get_clock());
}

static struct engine *the_engine; /* of the running simulation: actors of SimGrid take only text arguments */

static void run_courier(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct engine *engine = the_engine;
    for (;;) {
        sg_sem_acquire(engine->job_sem);
        if (engine->quit) return;
        engine->idle_couriers--;
        engine->jobs_announced--;
        struct flow_job job = flow_net_take_job(&engine->net);
        sg_host_sendto(engine->hosts[job.src_node], engine->hosts[job.dst_node], job.bytes);
        if (engine->quit) return;
        engine->idle_couriers++;
        enum status status = flow_net_ended(&engine->net, job.src_node, clock_ps(), engine->err);
        if (status != STATUS_OK) engine->status = status;
        if (engine->clock_woken) continue;
        engine->clock_woken = true;
        sg_sem_release(engine->clock_sem);
    }
}

/* Sleeps until the next event is due, or until a courier has put one into the queue. Returns the time up to which
 * events may be executed: couriers whose flows end at the same time have put theirs by then. */
static int64_t sleep_until_due(struct engine *engine)
{
    int64_t due_ps = flow_net_due_ps(&engine->net);
    double wait_s = units_s(due_ps) - simgrid_get_clock();
    bool timed_out = wait_s <= 0;
    engine->clock_woken = timed_out;
    if (due_ps == INT64_MAX)
        sg_sem_acquire(engine->clock_sem);
    else if (!timed_out)
        timed_out = sg_sem_acquire_timeout(engine->clock_sem, wait_s) != 0;
    engine->clock_woken = true;
    if (!timed_out) return clock_ps();
    if (engine->net.flows > 0) sg_actor_yield();
    return clock_ps() > due_ps ? clock_ps() : due_ps;
}

static void clock_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct engine *engine = the_engine;
    bool more = true;
    for (int64_t limit_ps = 0; engine->status == STATUS_OK; limit_ps = sleep_until_due(engine)) {
        engine->status = flow_net_run(&engine->net, limit_ps, &more, engine->err);
        if (!more) break;
        /* flow_net runs ahead of SimGrid's clock while nothing flows there. */
        double ahead_s = units_s(engine->net.now_ps) - simgrid_get_clock();
        bool idle = engine->net.flows == engine->net.job_count;
        if (idle && ahead_s > CLOCK_STEP_S) sg_actor_sleep_for(ahead_s);
        for (; engine->jobs_announced < engine->net.job_count; engine->jobs_announced++) {
            if (engine->idle_couriers <= engine->jobs_announced) {
                sg_actor_create("courier", engine->home, run_courier, 0, NULL);
                engine->couriers++;
                engine->idle_couriers++;
            }
            sg_sem_release(engine->job_sem);
        }
    }
    engine->quit = true;
    for (size_t i = 0; i < engine->couriers; i++) sg_sem_release(engine->job_sem);
}

static int by_name(const void *a, const void *b)
{
    return strverscmp(sg_host_get_name(*(const sg_host_t *)a), sg_host_get_name(*(const sg_host_t *)b));
}

/* By name, numbers inside names by value: the order in which hosts of a user's platform are nodes. The caller frees. */
static sg_host_t *sorted_hosts(void)
{
    sg_host_t *hosts = sg_host_list();
    qsort(hosts, sg_host_count(), sizeof *hosts, by_name);
    return hosts;
}

/* What SimGrid says, if that is more than C++'s name of an exception. */
static void explain_end(const char *said, char *text, size_t room)
{
    static const char exception[] = "Uncaught exception";
    if (*said && strncmp(said, exception, strlen(exception)) != 0)
        snprintf(text, room, "%s", said);
    else
        snprintf(text, room, "SimGrid gives up at %g s", simgrid_get_clock());
}

/* SimGrid does not know what goes off: it would see it only where something flows. */
static enum status check_states(const struct engine *engine, struct err *err)
{
    const struct user_state *off = engine->off;
    if (!off || off->off_s > units_s(engine->net.now_ps)) return STATUS_OK;
    const char *kind = off->link ? "link" : "host";
    return err_set(err, STATUS_DATA, engine->net.platform->simgrid_xml, NULL,
                   "%s '%s' is off at %g s, expected %ss that stay on", kind, off->name, off->off_s, kind);
}

static enum status simgrid_engine_run(struct engine *engine, struct engine_stats *stats, struct err *err)
{
    engine->err = err;
    if (engine->uses_flows) {
        the_engine = engine;
        engine->job_sem = sg_sem_init(0);
        engine->clock_sem = sg_sem_init(0);
        engine->clock_woken = true;
        sg_actor_t clock = sg_actor_init("clock", engine->home);
        sg_actor_set_stacksize(clock, CLOCK_STACK_BYTES);
        sg_actor_start(clock, clock_actor, 0, NULL);
        simgrid_run();
        sg_sem_destroy(engine->job_sem);
        sg_sem_destroy(engine->clock_sem);
    } else {
        bool more;
        engine->status = flow_net_run(&engine->net, INT64_MAX, &more, err);
    }
    if (engine->status == STATUS_OK) engine->status = check_states(engine, err);
    *stats = engine->net.stats;
    return engine->status;
}

/* --- opening --- */

/* SimGrid catches or raises them; the caller's handlers stay, and do not run in the trial below. */
static const int simgrid_signals[] = {SIGINT, SIGSEGV, SIGABRT};
enum { SIGNAL_COUNT = sizeof simgrid_signals / sizeof *simgrid_signals };

static struct {
    const char *file; /* that SimGrid reads now; NULL: none */
    bool *refused;    /* what the parent sees; may be NULL */
} loading;

/* Why SimGrid ends the process: errno, or its scanner's words of a read error, behind which errno is another. */
static int cause_of_end(void)
{
    char said[256];
    int cause = errno;
    ssize_t n = pread(STDERR_FILENO, said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    return !err_refused(cause) && strstr(said, "input in flex scanner failed") ? EIO : cause;
}

/* SimGrid ends the process where the machine refuses to read a file, without the cause. A parent process reads the line. */
static void explain_refusal(void)
{
    char line[512];
    int cause = cause_of_end();
    if (!loading.file || !err_refused(cause)) return;
    int length = cause == ENOMEM ? snprintf(line, sizeof line, "out of memory\n")
                                 : snprintf(line, sizeof line, "%.400s: cannot be read: %s\n", loading.file, strerror(cause));
    if (pwrite(STDERR_FILENO, line, (size_t)length, 0) != length) return;
    if (loading.refused) *loading.refused = true;
    _exit(CHILD_EXPLAINED);
}

static void on_abort(int number)
{
    explain_refusal();
    raise(number);
}

/* Registered behind SimGrid's own handlers, so that it runs before them. */
static void explain_refusals(const char *file, bool *refused)
{
    static bool registered;
    struct sigaction action = {.sa_handler = on_abort, .sa_flags = (int)SA_RESETHAND};
    if (!registered) atexit(explain_refusal);
    registered = true;
    loading.file = file;
    loading.refused = refused;
    sigaction(SIGABRT, &action, NULL);
    errno = 0;
}

/* shown: the file's name for messages; folder: "--cfg=path:..." of the files that it names, which SimGrid keeps; may be NULL. */
static void load_platform(const char *file, const char *shown, char *folder, bool *refused)
{
    static char texts[][40] = {"rmacast",
                               "--log=root.thres:error",
                               "--log=root.fmt:%m%n",
                               "--cfg=tracing:no", /* which would write a file */
                               "--cfg=network/model:CM02",
                               "--cfg=network/latency-factor:0",
                               "--cfg=network/bandwidth-factor:1",
                               "--cfg=network/weight-S:0",
                               "--cfg=network/crosstraffic:0",
                               "--cfg=network/TCP-gamma:1e20",
                               "--cfg=surf/precision:1e-12",
                               "--cfg=contexts/stack-size:32"};
    enum { COUNT = sizeof texts / sizeof *texts };
    static char *args[COUNT + 2]; /* SimGrid keeps them */
    for (int i = 0; i < COUNT; i++) args[i] = texts[i];
    args[COUNT] = folder;
    int count = folder ? COUNT + 1 : COUNT;
    struct sigaction before[SIGNAL_COUNT];
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(simgrid_signals[i], NULL, &before[i]);
    simgrid_init(&count, args);
    explain_refusals(shown, refused);
    simgrid_load_platform(file);
    loading.file = NULL;
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(simgrid_signals[i], &before[i], NULL);
}

/* SimGrid reads a platform from a file by name. */
struct platform_file {
    char name[64];
    FILE *file;
};

static enum status make_file(struct platform_file *made, struct err *err)
{
    int fd = memfd_create("simgrid-platform", MFD_CLOEXEC);
    made->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    snprintf(made->name, sizeof made->name, "/proc/self/fd/%d", fd);
    if (made->file) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, NULL, NULL, "no file in memory for SimGrid's platform: %s", strerror(errno));
}

/* A user's platform, ready to be asked for routes: some zones (Dijkstra, DijkstraCache) end the process if they are asked
 * before SimGrid has sealed them, which it does when it first runs. */
static enum status load_user_platform(const char *file, bool *refused, struct err *err)
{
    const char *slash = strrchr(file, '/');
    struct platform_file made;
    char *text, *folder;
    TRY(user_file_text(file, &text, err));
    if (asprintf(&folder, "--cfg=path:%.*s", slash ? (int)(slash - file) + 1 : 2, slash ? file : "./") < 0) folder = NULL;
    enum status status = folder ? make_file(&made, err) : err_memory(err);
    if (status == STATUS_OK) {
        const size_t bytes = strlen(text);
        if (fwrite(text, 1, bytes, made.file) < bytes || fflush(made.file) != 0)
            status = err_set(err, STATUS_SYSTEM, NULL, NULL, "SimGrid's copy of %s cannot be written: %s", file, strerror(errno));
        if (status == STATUS_OK) load_platform(made.name, file, folder, refused);
        if (status == STATUS_OK) simgrid_run_until(0);
        fclose(made.file);
    }
    free(text);
    return status;
}

struct trial { /* of a user's platform, in a child process: SimGrid ends the process on many faults */
    const struct platform *platform;
    const int32_t (*pairs)[2];
    size_t pair_count;
    int errors;   /* SimGrid's messages */
    struct asking *asking; /* shared with the parent */
};

struct asking { /* the route that was asked for last */
    char hosts[256];
    int32_t src, dst;
    bool refused; /* the machine has refused to read a file */
    bool done;    /* nothing was wrong with the platform */
};

/* Some zones end the process where there is no route. */
static void try_route(const struct trial *trial, sg_host_t *hosts, int32_t src, int32_t dst)
{
    if (src == dst) return;
    trial->asking->src = src;
    trial->asking->dst = dst;
    snprintf(trial->asking->hosts, sizeof trial->asking->hosts, "'%s' to '%s'", sg_host_get_name(hosts[src]),
             sg_host_get_name(hosts[dst]));
    xbt_dynar_t links = xbt_dynar_new(sizeof(void *), NULL);
    sg_host_get_route(hosts[src], hosts[dst], links);
    if (xbt_dynar_is_empty(links)) abort();
    xbt_dynar_free(&links);
}

/* SimGrid takes any number, but what is sent over a link without bandwidth never arrives, and nothing may arrive before
 * it has left. */
static enum status check_links(const char *file, struct err *err)
{
    sg_link_t *links = sg_link_list();
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sg_link_count(); i++)
        if (!(sg_link_get_bandwidth(links[i]) > 0))
            status = err_set(err, STATUS_DATA, file, NULL, "link '%s' has %g B/s, expected more than 0",
                             sg_link_get_name(links[i]), sg_link_get_bandwidth(links[i]));
        else if (!(sg_link_get_latency(links[i]) >= 0))
            status = err_set(err, STATUS_DATA, file, NULL, "link '%s' has a latency of %g s, expected 0 or more",
                             sg_link_get_name(links[i]), sg_link_get_latency(links[i]));
    free(links);
    return status;
}

static enum status try_platform(void *context, size_t index, FILE *out, struct err *err)
{
    const struct trial *trial = context;
    int32_t nodes = trial->platform->node_count;
    (void)index, (void)out;
    for (int i = 0; i < SIGNAL_COUNT; i++) signal(simgrid_signals[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    dup2(trial->errors, STDERR_FILENO);
    TRY(load_user_platform(trial->platform->simgrid_xml, &trial->asking->refused, err));
    if (sg_host_count() < (size_t)nodes)
        return err_set(err, STATUS_DATA, trial->platform->simgrid_xml, NULL,
                       "%zu host%s, expected at least nodes.count = %d", sg_host_count(), units_plural(sg_host_count()), nodes);
    TRY(check_links(trial->platform->simgrid_xml, err));
    sg_host_t *hosts = sorted_hosts();
    for (size_t i = 0; i < trial->pair_count; i++) try_route(trial, hosts, trial->pairs[i][0], trial->pairs[i][1]);
    for (int32_t src = 0; !trial->pairs && src < nodes; src++)
        for (int32_t dst = 0; dst < nodes; dst++) try_route(trial, hosts, src, dst);
    trial->asking->done = true;
    return STATUS_OK;
}

/* SimGrid's first line that says something. */
static void first_message(int errors, char *line, size_t room)
{
    ssize_t n = pread(errors, line, room - 1, 0);
    line[n > 0 ? n : 0] = '\0';
    size_t blank = strspn(line, " \t\n");
    memmove(line, line + blank, strlen(line) - blank + 1);
    line[strcspn(line, "\n")] = '\0';
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '.') line[length - 1] = '\0';
}

static enum status trial_refusal(const struct trial *trial, const struct child_answer *answer,
                                 const struct engine_callbacks *callbacks, struct err *err)
{
    static const char place[] = "Parse error at /proc/self/fd/";
    const char *file = trial->platform->simgrid_xml;
    char line[512];
    if (trial->asking->done) return err_set(err, STATUS_SYSTEM, file, NULL, "%s", answer->err.text);
    if (*trial->asking->hosts) {
        char who[256] = "";
        const struct asking *asking = trial->asking;
        if (callbacks->explain_route)
            callbacks->explain_route(callbacks->context, asking->src, asking->dst, who, sizeof who);
        return err_set(err, STATUS_DATA, file, NULL, "no route from host %s, expected one%s%s", asking->hosts,
                       *who ? ": " : " between all nodes in use", who);
    }
    first_message(trial->errors, line, sizeof line);
    if (trial->asking->refused) return err_set(err, STATUS_SYSTEM, NULL, NULL, "%s", line);
    if (strncmp(line, place, strlen(place)) == 0)
        return err_set(err, STATUS_DATA, NULL, NULL, "%s%s, expected a SimGrid platform", file, line + strcspn(line, ":"));
    return err_set(err, STATUS_DATA, file, NULL, "SimGrid refuses it: %s, expected a SimGrid platform",
                   *line ? line : answer->err.text);
}

static enum status check_user_platform(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                                       const struct engine_callbacks *callbacks, struct err *err)
{
    struct trial trial = {platform, pairs, pair_count, memfd_create("simgrid-stderr", MFD_CLOEXEC), NULL};
    if (trial.errors < 0)
        return err_set(err, STATUS_SYSTEM, NULL, NULL, "no file in memory for SimGrid's messages: %s", strerror(errno));
    trial.asking = mmap(NULL, sizeof *trial.asking, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (trial.asking == MAP_FAILED) {
        close(trial.errors);
        return err_memory(err);
    }
    struct child_answer answer;
    enum status status = children_run(try_platform, &trial, 1, 1, &answer, err);
    if (status == STATUS_OK) {
        status = answer.status;
        if (status == STATUS_DATA && err) *err = answer.err;
        if (status == STATUS_SYSTEM) status = trial_refusal(&trial, &answer, callbacks, err);
        child_answers_clear(&answer, 1);
    }
    munmap(trial.asking, sizeof *trial.asking);
    close(trial.errors);
    return status;
}

static enum status load_topology(const struct engine *engine, int32_t hosts, struct err *err)
{
    struct platform_file made;
    TRY(make_file(&made, err));
    const struct topology_rates rates = {.bandwidth_Bps = engine->link_Bps};
    enum status status = topology_write_simgrid(engine->net.platform->topology, hosts, &rates, made.file, err);
    if (status == STATUS_OK) load_platform(made.name, "SimGrid's platform in memory", NULL, NULL);
    fclose(made.file);
    return status;
}

/* The nodes that have ranks, by `used`; how many. */
static int32_t mark_used(const struct platform *platform, uint32_t ranks, bool *used)
{
    int32_t count = 0;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        int32_t node = platform_node_of(platform, rank);
        count += !used[node];
        used[node] = true;
    }
    return count;
}

/* A host for each node; of a crossbar only for those that are used, since each costs SimGrid 3 KB and 25 us. */
static enum status open_topology(struct engine *engine, uint32_t ranks, struct err *err)
{
    const struct platform *platform = engine->net.platform;
    size_t count = (size_t)platform->node_count, host = 0;
    bool all = ranks == 0 || !topology_is_crossbar(platform->topology);
    bool *used = calloc(count, sizeof *used);
    engine->hosts = calloc(count, sizeof *engine->hosts);
    enum status status = used && engine->hosts ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK)
        status = load_topology(engine, all ? platform->node_count : mark_used(platform, ranks, used), err);
    for (size_t node = 0; status == STATUS_OK && node < count; node++) {
        char name[32];
        if (!all && !used[node]) continue;
        snprintf(name, sizeof name, "node-%zu", host++);
        engine->hosts[node] = sg_host_by_name(name);
    }
    engine->home = status == STATUS_OK ? sg_host_by_name("node-0") : NULL;
    free(used);
    return status;
}

static enum status open_user_platform(struct engine *engine, const int32_t (*pairs)[2], size_t pair_count,
                                      const struct engine_callbacks *callbacks, struct err *err)
{
    const struct platform *platform = engine->net.platform;
    TRY(check_user_platform(platform, pairs, pair_count, callbacks, err));
    TRY(user_states_read(platform->simgrid_xml, &engine->states, err));
    TRY(load_user_platform(platform->simgrid_xml, NULL, err));
    engine->hosts = sorted_hosts();
    engine->home = engine->hosts[0];
    TRY(keep_latencies(engine, err));
    for (uint32_t rank = 0; rank < callbacks->ranks; rank++)
        use_element(engine, false, sg_host_get_name(engine->hosts[platform_node_of(platform, rank)]));
    return STATUS_OK;
}

static enum status prepare_pairs(struct engine *engine, const int32_t (*pairs)[2], size_t pair_count,
                                 const struct engine_callbacks *callbacks, struct err *err)
{
    const struct platform *platform = engine->net.platform;
    engine->link_Bps = platform_peak_Bps(platform) * FLOW_SCALE;
    engine->uses_flows = platform->contention && (platform->simgrid_xml || engine->link_Bps > 0);
    if (platform->simgrid_xml) return open_user_platform(engine, pairs, pair_count, callbacks, err);
    if (!engine->uses_flows) return STATUS_OK;
    TRY(flow_net_watch(&engine->net, err));
    return open_topology(engine, callbacks->ranks, err);
}

static void simgrid_engine_close(struct engine *engine)
{
    if (!engine) return;
    flow_net_clear(&engine->net);
    map_clear(&engine->route_index);
    user_states_clear(&engine->states);
    FREE_ALL(engine->routes, engine->hosts, engine->latencies_s, engine);
}

static enum status simgrid_engine_open(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                                       const struct engine_callbacks *callbacks, struct engine **engine,
                                       struct err *err)
{
    static bool opened;
    if (opened)
        return err_set(err, STATUS_USAGE, "engine", "simgrid",
                       "opened a second time in one process, expected one simulation per process");
    struct engine *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    enum status status = flow_net_init(&made->net, platform, callbacks, err);
    if (status == STATUS_OK) status = prepare_pairs(made, pairs, pair_count, callbacks, err);
    if (status != STATUS_OK) {
        simgrid_engine_close(made);
        return status;
    }
    opened = true;
    *engine = made;
    return STATUS_OK;
}

/* load.c finds these symbols in the module. It reads the first alone if it is of another build. */
extern const char engine_simgrid_interface[];
extern const struct engine_descriptor engine_simgrid_module;
const char engine_simgrid_interface[] = ENGINE_INTERFACE;
const struct engine_descriptor engine_simgrid_module = {
    .name = "simgrid",
    .open = simgrid_engine_open,
    .send = simgrid_engine_send,
    .timer = simgrid_engine_timer,
    .run = simgrid_engine_run,
    .close = simgrid_engine_close,
    .explain_end = explain_end,
};
