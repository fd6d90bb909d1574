/* The order of exchanges: predictors/transforms/exchanges.h.
 *
 * A graph has nodes for what a rank may wait in: the access epoch of each part of an exchange, its wait, and each other
 * call of the program. An edge leads to a node from what it waits for, and from what its rank waits in before. Where no
 * circle is, the nodes have an order, and all calls return in it. Exchanges in a circle become one, so that each rank
 * posts before it starts. A circle that stays, or that has another call of the program, cannot be resolved: its
 * exchanges stay messages.
 *
 * Fences are two nodes of an exchange, which all its ranks share. Exchanges that overlap on a rank become one, and so
 * do those that are the same turn of all ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/search.h"
#include "predictors/transforms/exchanges.h"

/* By exchange: why it stays. FAULT_CALL + n: function n is in its circle. */
enum { FAULT_NONE, FAULT_ORDER, FAULT_FENCE, FAULT_ROUNDS, FAULT_CALL };

enum phase { PHASE_GROUPS, PHASE_FENCES, PHASE_ROUNDS }; /* by groups, by fences of the ranks of an exchange, of all */

struct edge {
    uint32_t from, to;
};

struct place { /* of a call */
    uint32_t rank;
    size_t call;
};

struct graph {
    struct exchanges *exchanges;
    struct edge *edges;
    size_t edge_count, edge_capacity;
    struct place *others; /* of nodes behind those of groups: the first call */
    size_t other_count, other_capacity;
    uint32_t *node_of, *last_of; /* by call: its node if it waits; what its rank waited in before */
    uint32_t *posted;            /* by part: what its rank waited in before the post */
    bool fences;
    struct map objects;             /* collective instances and windows to nodes */
    struct map sequences, requests; /* of one rank: calls of an object; requests to collective instances */
    uint32_t rank, last;
    uint32_t *component; /* by node: numbered against the order */
    struct circle {
        uint32_t nodes;
        uint32_t first;        /* a node; of calls of the program if there are any */
        bool direct;           /* some exchange waits for such a call, which waits for the exchange */
    } * circles;               /* by component */
    bool *to_call, *from_call; /* by node: edges to and from other calls in its circle */
};

/* ---- parts and actions */

/* The first wait for data shows all of them, and the first wait for a send says that memory is not read any more. A post for gets
 * says that all data are there. */
static void add_to_part(struct exchange_part *part, const struct exchange_group *group, bool gets)
{
    const bool exposes = group->receives != gets;
    uint64_t *begin = exposes ? &part->post : &part->start, *end = exposes ? &part->wait : &part->complete;
    const bool last_begin = exposes && gets, last_end = !exposes && !gets;
    if (*begin == EXCHANGE_NOWHERE || (last_begin ? group->begin > *begin : group->begin < *begin)) *begin = group->begin;
    if (*end == EXCHANGE_NOWHERE || (last_end ? group->end > *end : group->end < *end)) *end = group->end;
}

static enum status find_parts(struct exchanges *exchanges, struct err *err)
{
    uint32_t *parts = calloc(exchanges->group_count + 1, sizeof *parts); /* by exchange: its last part, plus 1 */
    enum status status = parts ? STATUS_OK : err_memory(err);
    exchanges->part_count = exchanges->exchange_count = 0;
    for (uint32_t g = 0; status == STATUS_OK && g < exchanges->group_count; g++) {
        struct exchange_group *group = &exchanges->groups[g];
        const struct exchange_part none = {group->rank,      exchange_of(exchanges, g), EXCHANGE_NOWHERE,
                                           EXCHANGE_NOWHERE, EXCHANGE_NOWHERE,          EXCHANGE_NOWHERE};
        uint32_t *last = &parts[none.exchange];
        exchanges->exchange_count += none.exchange == g;
        if (*last == 0 || exchanges->parts[*last - 1].rank != group->rank) {
            status = array_reserve((void **)&exchanges->parts, &exchanges->part_capacity, exchanges->part_count + 1,
                                   sizeof none, err);
            if (status != STATUS_OK) break;
            exchanges->parts[exchanges->part_count] = none;
            *last = (uint32_t)++exchanges->part_count;
        }
        group->part = *last - 1;
        add_to_part(&exchanges->parts[group->part], group, exchanges->gets);
    }
    free(parts);
    return status;
}

