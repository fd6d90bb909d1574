/* The loggp engine's meetings: dissemination barriers of which nothing is an event but that they are over.
 *
 * Nobody goes on before all have come. So until then it is only noted when each member came, and what kept its network
 * card busy: the data that it took in and sent (what has no bytes takes no time). From that, and nothing else, follow
 * the moments of all rounds, in one pass when the last member has come. They hold unless somebody sends data before
 * the last member has gone on: then, as where a meeting is never complete, the members go through the rounds that are
 * left one by one, as if they had done so from the beginning (scatter).
 *
 * A message has the place that count() would have given it; what it finds of a network card is what came or left before
 * that place. What a member's network card answers meanwhile is noted where it goes to a node that the member's rounds
 * go to, since the two may leave in one picosecond. The property meetings compares the outcome with that of single
 * rounds; one of some 280,000 random programs differs, in the order of ties.
 *
 * A communicator or window whose meeting was scattered has its next barriers in rounds: once, then three times, then
 * seven, so that a program that does so again pays for few attempts. Meetings need one rank per node, control messages
 * without bytes, no gap, nodes that may run ahead, and at most MEMBERS_MOST members. */
#include <stdlib.h>

#include "common/array.h"
#include "simulate/engine/loggp/state.h"

enum { NO_BUSY = 0, BUSY_LEAST = 4096, BUSY_PER_NODE = 4, PENALTY_MOST = 63 };
enum { MEMBERS_MOST = 1 << 17 }; /* with more, what is kept of members and ends would take a tenth of the memory */
#define NEVER       (INT64_MAX / 4)
#define LAST_OF_KEY (UINT64_MAX >> EVENT_KEY_BITS)

struct busy {                    /* what a network card took in, or sent */
    struct event_time place;     /* of its head, or of its sending */
    int64_t before_ps, after_ps; /* when the card is free for more; before: of what it took in */
    uint64_t order;              /* of what leaves behind it */
    int32_t node;
    uint32_t older; /* of the same node */
};

struct meeter {
    struct event_time come;
    uint64_t order;               /* of its messages */
    int64_t send_free_ps;         /* as it came */
    int64_t sent_ps, taken_in_ps; /* of a pass: no data keep what leaves, or comes, later waiting */
    int32_t node;
    uint8_t round; /* of scatter: those before are over */
    bool gone;
};

enum meeting_state { MEETING_NONE, MEETING_COMES, MEETING_GOES };

struct barrier {
    struct meeter *members; /* NULL: none */
    const int32_t *ranks;
    uint32_t count, rounds, first_counter;
    uint32_t come, gone;
    uint32_t skips, penalty; /* so many instances are not taken, since one was scattered */
    uint32_t place;          /* in the list of open ones */
    uint8_t state;           /* enum meeting_state */
    bool due;
};

struct loggp_meetings {
    struct barrier *items;
    size_t count, capacity;
    uint32_t *open, *due; /* meetings; engine.meetings_open of them, and due_count */
    size_t open_capacity, due_capacity, due_count;
    struct busy *busy;
    size_t busy_count, busy_capacity;
    uint32_t going;
    bool no_memory;
    uint32_t free_busy;
    size_t busy_used;
    struct event_time *places[2]; /* of a pass */
    size_t place_capacity[2];
};

void loggp_clear_meetings(struct engine *engine)
{
    struct loggp_meetings *all = engine->barriers;
    if (!all) return;
    for (size_t i = 0; i < all->count; i++) free(all->items[i].members);
    free(all->items);
    free(all->open);
    free(all->due);
    free(all->busy);
    free(all->places[0]);
    free(all->places[1]);
    free(all);
}

/* --- what keeps network cards busy -----------------------------------------------------------------------------------
 */

/* NO_BUSY: no memory. */
static uint32_t take_busy(struct loggp_meetings *all)
{
    uint32_t index = all->free_busy;
    if (index != NO_BUSY) {
        all->free_busy = all->busy[index].older;
        return index;
    }
    if (all->busy_count == 0) all->busy_count = NO_BUSY + 1;
    if (array_reserve((void **)&all->busy, &all->busy_capacity, all->busy_count + 1, sizeof *all->busy, NULL) !=
        STATUS_OK)
        return NO_BUSY;
    return (uint32_t)all->busy_count++;
}

