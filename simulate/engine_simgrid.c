/* The SimGrid engine: messages share links by the flow model of SimGrid 3.32, driven through its C API. The only file that
 * includes SimGrid.
 *
 * Time is kept here, in an event queue of integer picoseconds. One clock actor runs the queue: it executes all events that
 * are due and sleeps until the next one, or until a courier wakes it. A courier is an actor that is blocked in
 * sg_host_sendto while a message's bytes flow; at the end it puts an event into the queue.
 *
 * SimGrid moves bytes only. Latencies are added here, after the last byte has left: CM02 gives routes of different latency
 * unequal shares of a link (the inverse of the latencies), but equal ones when the latency factor is 0. Messages of at most
 * FLOW_LEAST_BYTES never become flows. The sending NIC is first in, first out and sends one message at a time, as in the
 * loggp engine; the receiving NIC and all links are shared. Source of the flow model: P. Velho et al., On the Validity of
 * Flow-level TCP Network Models for Grid and Cloud Simulations, TOMACS 23(4), 2013; docs/simulation.md. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <xbt/dynar.h>

#include "common/array.h"
#include "common/children.h"
#include "common/map.h"
#include "common/units.h"
#include "platforms/topology.h"
#include "simulate/cost.h"
#include "simulate/engine.h"
#include "simulate/event_queue.h"

enum { FLOW_LEAST_BYTES = 64, CLOCK_STACK_BYTES = 256 * 1024 };
enum { NONE = 0 }; /* item 0 is never used: all-zero NICs are empty */

/* A flow that ends this close to the time it takes alone has been alone: the difference is SimGrid's rounding. */
enum { SNAP_PS = 10, SNAP_SHIFT = 50 };

enum event_type { EVENT_TIMER, EVENT_BEGIN, EVENT_FLOW_END, EVENT_LEFT, EVENT_ARRIVED };

struct item { /* a message that has not left its NIC yet */
    uint32_t message, key, next;
    int32_t dst_node;
    bool want_left, flow;
    int64_t began_ps;
    double flow_bytes; /* stretched where the message is slower than the links: it occupies them as long */
    struct cost cost;
};

/* Invariant: the first item is a flow that has begun, or will at free_ps by an EVENT_BEGIN; without one the queue is empty. */
struct nic {
    int64_t free_ps;
    uint32_t first, last; /* in items, NONE */
};

struct route {
    int64_t latency_ps;
    double bandwidth_Bps;
};

struct engine {
    const struct platform *platform;
    struct engine_callbacks callbacks;
    struct event_queue queue;
    struct nic *nics;
    struct item *items;
    size_t item_count, item_capacity;
    uint32_t free_item;
    int64_t now_ps;
    struct engine_stats stats;
    enum status status; /* of what failed inside an actor */
    struct err *err;

    bool uses_flows;
    double link_Bps; /* of the topology's links */
    sg_host_t *hosts; /* by node */
    struct map route_index; /* user's platform: node pair to routes */
    struct route *routes;
    size_t route_count, route_capacity;
    uint32_t *jobs; /* nodes whose first flow waits for a courier: a ring of node_count */
    size_t job_first, job_count, jobs_announced;
    size_t couriers, idle_couriers, flows;
    sg_sem_t job_sem, clock_sem;
    bool clock_woken, quit;
};

/* ---- the NIC's queue ---- */

static enum status take_item(struct engine *engine, const struct item *item, uint32_t *index, struct err *err)
{
    if (engine->free_item != NONE) {
        *index = engine->free_item;
        engine->free_item = engine->items[*index].next;
        engine->items[*index] = *item;
        return STATUS_OK;
    }
    *index = (uint32_t)engine->item_count;
    ARRAY_PUSH(engine->items, engine->item_count, engine->item_capacity, *item, err);
    return STATUS_OK;
}

static void release_item(struct engine *engine, uint32_t index)
{
    engine->items[index].next = engine->free_item;
    engine->free_item = index;
}

static enum status push_arrival(struct engine *engine, const struct item *item, int64_t left_ps, struct err *err)
{
    return event_queue_push(&engine->queue, left_ps + item->cost.latency_ps, item->key, EVENT_ARRIVED, item->message, err);
}

static void begin_flow(struct engine *engine, uint32_t node)
{
    size_t room = (size_t)engine->platform->node_count;
    engine->items[engine->nics[node].first].began_ps = engine->now_ps;
    engine->jobs[(engine->job_first + engine->job_count++) % room] = node;
    engine->flows++;
}