/* Rank, then the last place: at which a part's window is free for the next one. */
static uint64_t end_of(const struct exchange_part *part, bool fences, bool gets)
{
    bool accesses = part->complete != EXCHANGE_NOWHERE, exposes = part->wait != EXCHANGE_NOWHERE;
    if (!fences) return part->wait;
    if (gets) return part->complete < part->wait ? part->complete : part->wait; /* no place is behind EXCHANGE_NOWHERE */
    return !exposes || (accesses && part->complete > part->wait) ? part->complete : part->wait;
}

struct part_end {
    uint64_t end;
    uint32_t rank, part;
};

ORDER(compare_ends, struct part_end, UP(rank) UP(end))

ORDER(compare_actions, struct exchange_action, UP(rank) UP(place) UP(act))

/* Most are in order, and the others near their place. */
static void sort_near(void *items, size_t count, size_t bytes, int (*compare)(const void *, const void *))
{
    enum { ITEM_BYTES = 32, SHIFTS = 16 };
    char *all = items, item[ITEM_BYTES];
    size_t shifts = SHIFTS * count;
    for (size_t i = 1; i < count; i++) {
        char *place = all + i * bytes;
        if (compare(place - bytes, place) <= 0) continue;
        memcpy(item, place, bytes);
        for (; place > all && shifts > 0 && compare(place - bytes, item) > 0; place -= bytes, shifts--)
            memcpy(place, place - bytes, bytes);
        memcpy(place, item, bytes);
        if (shifts > 0) continue;
        qsort(items, count, bytes, compare);
        return;
    }
}

static enum status add_action(struct exchanges *exchanges, uint64_t place, uint32_t rank, uint32_t part,
                              enum exchange_act act, struct err *err)
{
    struct exchange_action made = {place, rank, part, act};
    if (place != EXCHANGE_NOWHERE)
        ARRAY_PUSH(exchanges->actions, exchanges->action_count, exchanges->action_capacity, made, err);
    return STATUS_OK;
}

static enum status add_part_actions(struct exchanges *exchanges, uint32_t number, uint64_t begin, bool fences,
                                    struct err *err)
{
    const struct exchange_part *part = &exchanges->parts[number];
    if (fences) {
        TRY(add_action(exchanges, begin, part->rank, number, ACT_OPEN, err));
        return add_action(exchanges, end_of(part, true, exchanges->gets), part->rank, number, ACT_CLOSE, err);
    }
    if (part->wait != EXCHANGE_NOWHERE) TRY(add_action(exchanges, begin, part->rank, number, ACT_POST, err));
    TRY(add_action(exchanges, part->start, part->rank, number, ACT_START, err));
    TRY(add_action(exchanges, part->complete, part->rank, number, ACT_COMPLETE, err));
    return add_action(exchanges, part->wait, part->rank, number, ACT_WAIT, err);
}

/* The post, or the fence that opens: for puts before the rank's own start; for gets the data have to be there. */
static uint64_t begin_of(const struct exchange_part *part, bool fences, bool gets)
{
    if (gets) return fences && part->post == EXCHANGE_NOWHERE ? part->start : part->post;
    return part->start != EXCHANGE_NOWHERE && part->start < part->post ? part->start - 1 : part->post;
}

/* A rank waits for a part of its exchange before it sends another part; or the fence would close before it opens. */
static bool is_out_of_order(const struct exchange_part *part, uint64_t begin, bool fences, bool gets)
{
    const uint64_t end = end_of(part, fences, gets);
    return gets ? end < begin : fences && end > part->wait;
}

/* The post comes behind the wait of the exposure epoch before it, which is on the same window: before is the place of that. */
static enum status place_part(struct exchanges *exchanges, uint32_t number, uint64_t before, bool fences, uint16_t *faults,
                              struct err *err)
{
    const struct exchange_part *part = &exchanges->parts[number];
    uint64_t begin = begin_of(part, fences, exchanges->gets);
    if (begin < before) begin = before / EXCHANGE_SLOTS * EXCHANGE_SLOTS + SLOT_POST_BEHIND;
    if (fences && !exchanges->gets && part->start != EXCHANGE_NOWHERE && begin > part->start)
        faults[part->exchange] = FAULT_ROUNDS;
    if (is_out_of_order(part, begin, fences, exchanges->gets)) faults[part->exchange] = FAULT_ORDER;
    return add_part_actions(exchanges, number, begin, fences, err);
}

