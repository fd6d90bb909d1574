/* Reads mpi.rma.protocol from the platform file, and answers the replay's queries. */
#include <math.h>
#include <string.h>

#include "platforms/read.h"

static const char *const complete_names[] = {"local", "remote", NULL};
static const char *const local_names[] = {"left", "copied", "acknowledged", NULL};
static const char *const unlock_names[] = {"released", "acknowledged", "with_data", NULL};
static const char *const flush_names[] = {"counted", "requested", "connections", NULL};
static const char *const visit_names[] = {"enter", "wait", "needed", NULL};
static const char *const order_names[] = {"arrival", "service", NULL};
static const char *const assertion_names[] = {"honoured", "ignored", NULL};
static const char *const wait_names[] = {"notified", "confirmed", NULL};
static const char *const put_names[] = {"put", "accumulate", NULL};
static const char *const get_names[] = {"direct", "rendezvous", NULL};
static const char *const asks_names[] = {"needed", "always", NULL};
static const char *const request_names[] = {"needed", "called", NULL};
static const char *const counts_names[] = {"carried", "exchanged", NULL};
/* Keys with one name; the first one is the default. */
enum choice {
    CHOICE_UNLOCK,
    CHOICE_FLUSH,
    CHOICE_VISIT,
    CHOICE_LOCK_ORDER,
    CHOICE_FENCE_ASSERTIONS,
    CHOICE_WAIT,
    CHOICE_DYNAMIC_PUT,
    CHOICE_NONCONTIGUOUS_PUT,
    CHOICE_GET_DATA,
    CHOICE_FLUSH_ASKS,
    CHOICE_LOCK_REQUEST,
    CHOICE_FENCE_COUNTS,
    CHOICE_COUNT
};
static const struct {
    const char *key;
    const char *const *names;
} choices[CHOICE_COUNT] = {
    [CHOICE_UNLOCK] = {"unlock", unlock_names},
    [CHOICE_FLUSH] = {"flush", flush_names},
    [CHOICE_VISIT] = {"visit", visit_names},
    [CHOICE_LOCK_ORDER] = {"lock_order", order_names},
    [CHOICE_FENCE_ASSERTIONS] = {"fence_assertions", assertion_names},
    [CHOICE_WAIT] = {"wait", wait_names},
    [CHOICE_DYNAMIC_PUT] = {"dynamic_put", put_names},
    [CHOICE_NONCONTIGUOUS_PUT] = {"noncontiguous_put", put_names},
    [CHOICE_GET_DATA] = {"get_data", get_names},
    [CHOICE_FLUSH_ASKS] = {"flush_asks", asks_names},
    [CHOICE_LOCK_REQUEST] = {"lock_request", request_names},
    [CHOICE_FENCE_COUNTS] = {"fence_counts", counts_names},
};
const char *const protocol_service_names[SERVICE_COUNT + 1] = {
    [SERVICE_PUT] = "put",         [SERVICE_GET] = "get",         [SERVICE_ACCUMULATE] = "accumulate",
    [SERVICE_FETCH] = "fetch",     [SERVICE_LOCK] = "lock",       [SERVICE_RELEASE] = "release",
    [SERVICE_CLEAR] = "clear",     [SERVICE_ACKNOWLEDGEMENT] = "acknowledgement",
    [SERVICE_NOTIFICATION] = "notification", [SERVICE_RENDEZVOUS] = "rendezvous"};

static enum status visit_choice(platform_choice_visitor *visit, void *context, const char *section, const char *name,
                                const char *const *names, struct err *err)
{
    char key[64];
    snprintf(key, sizeof key, "mpi.rma.protocol.%s%s", section, name);
    return visit(context, key, names, err);
}

enum status protocol_choices_visit(platform_choice_visitor *visit, void *context, struct err *err)
{
    TRY(visit_choice(visit, context, "", "complete", complete_names, err));
    TRY(visit_choice(visit, context, "", "local", local_names, err));
    for (int choice = 0; choice < CHOICE_COUNT; choice++)
        TRY(visit_choice(visit, context, "", choices[choice].key, choices[choice].names, err));
    for (int service = 0; service < SERVICE_COUNT; service++)
        TRY(visit_choice(visit, context, "serves.", protocol_service_names[service], platform_progress_names, err));
    return STATUS_OK;
}

/* The default servers. Puts, acknowledgements and releases need no progress. Messages that act on the target follow
 * mpi.rma.progress. The receiver's calls serve notifications if progress is call. */