/* Sends the messages at the head of the queue that are timed only, and begins the first flow. */
static enum status begin_next(struct engine *engine, uint32_t node, struct err *err)
{
    struct nic *nic = &engine->nics[node];
    while (nic->first != NONE) {
        uint32_t index = nic->first;
        struct item *item = &engine->items[index];
        int64_t begin_ps = nic->free_ps > engine->now_ps ? nic->free_ps : engine->now_ps;
        if (item->flow && begin_ps > engine->now_ps)
            return event_queue_push(&engine->queue, begin_ps, item->key, EVENT_BEGIN, node, err);
        if (item->flow) {
            begin_flow(engine, node);
            return STATUS_OK;
        }
        nic->first = item->next;
        nic->free_ps = begin_ps + item->cost.occupy_ps;
        item->began_ps = begin_ps;
        int64_t left_ps = begin_ps + item->cost.transmit_ps;
        if (item->want_left) TRY(event_queue_push(&engine->queue, left_ps, item->key, EVENT_LEFT, index, err));
        TRY(push_arrival(engine, item, left_ps, err));
        if (!item->want_left) release_item(engine, index);
    }
    return STATUS_OK;
}

static enum status route_of(struct engine *engine, int32_t src, int32_t dst, struct route *route, struct err *err)
{
    uint64_t *slot, key = (uint64_t)(uint32_t)src << 32 | (uint32_t)dst;
    TRY(map_put(&engine->route_index, key, engine->route_count, &slot, err));
    if (*slot == engine->route_count) {
        sg_host_t from = engine->hosts[src], to = engine->hosts[dst];
        struct route found = {units_ps(sg_host_get_route_latency(from, to)), sg_host_get_route_bandwidth(from, to)};
        ARRAY_PUSH(engine->routes, engine->route_count, engine->route_capacity, found, err);
    }
    *route = engine->routes[*slot];
    return STATUS_OK;
}

/* On a user's SimGrid platform latency and rate between nodes are those of its routes. */
static enum status set_cost(struct engine *engine, const struct engine_message *message, struct item *item, struct err *err)
{
    struct cost *cost = &item->cost;
    double link_Bps = engine->link_Bps;
    *cost = cost_message(engine->platform, message);
    if (cost->network && engine->platform->simgrid_xml) {
        struct route route;
        TRY(route_of(engine, message->src_node, message->dst_node, &route, err));
        int64_t gap_ps = units_ps(engine->platform->gap_s);
        link_Bps = route.bandwidth_Bps;
        cost->latency_ps = route.latency_ps;
        cost->transmit_ps = units_ps((double)message->bytes / link_Bps);
        cost->occupy_ps = cost->transmit_ps > gap_ps ? cost->transmit_ps : gap_ps;
    }
    item->flow_bytes = units_s(cost->transmit_ps) * link_Bps;
    return STATUS_OK;
}

static enum status simgrid_engine_send(struct engine *engine, const struct engine_message *message,
                                struct engine_departure *departure, struct err *err)
{
    struct item item = {.message = message->id, .key = message->key, .next = NONE, .dst_node = message->dst_node,
                        .want_left = message->want_left};
    TRY(set_cost(engine, message, &item, err));
    engine->stats.messages++;
    struct nic *nic = &engine->nics[message->src_node];
    bool queued = item.cost.network && engine->platform->contention;
    item.flow = queued && message->bytes > FLOW_LEAST_BYTES && item.cost.transmit_ps > 0;
    if (!item.flow && (!queued || nic->first == NONE)) {
        int64_t begin_ps = queued && nic->free_ps > engine->now_ps ? nic->free_ps : engine->now_ps;
        if (queued) nic->free_ps = begin_ps + item.cost.occupy_ps;
        *departure = (struct engine_departure){begin_ps, begin_ps + item.cost.transmit_ps};
        return push_arrival(engine, &item, departure->left_ps, err);
    }
    uint32_t index;
    TRY(take_item(engine, &item, &index, err));
    *departure = (struct engine_departure){ENGINE_LATER, ENGINE_LATER};
    bool first = nic->first == NONE;
    *(first ? &nic->first : &engine->items[nic->last].next) = index;
    nic->last = index;
    return first ? begin_next(engine, (uint32_t)message->src_node, err) : STATUS_OK;
}

static enum status simgrid_engine_timer(struct engine *engine, int64_t at_ps, uint32_t key, uint32_t id, struct err *err)
{
    return event_queue_push(&engine->queue, at_ps, key, EVENT_TIMER, id, err);
}

/* ---- the event loop ---- */

static void tell_left(struct engine *engine, const struct item *item)
{
    const struct engine_callbacks *on = &engine->callbacks;
    if (item->want_left) on->left(on->context, item->message, item->began_ps, engine->now_ps);
}