/* The parts that occupy the window, in the order of their ends; the others between them, near their place. */
static enum status find_actions(struct exchanges *exchanges, bool fences, uint16_t *faults, struct err *err)
{
    struct part_end *ends = malloc((exchanges->part_count + 1) * sizeof *ends);
    enum status status = ends ? STATUS_OK : err_memory(err);
    size_t count = 0;
    uint32_t next = 0;
    for (uint32_t p = 0; ends && p < exchanges->part_count; p++) {
        const uint64_t end = end_of(&exchanges->parts[p], fences, exchanges->gets);
        if (end != EXCHANGE_NOWHERE) ends[count++] = (struct part_end){end, exchanges->parts[p].rank, p};
    }
    if (ends) sort_near(ends, count, sizeof *ends, compare_ends);
    exchanges->action_count = 0;
    for (size_t i = 0; status == STATUS_OK && i <= count; i++) {
        const uint32_t until = i < count ? ends[i].part : (uint32_t)exchanges->part_count;
        for (; status == STATUS_OK && next < until; next++)
            if (end_of(&exchanges->parts[next], fences, exchanges->gets) == EXCHANGE_NOWHERE)
                status = place_part(exchanges, next, 0, fences, faults, err);
        if (status != STATUS_OK || i == count) continue;
        const bool follows = i > 0 && ends[i - 1].rank == ends[i].rank;
        status = place_part(exchanges, ends[i].part, follows ? ends[i - 1].end : 0, fences, faults, err);
    }
    free(ends);
    sort_near(exchanges->actions, exchanges->action_count, sizeof *exchanges->actions, compare_actions);
    return status;
}

/* Sends wait for nobody: each group ends on its own. */
static enum status find_group_actions(struct exchanges *exchanges, struct err *err)
{
    exchanges->action_count = 0;
    for (uint32_t g = 0; g < exchanges->group_count; g++)
        if (!exchanges->groups[g].receives)
            TRY(add_action(exchanges, exchanges->groups[g].end, exchanges->groups[g].rank, g, ACT_COMPLETE, err));
    sort_near(exchanges->actions, exchanges->action_count, sizeof *exchanges->actions, compare_actions);
    return STATUS_OK;
}

/* ---- the graph */

static enum status add_edge(struct graph *graph, uint32_t from, uint32_t to, struct err *err)
{
    struct edge made = {from, to};
    if (from == EXCHANGE_NONE || to == EXCHANGE_NONE || from == to) return STATUS_OK;
    ARRAY_PUSH(graph->edges, graph->edge_count, graph->edge_capacity, made, err);
    return STATUS_OK;
}

static enum status visit_node(struct graph *graph, uint32_t node, bool waits, struct err *err)
{
    TRY(add_edge(graph, graph->last, node, err));
    if (waits) graph->last = node;
    return STATUS_OK;
}

static enum status add_node(struct graph *graph, size_t call, uint32_t *node, struct err *err)
{
    struct place made = {graph->rank, call};
    *node = (uint32_t)(2 * graph->exchanges->group_count + graph->other_count);
    ARRAY_PUSH(graph->others, graph->other_count, graph->other_capacity, made, err);
    return STATUS_OK;
}

/* The node of a collective instance, or of all synchronisation of a window but fences. New if the key is. */
static enum status shared_node(struct graph *graph, size_t call, uint32_t *node, struct err *err)
{
    const struct trace_call *of = &graph->exchanges->trace->ranks[graph->rank].calls[call];
    enum call_kind kind = call_kind(of->call);
    bool window = call_row(of->call)->allowed & F_WIN;
    uint32_t object = (uint32_t)of->handle * 2 + window, number = UINT32_MAX; /* no instance has this number */
    uint64_t *slot, next = 2 * graph->exchanges->group_count + graph->other_count;
    if (call_makes_own_comm(of->call))
        object = UINT32_MAX, number = of->comm.newcomm;
    else if (!window || kind == CALL_FENCE || kind == CALL_WIN_CREATE || kind == CALL_WIN_FREE) {
        TRY(map_put(&graph->sequences, object, 0, &slot, err));
        number = (uint32_t)(*slot)++;
    }
    TRY(map_put(&graph->objects, map_pair(object, number), next, &slot, err));
    *node = (uint32_t)*slot;
    return *slot == next ? add_node(graph, call, node, err) : STATUS_OK;
}