static void drop_busy(struct loggp_meetings *all, uint32_t *list)
{
    while (*list != NO_BUSY) {
        uint32_t index = *list;
        *list = all->busy[index].older;
        all->busy[index].older = all->free_busy;
        all->free_busy = index;
        all->busy_used--;
    }
}

/* There is room: a meeting is due once, and open. */
static void set_due(struct engine *engine, uint32_t index)
{
    struct loggp_meetings *all = engine->barriers;
    if (all->items[index].due) return;
    all->items[index].due = engine->meetings_due = true;
    all->due[all->due_count++] = index;
}

static void all_due(struct engine *engine, enum meeting_state state)
{
    const struct loggp_meetings *all = engine->barriers;
    for (uint32_t i = 0; i < engine->meetings_open; i++)
        if (all->items[all->open[i]].state == state) set_due(engine, all->open[i]);
}

static void note_busy(struct engine *engine, const struct busy *made, uint32_t *list)
{
    struct loggp_meetings *all = engine->barriers;
    uint32_t index = take_busy(all);
    if (index == NO_BUSY) {
        all->no_memory = engine->meetings_due = true;
        return;
    }
    all->busy[index] = *made;
    all->busy[index].older = *list;
    *list = index;
    if (++all->busy_used >= BUSY_LEAST + BUSY_PER_NODE * (size_t)engine->platform->node_count)
        all_due(engine, MEETING_COMES);
}

/* Who has not come needs to know only what may still keep something waiting when it comes. */
void loggp_note_head(struct engine *engine, const struct flight *flight)
{
    if (flight->transmit_ps == 0 || flight->taken_in || !flight->network) return;
    struct nic *nic = &engine->nics[flight->dst_node];
    int64_t free_ps = nic->receive_free_ps > flight->place.time_ps ? nic->receive_free_ps : flight->place.time_ps;
    free_ps += flight->transmit_ps;
    if (!nic->meets && nic->receive_free_ps < flight->place.time_ps) drop_busy(engine->barriers, &nic->taken_in);
    const struct busy made = {
        .place = flight->place, .before_ps = nic->receive_free_ps, .after_ps = free_ps, .node = flight->dst_node};
    note_busy(engine, &made, &nic->taken_in);
}

/* False: in no round but the first, which is sent as the sender comes, does it send to the receiver. */
static bool may_tie(const struct barrier *barrier, const struct engine_note *note)
{
    uint32_t count = barrier->count;
    bool known = note->source < count && note->destination < count &&
                 barrier->ranks[note->source] == (int32_t)note->source &&
                 barrier->ranks[note->destination] == (int32_t)note->destination;
    uint32_t apart = note->destination - note->source + (note->destination < note->source ? count : 0);
    return !known || (apart > 1 && (apart & (apart - 1)) == 0);
}

/* The receiver goes on at the moment at which the message comes: which of the two is first, the rounds tell. */
static bool meets_end(const struct engine *engine, int32_t node, int64_t head_ps)
{
    uint32_t at = engine->nics[node].meets ? engine->nics[node].inbox.counter_messages : COUNTER_NONE;
    while (at != COUNTER_NONE &&
           !(engine->counter_messages[at].ends && engine->counter_messages[at].place.time_ps == head_ps))
        at = engine->counter_messages[at].next;
    return at != COUNTER_NONE;
}

void loggp_note_sent(struct engine *engine, const struct engine_message *message, int64_t head_ps, bool data)
{
    struct loggp_meetings *all = engine->barriers;
    struct nic *nic = &engine->nics[message->src_node];
    if (data && all->going > 0) all_due(engine, MEETING_GOES);
    if (!nic->meets || (!data && !may_tie(&all->items[nic->meets - 1], &message->note))) return;
    if (all->going > 0 && meets_end(engine, message->dst_node, head_ps)) all_due(engine, MEETING_GOES);
    const struct busy made = {.place = engine->now,
                              .after_ps = nic->send_free_ps,
                              .order = event_queue_order(&engine->queue, message->key),
                              .node = message->src_node};
    note_busy(engine, &made, &nic->sent);
}