static enum status end_flow(struct engine *engine, uint32_t node, struct err *err)
{
    struct nic *nic = &engine->nics[node];
    uint32_t index = nic->first;
    struct item item = engine->items[index];
    int64_t gap_end_ps = item.began_ps + item.cost.occupy_ps;
    nic->first = item.next;
    nic->free_ps = gap_end_ps > engine->now_ps ? gap_end_ps : engine->now_ps;
    release_item(engine, index);
    TRY(push_arrival(engine, &item, engine->now_ps, err));
    TRY(begin_next(engine, node, err));
    tell_left(engine, &item);
    return STATUS_OK;
}

static enum status execute(struct engine *engine, struct event event)
{
    const struct engine_callbacks *on = &engine->callbacks;
    engine->now_ps = event.time_ps;
    engine->stats.events++;
    switch ((enum event_type)event.type) {
    case EVENT_TIMER: on->timer(on->context, event.id, event.time_ps); break;
    case EVENT_BEGIN: begin_flow(engine, event.id); break;
    case EVENT_FLOW_END: return end_flow(engine, event.id, engine->err);
    case EVENT_LEFT: {
        struct item item = engine->items[event.id];
        release_item(engine, event.id);
        tell_left(engine, &item);
        break;
    }
    case EVENT_ARRIVED: on->arrived(on->context, event.id, event.time_ps); break;
    }
    return STATUS_OK;
}

/* Executes what is due up to limit_ps. False when the run is over: failed, stopped, or nothing left. */
static bool run_due(struct engine *engine, int64_t limit_ps)
{
    const struct engine_callbacks *on = &engine->callbacks;
    while (engine->queue.count > 0 && engine->queue.items[0].time_ps <= limit_ps) {
        engine->status = execute(engine, event_queue_pop(&engine->queue));
        if (engine->status != STATUS_OK || on->stop(on->context)) return false;
    }
    return engine->queue.count > 0 || engine->flows > 0;
}

/* ---- actors ---- */

static int64_t clock_ps(void)
{
    return units_ps(simgrid_get_clock());
}

/* Not before the time that the flow takes alone. */
static int64_t flow_end_ps(const struct engine *engine, const struct item *item)
{
    int64_t end_ps = clock_ps(), alone_ps = item->began_ps + item->cost.transmit_ps;
    if (end_ps < alone_ps + SNAP_PS + (end_ps >> SNAP_SHIFT)) end_ps = alone_ps;
    return end_ps > engine->now_ps ? end_ps : engine->now_ps;
}

static struct engine *the_engine; /* of the running simulation: SimGrid's actors take text arguments only */

static void courier(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct engine *engine = the_engine;
    for (;;) {
        sg_sem_acquire(engine->job_sem);
        if (engine->quit) return;
        engine->idle_couriers--;
        uint32_t node = engine->jobs[engine->job_first];
        engine->job_first = (engine->job_first + 1) % (size_t)engine->platform->node_count;
        engine->job_count--;
        engine->jobs_announced--;
        const struct item *item = &engine->items[engine->nics[node].first];
        sg_host_sendto(engine->hosts[node], engine->hosts[item->dst_node], item->flow_bytes);
        engine->idle_couriers++;
        engine->flows--;
        if (engine->quit) return;
        item = &engine->items[engine->nics[node].first];
        enum status status = event_queue_push(&engine->queue, flow_end_ps(engine, item), item->key, EVENT_FLOW_END, node,
                                              engine->err);
        if (status != STATUS_OK) engine->status = status;
        if (engine->clock_woken) continue;
        engine->clock_woken = true;
        sg_sem_release(engine->clock_sem);
    }
}

static void start_couriers(struct engine *engine)
{
    for (; engine->jobs_announced < engine->job_count; engine->jobs_announced++) {
        if (engine->idle_couriers <= engine->jobs_announced) {
            sg_actor_create("courier", engine->hosts[0], courier, 0, NULL);
            engine->couriers++;
            engine->idle_couriers++;
        }
        sg_sem_release(engine->job_sem);
    }
}

/* Until the next event is due or a courier has put one in. Returns the time up to which events may be executed: couriers
 * whose flows end at the same time have put in theirs by then. */
