/* docs/simulation.md, Messages: sending NICs are queues, first in, first out; receiving NICs take messages in the order
 * in which their heads come; within a node and to oneself nothing queues. With engine.links = queue the links inside
 * are queues, too. */
#include "tests/reference/model.h"

#include <math.h>

#include "common/units.h"
#include "platforms/topology/topology.h"

struct flight {
    struct transport transport;
    int32_t from_node, to_node;
    int64_t lasts_ps, latency_ps;
    int32_t link, links; /* inside: the next one, all */
    /* where shares come back */
    int64_t since_ps, rest_ps, tail_ps; /* received; from since_ps on so much was left, at the full rate */
    double stretch; /* within a node: of the reception at present */
    uint32_t key;
    uint64_t sequence; /* by these its arrival is ordered */
    struct flight *next;
};

static int64_t copy_ps(int64_t bytes, double rate_Bps)
{
    return bytes == 0 ? 0 : units_ps((double)bytes / rate_Bps);
}

static void arrive(struct model *model, void *what)
{
    struct flight *flight = what;
    if (flight->transport.arrived) flight->transport.arrived(model, flight->transport.what);
}

static void leave(struct model *model, void *what)
{
    struct flight *flight = what;
    if (flight->transport.left) flight->transport.left(model, flight->transport.what);
}

/* Messages arrive in the order of their heads, also where those without bytes wait for the same data and arrive with
 * them; messages of equal heads in the order of their senders. */
static uint32_t order_of(const struct model *model, struct nic *nic, const struct flight *flight)
{
    uint32_t rank = flight->transport.from;
    if (flight->lasts_ps > 0) return rank;
    if (model->now_ps > nic->head_ps) nic->before = nic->last;
    nic->head_ps = model->now_ps;
    if (rank < nic->before) rank = nic->before;
    if (rank > nic->last) nic->last = rank;
    return rank;
}

/* --- mpi.rma.protocol.reverse_share --- */

static double stretch_of(const struct model *model, int32_t node)
{
    int64_t back = 0;
    for (int32_t other = 0; other < model->platform->node_count; other++) {
        const struct flight *flight = model->nics[other].receives;
        if (flight && flight->from_node == node) back += flight->transport.reverse;
    }
    return fmax(1 + (double)back / 1e9, 0.5);
}

static void tail_arrives(struct model *model, void *what);

static void plan_tail(struct model *model, struct flight *flight)
{
    flight->tail_ps = flight->since_ps + llround((double)flight->rest_ps * stretch_of(model, flight->to_node));
    event_add_again(model, flight->tail_ps, flight->key, flight->sequence, tail_arrives, flight);
}

/* The NIC begins to receive the flight, or has received its own (NULL). What comes back changes at the node of the sender. */
static void change_reception(struct model *model, struct nic *nic, struct flight *flight)
{
    int32_t sender = flight ? flight->from_node : nic->receives->from_node;
    struct flight *slowed = model->nics[sender].receives;
    double before = stretch_of(model, sender);
    nic->receives = flight;
    if (flight) plan_tail(model, flight);
    if (!slowed || slowed->tail_ps <= model->now_ps || stretch_of(model, sender) == before) return;
    slowed->rest_ps -= (int64_t)floor((double)(model->now_ps - slowed->since_ps) / before);
    slowed->since_ps = model->now_ps;
    plan_tail(model, slowed);
}

static void receive_next(struct model *model, struct nic *nic)
{
    while (!nic->receives && nic->behind) {
        struct flight *flight = nic->behind;
        nic->behind = flight->next;
        flight->since_ps = model->now_ps;
        if (flight->lasts_ps > 0)
            change_reception(model, nic, flight);
        else
            event_add_again(model, model->now_ps, flight->key, flight->sequence, arrive, flight);
    }
}

static void tail_arrives(struct model *model, void *what)
{
    struct flight *flight = what;
    struct nic *nic = &model->nics[flight->to_node];
    if (nic->receives != flight || flight->tail_ps != model->now_ps) return; /* planned anew */
    nic->receive_ps = model->now_ps;
    change_reception(model, nic, NULL);
    receive_next(model, nic);
    arrive(model, flight);
}

static void head_is_queued(struct model *model, struct nic *nic, struct flight *flight)
{
    struct flight **end = &nic->behind;
    flight->rest_ps = flight->lasts_ps;
    flight->key = order_of(model, nic, flight);
    flight->sequence = model->sequence++;
    while (*end) end = &(*end)->next;
    *end = flight;
    receive_next(model, nic);
}

static bool shares_come_back(const struct platform *platform)
{
    return platform->contention && protocol_reverses(&platform->protocol);
}

/* --- network.loopback.reverse_share: the same for the ranks of a node, but messages do not queue --- */