/* When the card was free for what comes to it at the place. otherwise: if nothing was noted. */
static int64_t free_at(const struct loggp_meetings *all, uint32_t list, struct event_time place, int64_t otherwise_ps)
{
    for (uint32_t at = list; at != NO_BUSY; at = all->busy[at].older) {
        const struct busy *busy = &all->busy[at];
        if (event_before(busy->place, place)) return busy->after_ps;
        otherwise_ps = busy->before_ps;
    }
    return otherwise_ps;
}

/* NULL: nothing that was noted has been sent before the place. */
static const struct busy *last_sent(const struct loggp_meetings *all, uint32_t list, struct event_time place)
{
    uint32_t at = list;
    while (at != NO_BUSY && !event_before(all->busy[at].place, place)) at = all->busy[at].older;
    return at == NO_BUSY ? NULL : &all->busy[at];
}

/* --- coming ----------------------------------------------------------------------------------------------------------
 */

static enum status find_meeting(struct engine *engine, const struct engine_barrier *meets, struct barrier **barrier,
                                struct err *err)
{
    if (!engine->barriers && !(engine->barriers = calloc(1, sizeof *engine->barriers))) return err_memory(err);
    struct loggp_meetings *all = engine->barriers;
    while (all->count <= meets->barrier) ARRAY_PUSH(all->items, all->count, all->capacity, (struct barrier){0}, err);
    *barrier = &all->items[meets->barrier];
    return STATUS_OK;
}

static enum status open_meeting(struct engine *engine, const struct engine_barrier *meets, struct barrier *barrier,
                                struct err *err)
{
    struct loggp_meetings *all = engine->barriers;
    size_t open = engine->meetings_open + (size_t)1;
    TRY(array_reserve((void **)&all->open, &all->open_capacity, open, sizeof *all->open, err));
    TRY(array_reserve((void **)&all->due, &all->due_capacity, all->due_count + open, sizeof *all->due, err));
    barrier->members = malloc(meets->count * sizeof *barrier->members);
    if (!barrier->members) return err_memory(err);
    for (uint32_t i = 0; i < meets->count; i++)
        barrier->members[i] = (struct meeter){.come = {NEVER, UINT64_MAX}, .node = NO_NODE};
    barrier->ranks = meets->ranks;
    barrier->count = meets->count;
    barrier->rounds = meets->rounds;
    barrier->first_counter = meets->first_counter;
    barrier->gone = 0;
    barrier->state = MEETING_COMES;
    barrier->place = engine->meetings_open++;
    all->open[barrier->place] = meets->barrier;
    return STATUS_OK;
}

/* Behind the last one nothing is noted any more. */
static void close_meeting(struct engine *engine, struct barrier *barrier)
{
    struct loggp_meetings *all = engine->barriers;
    free(barrier->members);
    barrier->members = NULL;
    barrier->state = MEETING_NONE;
    uint32_t last = all->open[--engine->meetings_open];
    all->open[barrier->place] = last;
    all->items[last].place = barrier->place;
    if (engine->meetings_open > 0) return;
    for (size_t i = NO_BUSY + 1; i < all->busy_count; i++)
        engine->nics[all->busy[i].node].taken_in = engine->nics[all->busy[i].node].sent = NO_BUSY;
    all->busy_count = all->busy_used = 0;
    all->free_busy = NO_BUSY;
}

/* Members come to the next instance when all have come to this one: so they are counted. */
static bool begins(struct barrier *barrier, uint32_t count)
{
    bool first = barrier->come == 0;
    if (++barrier->come == count) barrier->come = 0;
    if (!first || barrier->state != MEETING_NONE) return false;
    if (barrier->skips == 0) return true;
    barrier->skips--;
    return false;
}