static bool is_shared(enum call_kind kind)
{
    enum call_arm arm = call_arm(kind);
    return arm == ARM_COLLECTIVE || arm == ARM_COMM || arm == ARM_WINDOW || arm == ARM_SYNC;
}

static enum status visit_call(struct graph *graph, size_t call, struct err *err)
{
    const struct exchanges *exchanges = graph->exchanges;
    const struct trace_call *of = &exchanges->trace->ranks[graph->rank].calls[call];
    enum call_kind kind = call_kind(of->call);
    size_t index = exchanges->first[graph->rank] + call;
    bool waits = exchanges->waits[index];
    bool begins = kind == CALL_POST || (call_arm(kind) == ARM_COLLECTIVE && call_makes_request(of->call));
    uint32_t node, count = 0;
    graph->last_of[index] = graph->last;
    if (!waits && !begins) return STATUS_OK;
    TRY(is_shared(kind) ? shared_node(graph, call, &node, err) : add_node(graph, call, &node, err));
    TRY(visit_node(graph, node, waits, err));
    if (begins && kind != CALL_POST) TRY(map_set(&graph->requests, of->collective.request, node, err));
    if (!waits) return STATUS_OK;
    graph->node_of[index] = node;
    const uint32_t *ids = trace_call_completed(exchanges->trace, of, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t collective;
        if (map_take(&graph->requests, ids[i], &collective)) TRY(add_edge(graph, (uint32_t)collective, node, err));
    }
    return STATUS_OK;
}

/* Two nodes of a part, or, if fences, of an exchange. */
static enum status visit_action(struct graph *graph, const struct exchange_action *action, struct err *err)
{
    bool second = action->act == ACT_WAIT || action->act == ACT_CLOSE;
    uint32_t of = graph->fences ? graph->exchanges->parts[action->part].exchange : action->part;
    if (action->act != ACT_POST) return visit_node(graph, 2 * of + second, true, err);
    graph->posted[action->part] = graph->last;
    return STATUS_OK;
}

static enum status visit_ranks(struct graph *graph, struct err *err)
{
    const struct exchanges *exchanges = graph->exchanges;
    size_t next = 0;
    for (graph->rank = 0; graph->rank < exchanges->trace->rank_count; graph->rank++) {
        size_t count = exchanges->trace->ranks[graph->rank].count;
        graph->last = EXCHANGE_NONE;
        map_empty(&graph->sequences);
        map_empty(&graph->requests);
        for (size_t i = 0; i <= count; i++) {
            for (; next < exchanges->action_count && exchanges->actions[next].rank == graph->rank; next++) {
                const struct exchange_action *action = &exchanges->actions[next];
                if (action->place >= (uint64_t)i * EXCHANGE_SLOTS + SLOT_STAYS) break;
                TRY(visit_action(graph, action, err));
            }
            if (i < count) TRY(visit_call(graph, i, err));
        }
    }
    return STATUS_OK;
}

/* An access epoch waits for the posts of its targets, and their waits for its complete. A receive waits for its send to
 * begin, and a send for its receive to be posted, as a synchronous one does. */