static void tail_is_within(struct model *model, void *what);

/* Plans the tails of all messages whose rate is another one than before; those that end now have ended. */
static void plan_within(struct model *model)
{
    for (struct flight *flight = model->received_within; flight; flight = flight->next) {
        int64_t back = 0;
        for (const struct flight *other = model->received_within; other; other = other->next)
            if (other->transport.from == flight->transport.to) back += other->transport.reverse;
        const double stretch = fmax(1 + (double)back / 1e9, 0.5);
        if (flight->stretch == stretch || (flight->stretch > 0 && flight->tail_ps <= model->now_ps)) continue;
        if (flight->stretch > 0) flight->rest_ps -= (int64_t)floor((double)(model->now_ps - flight->since_ps) / flight->stretch);
        flight->stretch = stretch;
        flight->since_ps = model->now_ps;
        flight->tail_ps = model->now_ps + llround((double)flight->rest_ps * stretch);
        event_add_again(model, flight->tail_ps, flight->key, flight->sequence, tail_is_within, flight);
    }
}

static void tail_is_within(struct model *model, void *what)
{
    struct flight *flight = what, **link = &model->received_within;
    while (*link && *link != flight) link = &(*link)->next;
    if (!*link || flight->tail_ps != model->now_ps) return; /* planned anew */
    *link = flight->next;
    plan_within(model);
    arrive(model, flight);
}

static void head_is_within(struct model *model, void *what)
{
    struct flight *flight = what;
    flight->next = model->received_within;
    model->received_within = flight;
    plan_within(model);
}

static bool shares_come_back_within(const struct platform *platform)
{
    return platform->contention && platform_reverses_within(platform);
}

static void head_arrives(struct model *model, void *what)
{
    struct flight *flight = what;
    struct nic *nic = &model->nics[flight->to_node];
    int64_t begin_ps = nic->receive_ps > model->now_ps ? nic->receive_ps : model->now_ps;
    bool at_once = flight->lasts_ps == 0 && !nic->receives && nic->receive_ps < model->now_ps; /* nobody is before it */
    if (flight->lasts_ps > 0) { /* else nobody is behind it */
        nic->receive_ps = begin_ps + flight->lasts_ps;
        nic->head_ps = model->now_ps;
        nic->last = flight->transport.from;
        nic->before = nic->last;
    }
    if (at_once)
        arrive(model, flight);
    else if (shares_come_back(model->platform))
        head_is_queued(model, nic, flight);
    else
        event_add(model, begin_ps + flight->lasts_ps, order_of(model, nic, flight), arrive, flight);
}

static struct link *link_of(struct model *model, uint64_t id)
{
    for (size_t i = 0; i < model->link_count; i++)
        if (model->links[i].id == id) return &model->links[i];
    model->links = model_grow(model, model->links, model->link_count, &model->link_capacity, sizeof *model->links);
    model->links[model->link_count] = (struct link){id, 0};
    return &model->links[model->link_count++];
}

static void head_at_link(struct model *model, void *what);

/* The latency's parts are whole picoseconds: the first ones have one more where they cannot be equal. */
static void head_goes_on(struct model *model, struct flight *flight, int64_t from_ps)
{
    int64_t parts = flight->links + 1, before_ps = flight->latency_ps / parts;
    if (flight->link < flight->latency_ps % parts) before_ps++;
    event_add(model, from_ps + before_ps, flight->transport.from,
              flight->link < flight->links ? head_at_link : head_arrives, flight);
}

static void head_at_link(struct model *model, void *what)
{
    struct flight *flight = what;
    struct topology_link inner =
        topology_inner_link(model->platform->topology, flight->from_node, flight->to_node, flight->link);
    struct link *link = link_of(model, inner.id);
    int64_t begin_ps = link->free_ps > model->now_ps ? link->free_ps : model->now_ps;
    model->link_waits += begin_ps > model->now_ps;
    link->free_ps = begin_ps + flight->lasts_ps / inner.width;
    flight->link++;
    head_goes_on(model, flight, begin_ps);
}

static const struct net_segment *line_of(const struct platform *platform, bool within, int64_t bytes, bool two_sided)
{
    const struct net_segment *line = within ? platform->loopback : platform->segments;
    if (two_sided && within && platform->loopback_two_sided) line = platform->loopback_two_sided;
    if (two_sided && !within && platform->two_sided) line = platform->two_sided;
    while (bytes > line->upto_bytes) line++;
    return line;
}

static int64_t lasts_ps(const struct model *model, uint32_t from, uint32_t to, int64_t bytes, bool two_sided)
{
    const struct platform *platform = model->platform;
    if (from == to) return copy_ps(bytes, platform_group_of(platform, model->ranks[from].node)->memory_bandwidth_Bps);
    bool within = model->ranks[from].node == model->ranks[to].node;
    return copy_ps(bytes, line_of(platform, within, bytes, two_sided)->bandwidth_Bps);
}