enum status loggp_meet(struct engine *engine, const struct engine_barrier *meets, bool *taken, struct err *err)
{
    struct barrier *barrier;
    *taken = false;
    if (engine->lookahead_ps == 0 || engine->count_cost.occupy_ps > 0 || meets->count > MEMBERS_MOST) return STATUS_OK;
    TRY(find_meeting(engine, meets, &barrier, err));
    if (begins(barrier, meets->count)) TRY(open_meeting(engine, meets, barrier, err));
    if (barrier->state != MEETING_COMES) return STATUS_OK;
    struct nic *nic = &engine->nics[meets->node];
    struct meeter *member = &barrier->members[meets->member];
    *member = (struct meeter){.come = engine->now,
                              .order = event_queue_order(&engine->queue, (uint32_t)meets->ranks[meets->member]),
                              .send_free_ps = nic->send_free_ps,
                              .node = meets->node};
    drop_busy(engine->barriers, &nic->sent);
    nic->meets = meets->barrier + 1;
    *taken = true;
    if (barrier->come == 0) set_due(engine, meets->barrier);
    return STATUS_OK;
}

/* --- rounds ----------------------------------------------------------------------------------------------------------
 */

struct round {
    const struct engine *engine;
    const struct barrier *barrier;
    const struct event_time *from; /* where each member is as it sends */
    uint32_t number, shift;
};

static inline uint32_t sender_of(const struct round *round, uint32_t to)
{
    return to >= round->shift ? to - round->shift : to + round->barrier->count - round->shift;
}

/* Where the message's head comes to the receiver. */
static inline struct event_time head_of(const struct round *round, uint32_t from)
{
    const struct engine *engine = round->engine;
    const struct meeter *member = &round->barrier->members[from];
    struct event_time place = round->from[from];
    int64_t begin_ps = place.time_ps;
    uint64_t order = member->order;
    if (member->sent_ps > begin_ps) {
        const struct busy *sent = last_sent(engine->barriers, engine->nics[member->node].sent, place);
        int64_t free_ps = sent ? sent->after_ps : member->send_free_ps;
        if (free_ps > begin_ps) begin_ps = free_ps;
        if (sent) order = sent->order;
    }
    return (struct event_time){begin_ps + engine->count_cost.latency_ps, order};
}

/* Behind what the receiver is taking in, or is done with at this moment. */
static inline struct event_time head_seen_by(const struct round *round, uint32_t to, struct event_time head)
{
    const struct meeter *member = &round->barrier->members[to];
    if (member->taken_in_ps < head.time_ps) return head;
    const struct nic *nic = &round->engine->nics[member->node];
    int64_t free_ps = free_at(round->engine->barriers, nic->taken_in, head, nic->receive_free_ps);
    return free_ps < head.time_ps ? head : (struct event_time){free_ps, head.order | LAST_OF_KEY};
}

static inline struct event_time later(struct event_time a, struct event_time b)
{
    return event_before(a, b) ? b : a;
}

static enum status begin_rounds(struct engine *engine, struct barrier *barrier, struct err *err)
{
    struct loggp_meetings *all = engine->barriers;
    for (int i = 0; i < 2; i++)
        TRY(array_reserve((void **)&all->places[i], &all->place_capacity[i], barrier->count, sizeof **all->places,
                          err));
    for (uint32_t i = 0; i < barrier->count; i++) {
        struct meeter *member = &barrier->members[i];
        const struct nic *nic = &engine->nics[member->node];
        member->sent_ps = nic->sent == NO_BUSY ? member->send_free_ps : NEVER;
        member->taken_in_ps = nic->receive_free_ps;
        all->places[0][i] = member->come;
    }
    return STATUS_OK;
}

/* All have come: when each one goes on. */
static enum status let_go(struct engine *engine, struct barrier *barrier, struct err *err)
{
    struct loggp_meetings *all = engine->barriers;
    TRY(begin_rounds(engine, barrier, err));
    struct event_time *from = all->places[0], *to = all->places[1];
    for (uint32_t number = 0; number < barrier->rounds; number++) {
        const struct round round = {engine, barrier, from, number, UINT32_C(1) << number};
        for (uint32_t i = 0; i < barrier->count; i++)
            to[i] = later(from[i], head_seen_by(&round, i, head_of(&round, sender_of(&round, i))));
        struct event_time *swapped = from;
        from = to;
        to = swapped;
    }
    uint32_t stride = barrier->rounds + 1;
    for (uint32_t i = 0; i < barrier->count; i++) {
        const struct counter_message sent = {.place = from[i],
                                             .counter = barrier->first_counter + i * stride + barrier->rounds,
                                             .rank = (uint32_t)barrier->ranks[i],
                                             .final = true,
                                             .ends = true};
        TRY(loggp_put_counter(engine, barrier->members[i].node, &sent, err));
    }
    engine->stats.messages += (uint64_t)barrier->count * barrier->rounds;
    barrier->state = MEETING_GOES;
    all->going++;
    return STATUS_OK;
}