static enum status relate_messages(struct graph *graph, struct err *err)
{
    const struct exchanges *exchanges = graph->exchanges;
    for (size_t i = 0; i < exchanges->count; i++) {
        const struct exchange_message *message = &exchanges->messages[i];
        size_t sends = exchanges->first[message->of.sender], receives = exchanges->first[message->of.receiver];
        if (!message->stays && !graph->fences) {
            uint32_t origin = exchanges->groups[message->groups[exchanges->gets]].part,
                     target = exchanges->groups[message->groups[!exchanges->gets]].part;
            TRY(add_edge(graph, graph->posted[target], 2 * origin, err));
            TRY(add_edge(graph, 2 * origin, 2 * target + 1, err));
        }
        if (!message->stays) continue;
        if (message->received != MESSAGE_NONE)
            TRY(add_edge(graph, graph->last_of[sends + message->of.send_call],
                         graph->node_of[receives + message->received], err));
        if (message->sent != MESSAGE_NONE)
            TRY(add_edge(graph, graph->last_of[receives + message->of.receive_call],
                         graph->node_of[sends + message->sent], err));
    }
    for (size_t i = 0; i < exchanges->probe_count; i++) {
        const struct probe *probe = &exchanges->probes[i];
        if (probe->message == MESSAGE_NONE) continue;
        const struct message *of = &exchanges->messages[probe->message].of;
        TRY(add_edge(graph, graph->last_of[exchanges->first[of->sender] + of->send_call],
                     graph->node_of[exchanges->first[probe->rank] + probe->call], err));
    }
    return STATUS_OK;
}

/* ---- strongly connected components (Tarjan 1972), without recursion */

struct search {
    const uint32_t *next, *targets; /* the edges by node */
    uint32_t *low, *index, *stack, *path, *edge;
    size_t stack_count, path_count;
    uint32_t numbered, components;
};

static void enter_node(struct search *search, uint32_t node)
{
    search->index[node] = search->low[node] = ++search->numbered;
    search->edge[node] = search->next[node];
    search->stack[search->stack_count++] = node;
    search->path[search->path_count++] = node;
}

static void leave_node(struct graph *graph, struct search *search, uint32_t node)
{
    uint32_t before = --search->path_count > 0 ? search->path[search->path_count - 1] : EXCHANGE_NONE, member;
    if (before != EXCHANGE_NONE && search->low[node] < search->low[before]) search->low[before] = search->low[node];
    if (search->low[node] != search->index[node]) return;
    do {
        member = search->stack[--search->stack_count];
        graph->component[member] = search->components;
        graph->circles[search->components].nodes++;
        if (member >= graph->circles[search->components].first) graph->circles[search->components].first = member;
    } while (member != node);
    search->components++;
}

static void search_node(struct graph *graph, struct search *search, uint32_t root)
{
    enter_node(search, root);
    while (search->path_count > 0) {
        uint32_t node = search->path[search->path_count - 1];
        if (search->edge[node] == search->next[node + 1]) {
            leave_node(graph, search, node);
            continue;
        }
        uint32_t to = search->targets[search->edge[node]++];
        if (search->index[to] == 0)
            enter_node(search, to);
        else if (graph->component[to] == EXCHANGE_NONE && search->index[to] < search->low[node])
            search->low[node] = search->index[to];
    }
}

static enum status find_components(struct graph *graph, struct err *err)
{
    size_t nodes = 2 * graph->exchanges->group_count + graph->other_count;
    uint32_t *room = calloc(7 * (nodes + 2) + graph->edge_count, sizeof *room), *next = room,
             *targets = room + 6 * (nodes + 2);
    graph->component = malloc((nodes + 1) * sizeof *graph->component);
    graph->circles = calloc(nodes + 1, sizeof *graph->circles);
    graph->to_call = calloc(2 * (nodes + 1), sizeof *graph->to_call);
    if (!room || !graph->component || !graph->circles || !graph->to_call) {
        free(room);
        return err_memory(err);
    }
    memset(graph->component, 0xff, (nodes + 1) * sizeof *graph->component);
    for (size_t i = 0; i < graph->edge_count; i++) next[graph->edges[i].from + 1]++;
    for (size_t i = 0; i < nodes; i++) next[i + 1] += next[i];
    struct search search = {.next = next,
                            .targets = targets,
                            .low = room + nodes + 2,
                            .index = room + 2 * (nodes + 2),
                            .stack = room + 3 * (nodes + 2),
                            .path = room + 4 * (nodes + 2),
                            .edge = room + 5 * (nodes + 2)};
    memcpy(search.edge, next, (nodes + 1) * sizeof *next);
    for (size_t i = 0; i < graph->edge_count; i++) targets[search.edge[graph->edges[i].from]++] = graph->edges[i].to;
    for (uint32_t node = 0; node < nodes; node++)
        if (search.index[node] == 0) search_node(graph, &search, node);
    graph->from_call = graph->to_call + nodes + 1;
    free(room);
    return STATUS_OK;
}