static enum progress_mode default_server(enum service service, enum progress_mode progress)
{
    switch (service) {
    case SERVICE_GET:
    case SERVICE_ACCUMULATE:
    case SERVICE_FETCH:
    case SERVICE_LOCK:
    case SERVICE_RENDEZVOUS: return progress;
    case SERVICE_NOTIFICATION: return progress == PROGRESS_CALL ? PROGRESS_CALL : PROGRESS_HARDWARE;
    default: return PROGRESS_HARDWARE;
    }
}

enum progress_mode protocol_serves(const struct rma_protocol *protocol, enum service service, int64_t bytes)
{
    const struct serve_rule *rule = protocol->serves[service];
    while (rule->upto_bytes < bytes) rule++;
    return rule->by;
}

bool protocol_uses(const struct rma_protocol *protocol, enum progress_mode by)
{
    for (int service = 0; service < SERVICE_COUNT; service++)
        for (const struct serve_rule *rule = protocol->serves[service];; rule++) {
            if (rule->by == by) return true;
            if (rule->upto_bytes == INT64_MAX) break;
        }
    return false;
}

bool protocol_is_hardware(const struct rma_protocol *protocol)
{
    return !protocol_uses(protocol, PROGRESS_THREAD) && !protocol_uses(protocol, PROGRESS_CALL);
}

bool protocol_completes_behind(const struct rma_protocol *protocol)
{
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        if (kind != RMA_GET && (protocol->complete[kind] == COMPLETE_REMOTE || protocol->local[kind] == LOCAL_ACKNOWLEDGED))
            return true;
    return false;
}

double reverse_share_of(const struct reverse_rule rules[REVERSE_RULES_MAX], int64_t bytes)
{
    while (rules->upto_bytes < bytes) rules++;
    return rules->share;
}

static double least_share(const struct reverse_rule rules[RMA_KIND_COUNT][REVERSE_RULES_MAX])
{
    double least = 0;
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        for (int row = 0; row < REVERSE_RULES_MAX; row++) least = fmin(least, rules[kind][row].share);
    return least;
}

static bool has_share(const struct reverse_rule rules[RMA_KIND_COUNT][REVERSE_RULES_MAX])
{
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        for (int row = 0; row < REVERSE_RULES_MAX; row++)
            if (rules[kind][row].share != 0) return true;
    return false;
}

bool protocol_reverses(const struct rma_protocol *protocol)
{
    return has_share(protocol->reverse);
}

bool platform_reverses_within(const struct platform *platform)
{
    return has_share(platform->loopback_reverse);
}

double platform_least_within(const struct platform *platform)
{
    return least_share(platform->loopback_reverse) < 0 ? REVERSE_LEAST : 1;
}

static enum status read_server(const struct json_node *node, enum progress_mode *by, struct err *err)
{
    int index;
    TRY(name_read(node, platform_progress_names, &index, err));
    *by = (enum progress_mode)index;
    return STATUS_OK;
}

static enum status read_row(const struct json_node *row, bool last, int64_t above, struct serve_rule *rule, struct err *err)
{
    static const char *const keys[] = {"upto_bytes", "by", NULL};
    TRY(json_object(row, err));
    TRY(json_known_keys(row, keys, err));
    struct json_node by = json_member(row, "by"), upto = json_member(row, "upto_bytes");
    TRY(read_server(&by, &rule->by, err));
    return upto_read(&upto, last, above, &rule->upto_bytes, err);
}

static enum status read_rules(const struct json_node *node, struct serve_rule rules[SERVE_RULES_MAX], struct err *err)
{
    if (cJSON_IsObject(node->item)) return json_error(node, err, "an object, expected a string, or rows of upto_bytes and by");
    if (!cJSON_IsArray(node->item)) {
        rules[0].upto_bytes = INT64_MAX;
        return read_server(node, &rules[0].by, err);
    }
    size_t count = json_count(node);
    if (count < 1 || count > SERVE_RULES_MAX)
        return json_error(node, err, "%zu rows, expected 1 to %d", count, SERVE_RULES_MAX);
    for (size_t i = 0; i < count; i++) {
        struct json_node row = json_element(node, i);
        TRY(read_row(&row, i + 1 == count, i ? rules[i - 1].upto_bytes : -1, &rules[i], err));
    }
    return STATUS_OK;
}