void loggp_gone(struct engine *engine, int32_t node, uint32_t counter)
{
    struct nic *nic = &engine->nics[node];
    struct barrier *barrier = &engine->barriers->items[nic->meets - 1];
    barrier->members[(counter - barrier->first_counter) / (barrier->rounds + 1)].gone = true;
    nic->meets = 0;
    if (++barrier->gone < barrier->count) return;
    engine->barriers->going--;
    barrier->penalty = 0;
    close_meeting(engine, barrier);
}

/* --- scattering ------------------------------------------------------------------------------------------------------
 */

static bool has_come(const struct meeter *member)
{
    return member->come.time_ps < NEVER;
}

/* A message that has been sent and not been received. What was taken in behind it, too, has been noted; who comes
 * behind what it awaits goes on as it comes. */
static enum status put_message(struct engine *engine, const struct round *round, uint32_t to, struct event_time head,
                               struct event_time now, struct err *err)
{
    const struct barrier *barrier = round->barrier;
    const struct meeter *member = &barrier->members[to];
    int32_t node = member->node;
    bool awaited = has_come(member) && member->round == round->number;
    uint32_t last = engine->nics[node].taken_in;
    bool known = event_before(head, now) || (awaited && event_before(head, member->come));
    if (!known && last != NO_BUSY) known = event_before(head, engine->barriers->busy[last].place);
    struct counter_message sent = {.place = known ? head_seen_by(round, to, head) : head,
                                   .counter = barrier->first_counter + to * (barrier->rounds + 1) + round->number,
                                   .rank = (uint32_t)barrier->ranks[to],
                                   .final = known};
    if (known && sent.place.time_ps != head.time_ps)
        sent.place.order = event_queue_order(&engine->queue, event_key(head.order));
    if (awaited) sent.place = later(sent.place, member->come);
    return loggp_put_counter(engine, node, &sent, err);
}

/* What has come before now, all that came to its node has been taken in, is over; the last round ends by an event. */
static enum status scatter_round(struct engine *engine, const struct round *round, struct event_time *to,
                                 struct event_time now, struct err *err)
{
    const struct barrier *barrier = round->barrier;
    for (uint32_t i = 0; i < barrier->count; i++) {
        struct meeter *member = &barrier->members[i];
        const struct meeter *sender = &barrier->members[sender_of(round, i)];
        struct event_time head = head_of(round, sender_of(round, i));
        to[i] = later(round->from[i], head_seen_by(round, i, head));
        if (!member->gone && has_come(member) && member->round == round->number &&
            round->number + 1 < barrier->rounds && (event_before(to[i], now) || !event_before(member->come, to[i])))
            member->round++;
        if (!has_come(sender) || (!sender->gone && sender->round < round->number)) continue;
        engine->stats.messages++;
        if (!member->gone && member->round <= round->number) TRY(put_message(engine, round, i, head, now, err));
    }
    return STATUS_OK;
}

/* The one that says that the meeting is over. */
static void drop_end(struct engine *engine, int32_t node)
{
    uint32_t *link = &engine->nics[node].inbox.counter_messages;
    while (*link != COUNTER_NONE && !engine->counter_messages[*link].ends) link = &engine->counter_messages[*link].next;
    if (*link != COUNTER_NONE) loggp_unlink_counter(engine, link);
}