int64_t network_lasts_ps(const struct model *model, uint32_t from, uint32_t to, int64_t bytes)
{
    return lasts_ps(model, from, to, bytes, false);
}

static int64_t latency_ps(const struct platform *platform, int32_t from_node, int32_t to_node, int64_t bytes, bool two_sided)
{
    double latency_s = line_of(platform, from_node == to_node, bytes, two_sided)->latency_s;
    if (from_node != to_node) latency_s += topology_extra_latency_s(platform->topology, from_node, to_node);
    return units_ps(latency_s);
}

/* engine.nic = pairs: when the head of the last message between two nodes arrives. Their messages keep their order. */
static int64_t *last_head(struct model *model, int32_t from, int32_t to)
{
    size_t nodes = (size_t)model->platform->node_count;
    if (!model->pair_head_ps) model->pair_head_ps = model_new(model, nodes * nodes * sizeof *model->pair_head_ps);
    return &model->pair_head_ps[(size_t)from * nodes + (size_t)to];
}

/* When the message begins to leave. The NIC is busy with it for its bytes, with engine.nic = pairs for a gap only. */
static int64_t begin_of(struct model *model, const struct flight *flight)
{
    struct nic *nic = &model->nics[flight->from_node];
    int64_t begin_ps = nic->send_ps > model->now_ps ? nic->send_ps : model->now_ps, busy_ps = units_ps(model->platform->gap_s);
    if (model->platform->nic == NIC_QUEUE && flight->lasts_ps > busy_ps) busy_ps = flight->lasts_ps;
    nic->send_ps = begin_ps + busy_ps;
    if (model->platform->nic == NIC_QUEUE) return begin_ps;
    int64_t *head_ps = last_head(model, flight->from_node, flight->to_node);
    if (begin_ps < *head_ps - flight->latency_ps) begin_ps = *head_ps - flight->latency_ps;
    *head_ps = begin_ps + flight->latency_ps;
    return begin_ps;
}

int64_t network_send(struct model *model, struct transport transport)
{
    const struct platform *platform = model->platform;
    int32_t from_node = model->ranks[transport.from].node, to_node = model->ranks[transport.to].node;
    struct flight *flight = model_new(model, sizeof *flight);
    model->unflushed[(size_t)transport.from * model->rank_count + transport.to] = from_node != to_node;
    bool to_self = transport.from == transport.to, alone = !platform->contention || from_node == to_node;
    int64_t way_ps = to_self ? 0 : latency_ps(platform, from_node, to_node, transport.bytes, transport.two_sided);
    int64_t nic_ps = lasts_ps(model, transport.from, transport.to, transport.bytes, transport.two_sided);
    int64_t begin_ps = model->now_ps;
    *flight = (struct flight){
        .transport = transport, .from_node = from_node, .to_node = to_node, .lasts_ps = nic_ps, .latency_ps = way_ps};
    if (from_node == to_node && !to_self && nic_ps > 0 && shares_come_back_within(platform)) {
        flight->rest_ps = nic_ps;
        flight->key = transport.from;
        flight->sequence = model->sequence++;
        event_add_again(model, begin_ps + way_ps, flight->key, flight->sequence, head_is_within, flight);
    } else if (alone || (transport.bypass && platform->control_bypass)) {
        event_add(model, begin_ps + nic_ps + way_ps, transport.from, arrive, flight);
    } else {
        begin_ps = begin_of(model, flight);
        if (platform->links == LINKS_QUEUE)
            flight->links = topology_inner_links(platform->topology, from_node, to_node);
        head_goes_on(model, flight, begin_ps);
    }
    int64_t left_ps = begin_ps + nic_ps;
    if (left_ps > model->now_ps && transport.left)
        event_add(model, left_ps, transport.from, leave, flight);
    else
        leave(model, flight);
    return left_ps;
}

static struct transport control_message(const struct model *model, uint32_t from, uint32_t to, bool bypass, action *arrived,
                                        void *what)
{
    return (struct transport){.from = from,
                              .to = to,
                              .bytes = model->platform->control_bytes,
                              .bypass = bypass,
                              .arrived = arrived,
                              .what = what};
}

void network_send_control(struct model *model, uint32_t from, uint32_t to, bool bypass, action *arrived, void *what)
{
    network_send(model, control_message(model, from, to, bypass, arrived, what));
}

void network_send_two_sided(struct model *model, uint32_t from, uint32_t to, bool bypass, action *arrived, void *what)
{
    struct transport transport = control_message(model, from, to, bypass, arrived, what);
    transport.two_sided = true;
    network_send(model, transport);
}