static enum status read_serves(const struct json_node *node, struct rma_protocol *protocol, struct err *err)
{
    bool replaced = node->item && cJSON_IsNull(node->item);
    for (int service = 0; service < SERVICE_COUNT; service++) protocol->serves_replaced[service] = replaced;
    if (!node->item || replaced) return STATUS_OK;
    TRY(json_object(node, err));
    TRY(json_known_keys(node, protocol_service_names, err));
    for (int service = 0; service < SERVICE_COUNT; service++) {
        struct json_node rules = json_member(node, protocol_service_names[service]);
        protocol->serves_replaced[service] = rules.item && cJSON_IsNull(rules.item);
        if (rules.item && !cJSON_IsNull(rules.item)) TRY(read_rules(&rules, protocol->serves[service], err));
    }
    return STATUS_OK;
}

static enum status read_choices(const struct json_node *object, int chosen[CHOICE_COUNT], struct err *err)
{
    for (int choice = 0; choice < CHOICE_COUNT; choice++) {
        struct json_node node = json_member(object, choices[choice].key);
        chosen[choice] = 0;
        if (node.item) TRY(name_read(&node, choices[choice].names, &chosen[choice], err));
    }
    return STATUS_OK;
}

static enum status read_cost(const struct json_node *row, bool last, int64_t above, struct apply_cost *cost, struct err *err)
{
    static const char *const keys[] = {"upto_bytes", "fixed_s", "s_per_byte", NULL};
    TRY(json_object(row, err));
    TRY(json_known_keys(row, keys, err));
    struct json_node upto = json_member(row, "upto_bytes"), fixed = json_member(row, "fixed_s"),
                     per_byte = json_member(row, "s_per_byte");
    if (fixed.item) TRY(measured_read(&fixed, 0, TIME_MOST, &cost->fixed_s, err));
    TRY(measured_read(&per_byte, 0, 1, &cost->s_per_byte, err));
    return upto_read(&upto, last, above, &cost->upto_bytes, err);
}

enum status atomics_read(const struct json_node *node, struct apply_cost costs[APPLY_COSTS_MAX], struct err *err)
{
    costs[0] = (struct apply_cost){.upto_bytes = INT64_MAX};
    if (!node->item) return STATUS_OK;
    if (!cJSON_IsArray(node->item)) return measured_read(node, 0, 1, &costs[0].s_per_byte, err);
    size_t count = json_count(node);
    if (count < 1 || count > APPLY_COSTS_MAX)
        return json_error(node, err, "%zu rows, expected 1 to %d", count, APPLY_COSTS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct json_node row = json_element(node, i);
        TRY(read_cost(&row, i + 1 == count, i ? costs[i - 1].upto_bytes : -1, &costs[i], err));
    }
    return STATUS_OK;
}

/* A name for puts and accumulates, or by operation {"put": NAME, "accumulate": NAME}; by_kind has been set to the default. */
static enum status read_by_kind(const struct json_node *object, const char *key, const char *const *names,
                                int by_kind[RMA_KIND_COUNT], struct err *err)
{
    static const char *const keys[] = {"put", "accumulate", NULL};
    static const enum rma_kind kinds[] = {RMA_PUT, RMA_ACCUMULATE};
    struct json_node node = json_member(object, key);
    bool table = cJSON_IsObject(node.item);
    if (table) TRY(json_known_keys(&node, keys, err));
    for (int i = 0; i < 2; i++) {
        struct json_node one = table ? json_member(&node, keys[i]) : node;
        if (one.item) TRY(name_read(&one, names, &by_kind[kinds[i]], err));
    }
    return STATUS_OK;
}

static enum status read_reverse(const struct json_node *row, bool last, int64_t above, double least, struct reverse_rule *rule,
                                struct err *err)
{
    static const char *const keys[] = {"upto_bytes", "share", NULL};
    TRY(json_object(row, err));
    TRY(json_known_keys(row, keys, err));
    struct json_node upto = json_member(row, "upto_bytes"), share = json_member(row, "share");
    TRY(measured_read(&share, least, 1, &rule->share, err));
    return upto_read(&upto, last, above, &rule->upto_bytes, err);
}

static enum status read_reverses(const struct json_node *node, double least, struct reverse_rule rules[REVERSE_RULES_MAX],
                                 struct err *err)
{
    if (!node->item) return STATUS_OK;
    if (!cJSON_IsArray(node->item)) return measured_read(node, least, 1, &rules[0].share, err);
    size_t count = json_count(node);
    if (count < 1 || count > REVERSE_RULES_MAX)
        return json_error(node, err, "%zu rows, expected 1 to %d", count, REVERSE_RULES_MAX);
    for (size_t i = 0; i < count; i++) {
        struct json_node row = json_element(node, i);
        TRY(read_reverse(&row, i + 1 == count, i ? rules[i - 1].upto_bytes : -1, least, &rules[i], err));
    }
    return STATUS_OK;
}