/* The members that wait go on with the rounds that are left. */
static enum status rejoin(struct engine *engine, const struct barrier *barrier, struct err *err)
{
    const struct engine_callbacks *on = &engine->callbacks;
    uint32_t stride = barrier->rounds + 1;
    for (uint32_t i = 0; i < barrier->count; i++) {
        const struct meeter *member = &barrier->members[i];
        if (has_come(member) && !member->gone) {
            engine->nics[member->node].meets = 0;
            on->scattered(on->context, (uint32_t)barrier->ranks[i], member->round);
            loggp_await_next(engine, member->node, barrier->first_counter + i * stride + member->round);
        }
        TRY(loggp_watch(engine, member->node, err));
    }
    return STATUS_OK;
}

static enum status scatter(struct engine *engine, struct barrier *barrier, struct event_time now, struct err *err)
{
    struct loggp_meetings *all = engine->barriers;
    TRY(begin_rounds(engine, barrier, err));
    struct event_time *from = all->places[0], *to = all->places[1];
    bool going = barrier->state == MEETING_GOES;
    for (uint32_t i = 0; going && i < barrier->count; i++)
        if (!barrier->members[i].gone) drop_end(engine, barrier->members[i].node);
    if (going) engine->stats.messages -= (uint64_t)barrier->count * barrier->rounds;
    for (uint32_t number = 0; number < barrier->rounds; number++) {
        const struct round round = {engine, barrier, from, number, UINT32_C(1) << number};
        TRY(scatter_round(engine, &round, to, now, err));
        struct event_time *swapped = from;
        from = to;
        to = swapped;
    }
    TRY(rejoin(engine, barrier, err));
    barrier->penalty = barrier->penalty < PENALTY_MOST ? 2 * barrier->penalty + 1 : PENALTY_MOST;
    barrier->skips = barrier->penalty;
    if (going) all->going--;
    close_meeting(engine, barrier);
    return STATUS_OK;
}

static bool has_something(const struct inbox *inbox)
{
    return inbox->first != FLIGHT_NONE || inbox->heap != FLIGHT_NONE || inbox->counter_messages != COUNTER_NONE;
}

/* All that has come to the members' nodes by now has been taken in. */
static enum status look_at_all(struct engine *engine, size_t index, struct event_time now, struct err *err)
{
    const struct loggp_meetings *all = engine->barriers;
    for (uint32_t i = 0; i < all->items[index].count && all->items[index].members; i++) {
        struct meeter *member = &all->items[index].members[i];
        int32_t node = platform_node_of(engine->platform, (uint32_t)all->items[index].ranks[i]);
        member->node = node;
        if (!has_something(&engine->nics[node].inbox)) continue;
        TRY(loggp_poll_until(engine, node, now, err));
        TRY(loggp_watch(engine, node, err));
    }
    return STATUS_OK;
}

/* Nobody has gone, and the last one has come. */
static bool is_complete(const struct barrier *barrier)
{
    return barrier->state == MEETING_COMES && barrier->come == 0;
}

static enum status resolve_barrier(struct engine *engine, size_t index, struct event_time now, struct err *err)
{
    struct loggp_meetings *all = engine->barriers;
    all->items[index].due = false;
    TRY(look_at_all(engine, index, now, err));
    struct barrier *barrier = &all->items[index];
    if (barrier->state == MEETING_NONE) return STATUS_OK;
    if (is_complete(barrier) && engine->data_until_ps < now.time_ps) return let_go(engine, barrier, err);
    return scatter(engine, barrier, now, err);
}

enum status loggp_resolve_barriers(struct engine *engine, struct event_time now, struct err *err)
{
    const struct event_time kept = engine->now;
    engine->meetings_due = false;
    if (engine->barriers->no_memory) return err_memory(err);
    while (engine->barriers->due_count > 0)
        TRY(resolve_barrier(engine, engine->barriers->due[--engine->barriers->due_count], now, err));
    engine->meetings_due = engine->barriers->no_memory;
    engine->now = kept;
    return STATUS_OK;
}

enum status loggp_end_meetings(struct engine *engine, struct err *err)
{
    all_due(engine, MEETING_COMES);
    all_due(engine, MEETING_GOES);
    return loggp_resolve_barriers(engine, (struct event_time){NEVER - 1, 0}, err);
}