static void graph_clear(struct graph *graph)
{
    FREE_ALL(graph->edges, graph->others, graph->node_of, graph->last_of, graph->component, graph->circles,
             graph->to_call, graph->posted);
    map_clear(&graph->objects);
    map_clear(&graph->sequences);
    map_clear(&graph->requests);
}

static enum status graph_build(struct exchanges *exchanges, bool fences, struct graph *graph, struct err *err)
{
    size_t calls = exchanges->first[exchanges->trace->rank_count] + 1;
    *graph = (struct graph){.exchanges = exchanges, .fences = fences};
    graph->node_of = malloc(calls * sizeof *graph->node_of);
    graph->last_of = malloc(calls * sizeof *graph->last_of);
    graph->posted = malloc((exchanges->part_count + 1) * sizeof *graph->posted);
    if (!graph->node_of || !graph->last_of || !graph->posted) return err_memory(err);
    memset(graph->node_of, 0xff, calls * sizeof *graph->node_of);
    memset(graph->last_of, 0xff, calls * sizeof *graph->last_of);
    TRY(visit_ranks(graph, err));
    TRY(relate_messages(graph, err));
    return find_components(graph, err);
}

/* ---- what circles and fences allow */

static enum status refuse_exchanges(struct exchanges *exchanges, uint16_t *faults, bool *again, struct err *err)
{
    static const char *const texts[] = {
        [FAULT_ORDER] = "a rank waits for a part of its exchange before it sends another part",
        [FAULT_FENCE] = "not all ranks of the communicator have its exchange equally often, and a fence needs all",
        [FAULT_ROUNDS] = "its exchange overlaps another one, and fences cannot",
    };
    for (uint32_t g = 0; g < exchanges->group_count; g++) /* some were joined since */
        if (faults[g] != FAULT_NONE) faults[exchange_of(exchanges, g)] = faults[g];
    for (size_t i = 0; i < exchanges->count; i++) {
        struct exchange_message *message = &exchanges->messages[i];
        unsigned fault = message->stays ? FAULT_NONE : faults[exchange_of(exchanges, message->groups[0])];
        char text[160];
        if (fault == FAULT_NONE) continue;
        if (fault >= FAULT_CALL)
            snprintf(text, sizeof text, "%s is between the calls of its exchange: one would wait for the other",
                     call_name((enum mpi_call)(fault - FAULT_CALL)));
        *again = true;
        TRY(exchanges_refuse(exchanges, message, 0, err, fault >= FAULT_CALL ? text : texts[fault]));
    }
    return STATUS_OK;
}

enum { RESOLVED = 0, JOINED = 1, FAULTY = 2 };

static uint32_t exchange_of_node(const struct graph *graph, size_t node)
{
    return graph->fences ? (uint32_t)(node / 2) : graph->exchanges->parts[node / 2].exchange;
}

static bool is_call(const struct graph *graph, uint32_t node)
{
    return node >= 2 * graph->exchanges->group_count;
}

static void find_direct(struct graph *graph)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        uint32_t from = graph->edges[i].from, to = graph->edges[i].to;
        if (graph->component[from] != graph->component[to]) continue;
        if (is_call(graph, to)) graph->to_call[from] = true;
        if (is_call(graph, from)) graph->from_call[to] = true;
    }
    for (size_t n = 0; n < 2 * graph->exchanges->group_count; n++)
        if (graph->to_call[n] && graph->from_call[n]) graph->circles[graph->component[n]].direct = true;
}

/* Joins the exchanges of each circle, or sets the faults of those with other calls: first of those that wait for such a
 * call and for which it waits, since the others may then be in no circle any more. last: no circle is allowed. */