static int64_t sleep_until_due(struct engine *engine)
{
    int64_t due_ps = engine->queue.count > 0 ? engine->queue.items[0].time_ps : INT64_MAX;
    double wait_s = units_s(due_ps) - simgrid_get_clock();
    bool timed_out = wait_s <= 0;
    engine->clock_woken = timed_out;
    if (due_ps == INT64_MAX)
        sg_sem_acquire(engine->clock_sem);
    else if (!timed_out)
        timed_out = sg_sem_acquire_timeout(engine->clock_sem, wait_s) != 0;
    engine->clock_woken = true;
    if (!timed_out) return clock_ps();
    if (engine->flows > 0) sg_actor_yield();
    return clock_ps() > due_ps ? clock_ps() : due_ps;
}

static void clock_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct engine *engine = the_engine;
    int64_t limit_ps = 0;
    while (engine->status == STATUS_OK && run_due(engine, limit_ps)) {
        start_couriers(engine);
        limit_ps = sleep_until_due(engine);
    }
    engine->quit = true;
    for (size_t i = 0; i < engine->couriers; i++) sg_sem_release(engine->job_sem);
}

static enum status simgrid_engine_run(struct engine *engine, struct engine_stats *stats, struct err *err)
{
    engine->err = err;
    if (engine->uses_flows) {
        the_engine = engine;
        engine->job_sem = sg_sem_init(0);
        engine->clock_sem = sg_sem_init(0);
        engine->clock_woken = true;
        sg_actor_t clock = sg_actor_init("clock", engine->hosts[0]);
        sg_actor_set_stacksize(clock, CLOCK_STACK_BYTES);
        sg_actor_start(clock, clock_actor, 0, NULL);
        simgrid_run();
        sg_sem_destroy(engine->job_sem);
        sg_sem_destroy(engine->clock_sem);
    } else {
        run_due(engine, INT64_MAX);
    }
    *stats = engine->stats;
    return engine->status;
}

/* ---- opening ---- */

/* SimGrid catches some signals for its own messages; the caller's handlers stay. */
static const int simgrid_signals[] = {SIGINT, SIGSEGV};
enum { SIGNAL_COUNT = sizeof simgrid_signals / sizeof *simgrid_signals };

static void load_platform(const char *file)
{
    static char texts[][32] = {"rmacast", "--log=root.thres:critical", "--log=root.fmt:%m%n", "--cfg=network/model:CM02",
                               "--cfg=network/latency-factor:0", "--cfg=network/crosstraffic:0",
                               "--cfg=network/TCP-gamma:1e20", "--cfg=surf/precision:1e-12",
                               "--cfg=contexts/stack-size:32"};
    enum { COUNT = sizeof texts / sizeof *texts };
    static char *args[COUNT + 1]; /* SimGrid keeps them */
    for (int i = 0; i < COUNT; i++) args[i] = texts[i];
    int count = COUNT;
    struct sigaction before[SIGNAL_COUNT];
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(simgrid_signals[i], NULL, &before[i]);
    simgrid_init(&count, args);
    simgrid_load_platform(file);
    for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(simgrid_signals[i], &before[i], NULL);
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

struct trial { /* of a user's platform, in a child process: SimGrid ends the process on many faults */
    const struct platform *platform;
    const int32_t (*pairs)[2];
    size_t pair_count;
    int errors; /* SimGrid's messages */
};

static void try_route(sg_host_t *hosts, int32_t src, int32_t dst)
{
    if (src == dst) return;
    xbt_dynar_t links = xbt_dynar_new(sizeof(void *), NULL);
    sg_host_get_route(hosts[src], hosts[dst], links);
    if (xbt_dynar_is_empty(links) || !(sg_host_get_route_bandwidth(hosts[src], hosts[dst]) > 0)) {
        dprintf(STDERR_FILENO, "No route from '%s' to '%s'\n", sg_host_get_name(hosts[src]), sg_host_get_name(hosts[dst]));
        abort();
    }
    xbt_dynar_free(&links);
}

static enum status try_platform(void *context, size_t index, FILE *out, struct err *err)
{
    const struct trial *trial = context;
    int32_t nodes = trial->platform->node_count;
    (void)index, (void)out;
    dup2(trial->errors, STDERR_FILENO);
    load_platform(trial->platform->simgrid_xml);
    if (sg_host_count() < (size_t)nodes)
        return err_set(err, STATUS_DATA, trial->platform->simgrid_xml, NULL, "%zu hosts, expected at least nodes.count = %d",
                       sg_host_count(), nodes);
    sg_host_t *hosts = sorted_hosts();
    for (size_t i = 0; i < trial->pair_count; i++) try_route(hosts, trial->pairs[i][0], trial->pairs[i][1]);
    for (int32_t src = 0; !trial->pairs && src < nodes; src++)
        for (int32_t dst = 0; dst < nodes; dst++) try_route(hosts, src, dst);
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
}

static enum status check_user_platform(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                                       struct err *err)
{
    struct trial trial = {platform, pairs, pair_count, memfd_create("simgrid-stderr", MFD_CLOEXEC)};
    if (trial.errors < 0) return err_set(err, STATUS_SYSTEM, NULL, NULL, "no file in memory for SimGrid's messages");
    struct child_answer answer;
    enum status status = children_run(try_platform, &trial, 1, 1, &answer, err);
    if (status == STATUS_OK && answer.status == STATUS_DATA) {
        status = STATUS_DATA;
        if (err) *err = answer.err;
    } else if (status == STATUS_OK && answer.status != STATUS_OK) {
        char line[512];
        first_message(trial.errors, line, sizeof line);
        status = err_set(err, STATUS_DATA, platform->simgrid_xml, NULL, "SimGrid refuses it: %s, expected a SimGrid platform",
                         *line ? line : answer.err.text);
    }
    if (status == STATUS_OK) child_answers_clear(&answer, 1);
    close(trial.errors);
    return status;
}

/* SimGrid reads its platform from a file by name. */
static enum status load_topology(const struct engine *engine, struct err *err)
{
    char name[64];
    int fd = memfd_create("simgrid-platform", MFD_CLOEXEC);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out) return err_set(err, STATUS_SYSTEM, NULL, NULL, "no file in memory for SimGrid's platform");
    enum status status = topology_write_simgrid(engine->platform->topology, engine->link_Bps, out, err);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (status == STATUS_OK) load_platform(name);
    fclose(out);
    return status;
}