enum status reverse_read(const struct json_node *node, double least, struct reverse_rule rules[RMA_KIND_COUNT][REVERSE_RULES_MAX],
                         struct err *err)
{
    static const char *const keys[] = {[RMA_PUT] = "put", [RMA_GET] = "get", [RMA_ACCUMULATE] = "accumulate",
                                       [RMA_KIND_COUNT] = NULL};
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++) rules[kind][0] = (struct reverse_rule){INT64_MAX, 0};
    if (!node->item) return STATUS_OK;
    TRY(json_object(node, err));
    TRY(json_known_keys(node, keys, err));
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++) {
        struct json_node one = json_member(node, keys[kind]);
        TRY(read_reverses(&one, least, rules[kind], err));
    }
    return STATUS_OK;
}

enum status protocol_read(const struct json_node *node, enum progress_mode progress, struct rma_protocol *protocol,
                          struct err *err)
{
    static const char *const keys[] = {"complete", "unlock", "flush", "flush_asks", "local", "visit", "lock_order",
                                       "lock_request", "fence_assertions", "fence_counts", "wait", "dynamic_put",
                                       "noncontiguous_put", "serves", "put_s_per_byte", "linger_s", "polls", "poll_s", "get_data",
                                       "reverse_share", NULL};
    int chosen[CHOICE_COUNT];
    int complete[RMA_KIND_COUNT] = {COMPLETE_LOCAL}, local[RMA_KIND_COUNT] = {LOCAL_LEFT};
    int64_t polls = 1;
    memset(protocol, 0, sizeof *protocol);
    for (int service = 0; service < SERVICE_COUNT; service++)
        protocol->serves[service][0] =
            (struct serve_rule){INT64_MAX, default_server((enum service)service, progress)};
    protocol->polls = 1;
    if (!node->item) return STATUS_OK;
    TRY(json_object(node, err));
    TRY(json_known_keys(node, keys, err));
    struct json_node serves = json_member(node, "serves"), copy = json_member(node, "put_s_per_byte"),
                     linger = json_member(node, "linger_s"), count = json_member(node, "polls"),
                     poll = json_member(node, "poll_s"), reverse = json_member(node, "reverse_share");
    TRY(read_by_kind(node, "complete", complete_names, complete, err));
    TRY(read_by_kind(node, "local", local_names, local, err));
    TRY(read_choices(node, chosen, err));
    if (copy.item) TRY(measured_read(&copy, 0, 1, &protocol->put_s_per_byte, err));
    if (linger.item) TRY(measured_read(&linger, 0, TIME_MOST, &protocol->linger_s, err));
    if (count.item) TRY(json_integer(&count, 1, POLLS_MOST, &polls, err));
    if (poll.item) TRY(measured_read(&poll, 0, TIME_MOST, &protocol->poll_s, err));
    TRY(reverse_read(&reverse, 0, protocol->reverse, err));
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++) {
        protocol->complete[kind] = (enum complete_mode)complete[kind];
        protocol->local[kind] = (enum local_mode)local[kind];
    }
    protocol->polls = (uint32_t)polls;
    protocol->unlock = (enum unlock_mode)chosen[CHOICE_UNLOCK];
    protocol->flush = (enum flush_mode)chosen[CHOICE_FLUSH];
    protocol->visit = (enum visit_mode)chosen[CHOICE_VISIT];
    protocol->lock_order = (enum lock_order)chosen[CHOICE_LOCK_ORDER];
    protocol->fence_assertions = (enum assertions_mode)chosen[CHOICE_FENCE_ASSERTIONS];
    protocol->wait = (enum wait_mode)chosen[CHOICE_WAIT];
    protocol->dynamic_put = (enum put_rules)chosen[CHOICE_DYNAMIC_PUT];
    protocol->noncontiguous_put = (enum put_rules)chosen[CHOICE_NONCONTIGUOUS_PUT];
    protocol->get_data = (enum get_data)chosen[CHOICE_GET_DATA];
    protocol->flush_asks = (enum flush_asks)chosen[CHOICE_FLUSH_ASKS];
    protocol->lock_request = (enum lock_request)chosen[CHOICE_LOCK_REQUEST];
    protocol->fence_counts = (enum fence_counts)chosen[CHOICE_FENCE_COUNTS];
    return read_serves(&serves, protocol, err);
}