static int resolve_circles(struct graph *graph, bool last, uint16_t *faults)
{
    struct exchanges *exchanges = graph->exchanges;
    int found = RESOLVED;
    find_direct(graph);
    for (size_t n = 2 * exchanges->group_count; n-- > 0;) {
        const struct circle *circle = &graph->circles[graph->component[n]];
        if (circle->nodes < 2) continue;
        uint32_t exchange = exchange_of_node(graph, n);
        if (is_call(graph, circle->first)) {
            const struct place *other = &graph->others[circle->first - 2 * exchanges->group_count];
            if (circle->direct && !(graph->to_call[n] && graph->from_call[n])) continue;
            faults[exchange] = (uint16_t)(FAULT_CALL + exchanges->trace->ranks[other->rank].calls[other->call].call);
            found |= FAULTY;
        } else if (last) {
            faults[exchange] = FAULT_ROUNDS;
            found |= FAULTY;
        } else if (exchange_of(exchanges, exchange) != exchange_of(exchanges, exchange_of_node(graph, circle->first))) {
            exchanges_join(exchanges, exchange, exchange_of_node(graph, circle->first));
            found |= JOINED;
        }
    }
    for (size_t n = 0; n < 2 * exchanges->group_count && found == RESOLVED; n++)
        if (graph->circles[graph->component[n]].nodes > 1) faults[exchange_of_node(graph, n)] = FAULT_ORDER;
    return found;
}

/* Joins exchanges that overlap on a rank, which is in one fence epoch at a time. actions: by groups. */
static enum status join_overlaps(struct exchanges *exchanges, bool *joined, struct err *err)
{
    const struct exchange_action *actions = exchanges->actions;
    uint32_t *open = calloc(exchanges->part_count + 1, sizeof *open); /* by part: actions so far */
    if (!open) return err_memory(err);
    for (size_t i = 0, parts = 0; i < exchanges->action_count; i++) {
        const struct exchange_part *part = &exchanges->parts[actions[i].part];
        const uint32_t all = (part->start != EXCHANGE_NOWHERE ? 2u : 0u) + (part->wait != EXCHANGE_NOWHERE ? 2u : 0u);
        bool opens = open[actions[i].part]++ == 0;
        if (opens && parts++ > 0) {
            exchanges_join(exchanges, exchanges->parts[actions[i - 1].part].exchange, part->exchange);
            *joined = true;
        }
        parts -= open[actions[i].part] == all;
    }
    free(open);
    return STATUS_OK;
}

/* ---- fences: rounds that all ranks have */

struct rounds {
    struct exchanges *exchanges;
    uint16_t *faults;
    uint32_t *parts; /* by order of exchanges */
    uint32_t *seen;  /* by rank: exchanges of the stretch */
    uint32_t *level; /* by level: an exchange */
};

struct part_order {
    uint32_t order, part;
};

ORDER(compare_order, struct part_order, DOWN(order) UP(part))

/* The n-th exchange of each rank is one round, if the numbers agree. A stretch is between exchanges of all ranks. */
static void join_stretch(struct rounds *rounds, size_t begin, size_t end)
{
    struct exchanges *exchanges = rounds->exchanges;
    const struct exchange_part *parts = exchanges->parts;
    const struct trace_comm *comm = &exchanges->trace->definitions.comms[exchanges->comm];
    bool agree = true;
    uint32_t level = 0;
    if (begin == end) return;
    memset(rounds->seen, 0, exchanges->trace->rank_count * sizeof *rounds->seen);
    for (size_t i = begin; i < end; i++) {
        const struct exchange_part *part = &parts[rounds->parts[i]];
        bool first = i == begin || part->exchange != parts[rounds->parts[i - 1]].exchange;
        if (first) level = rounds->seen[part->rank];
        agree = agree && rounds->seen[part->rank] == level;
        rounds->seen[part->rank]++;
    }
    for (uint32_t m = 0; m < comm->count; m++)
        agree = agree && rounds->seen[comm->members[m]] == rounds->seen[comm->members[0]];
    memset(rounds->seen, 0, exchanges->trace->rank_count * sizeof *rounds->seen);
    memset(rounds->level, 0xff, (end - begin) * sizeof *rounds->level);
    for (size_t i = begin; i < end; i++) {
        const struct exchange_part *part = &parts[rounds->parts[i]];
        uint32_t *of = &rounds->level[agree ? rounds->seen[part->rank]++ : 0];
        if (!agree) rounds->faults[part->exchange] = FAULT_FENCE;
        if (*of == EXCHANGE_NONE) *of = part->exchange;
        if (agree) exchanges_join(exchanges, *of, part->exchange);
    }
}