static enum status find_hosts(struct engine *engine, struct err *err)
{
    size_t count = (size_t)engine->platform->node_count;
    if (engine->platform->simgrid_xml) {
        engine->hosts = sorted_hosts();
        return STATUS_OK;
    }
    engine->hosts = calloc(count, sizeof *engine->hosts);
    if (!engine->hosts) return err_memory(err);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "node-%zu", i);
        engine->hosts[i] = sg_host_by_name(name);
    }
    return STATUS_OK;
}

static enum status prepare(struct engine *engine, const int32_t (*pairs)[2], size_t pair_count, struct err *err)
{
    const struct platform *platform = engine->platform;
    size_t nodes = (size_t)platform->node_count;
    engine->link_Bps = platform_peak_Bps(platform);
    engine->uses_flows = platform->contention && (platform->simgrid_xml || engine->link_Bps > 0);
    engine->nics = calloc(nodes, sizeof *engine->nics);
    engine->jobs = calloc(nodes, sizeof *engine->jobs);
    if (!engine->nics || !engine->jobs) return err_memory(err);
    struct item unused = {.next = NONE};
    ARRAY_PUSH(engine->items, engine->item_count, engine->item_capacity, unused, err);
    if (!platform->simgrid_xml && !engine->uses_flows) return STATUS_OK;
    if (platform->simgrid_xml) {
        TRY(check_user_platform(platform, pairs, pair_count, err));
        load_platform(platform->simgrid_xml);
    } else {
        TRY(load_topology(engine, err));
    }
    return find_hosts(engine, err);
}

static void simgrid_engine_close(struct engine *engine)
{
    if (!engine) return;
    event_queue_clear(&engine->queue);
    map_clear(&engine->route_index);
    free(engine->routes);
    free(engine->nics);
    free(engine->items);
    free(engine->jobs);
    free(engine->hosts);
    free(engine);
}

static enum status simgrid_engine_open(const struct platform *platform, const int32_t (*pairs)[2], size_t pair_count,
                                const struct engine_callbacks *callbacks, struct engine **engine, struct err *err)
{
    static bool opened;
    if (opened)
        return err_set(err, STATUS_USAGE, "engine", "simgrid",
                       "opened a second time in one process, expected one simulation per process");
    struct engine *made = calloc(1, sizeof *made);
    if (!made) return err_memory(err);
    made->platform = platform;
    made->callbacks = *callbacks;
    enum status status = prepare(made, pairs, pair_count, err);
    if (status != STATUS_OK) {
        simgrid_engine_close(made);
        return status;
    }
    opened = true;
    *engine = made;
    return STATUS_OK;
}

extern const struct engine_descriptor engine_simgrid;
const struct engine_descriptor engine_simgrid = {
    .name = "simgrid",
    .summary = "SimGrid's flow model: messages share the links of the topology or of a SimGrid platform; one per process",
    .open = simgrid_engine_open,
    .send = simgrid_engine_send,
    .timer = simgrid_engine_timer,
    .run = simgrid_engine_run,
    .close = simgrid_engine_close,
    .once_per_process = true,
};