static void join_rounds(struct rounds *rounds)
{
    const struct exchanges *exchanges = rounds->exchanges;
    size_t members = exchanges->trace->definitions.comms[exchanges->comm].count, stretch = 0;
    for (size_t i = 0, end; i < exchanges->part_count; i = end) {
        uint32_t exchange = exchanges->parts[rounds->parts[i]].exchange;
        for (end = i; end < exchanges->part_count && exchanges->parts[rounds->parts[end]].exchange == exchange; end++)
            continue;
        if (end - i < members) continue;
        join_stretch(rounds, stretch, i);
        stretch = end;
    }
    join_stretch(rounds, stretch, exchanges->part_count);
}

static enum status find_rounds(struct exchanges *exchanges, const struct graph *graph, uint16_t *faults,
                               struct err *err)
{
    size_t count = exchanges->part_count + 1;
    struct part_order *order = malloc(count * sizeof *order);
    struct rounds rounds = {exchanges, faults, malloc(count * sizeof *rounds.parts),
                            malloc(((size_t)exchanges->trace->rank_count + 1) * sizeof *rounds.seen),
                            malloc(count * sizeof *rounds.level)};
    bool ready = order && rounds.parts && rounds.seen && rounds.level;
    for (uint32_t p = 0; ready && p < exchanges->part_count; p++)
        order[p] = (struct part_order){graph->component[2 * exchanges->parts[p].exchange], p};
    if (ready) qsort(order, exchanges->part_count, sizeof *order, compare_order);
    for (size_t p = 0; ready && p < exchanges->part_count; p++) rounds.parts[p] = order[p].part;
    if (ready) join_rounds(&rounds);
    FREE_ALL(order, rounds.parts, rounds.seen, rounds.level);
    return ready ? STATUS_OK : err_memory(err);
}

/* ---- */

/* Goes to the next phase, or is done. */
static enum status end_phase(struct exchanges *exchanges, enum exchange_order order, const struct graph *graph,
                             enum phase *phase, uint16_t *faults, bool *done, struct err *err)
{
    bool joined = false;
    *done = *phase == PHASE_ROUNDS || order == EXCHANGE_BY_GROUPS;
    if (*done) return STATUS_OK;
    if (*phase == PHASE_GROUPS) TRY(join_overlaps(exchanges, &joined, err));
    if (*phase == PHASE_FENCES) TRY(find_rounds(exchanges, graph, faults, err));
    if (!joined) ++*phase;
    return STATUS_OK;
}

/* Joins until no exchanges wait for each other. */
static enum status sort_exchanges(struct exchanges *exchanges, enum exchange_order order, uint16_t *faults, bool *again,
                                  struct err *err)
{
    enum phase phase = PHASE_GROUPS;
    for (bool done = false; !done;) {
        struct graph graph;
        TRY(find_parts(exchanges, err));
        TRY(find_actions(exchanges, phase > PHASE_GROUPS, faults, err));
        enum status status = graph_build(exchanges, phase > PHASE_GROUPS, &graph, err);
        int found = status == STATUS_OK ? resolve_circles(&graph, phase == PHASE_ROUNDS, faults) : FAULTY;
        if (status == STATUS_OK && found == RESOLVED)
            status = end_phase(exchanges, order, &graph, &phase, faults, &done, err);
        graph_clear(&graph);
        TRY(status);
        for (size_t g = 0; !done && g < exchanges->group_count; g++) done = faults[g] != FAULT_NONE;
    }
    return refuse_exchanges(exchanges, faults, again, err);
}

enum status exchanges_sort(struct exchanges *exchanges, enum exchange_order order, bool *again, struct err *err)
{
    if (order < EXCHANGE_BY_GROUPS) {
        TRY(find_parts(exchanges, err));
        return order == EXCHANGE_FLUSHED ? find_group_actions(exchanges, err) : STATUS_OK;
    }
    uint16_t *faults = calloc(exchanges->group_count + 1, sizeof *faults);
    enum status status = faults ? sort_exchanges(exchanges, order, faults, again, err) : err_memory(err);
    free(faults);
    return status;
}
