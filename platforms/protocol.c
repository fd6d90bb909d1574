/* Reads mpi.rma.protocol.serves from the platform file, and answers the replay's queries of mpi.rma.protocol. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "platforms/read.h"

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

bool progress_ranks_parse(const char *text, int32_t *ranks)
{
    char *end;
    if (strncmp(text, "ranks:", 6) != 0 || !isdigit((unsigned char)text[6]) || text[6] == '0') return false;
    const long count = strtol(text + 6, &end, 10);
    if (*end || count > CORES_MAX) return false;
    *ranks = (int32_t)count;
    return true;
}

/* "ranks:K": the library's calls serve, and K more processes of each node in place of its ranks' (Si et al., Casper, IPDPS
 * 2015). */
enum status progress_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                          struct err *err)
{
    const char *text;
    if (!node->item) return STATUS_OK;
    TRY(json_string(node, &text, err));
    const int mode = platform_name_index(key->names, text);
    platform->progress = mode < 0 ? PROGRESS_CALL : (enum progress_mode)mode;
    if (mode >= 0) return STATUS_OK;
    if (strncmp(text, "ranks:", 6) != 0)
        return json_error(node, err, "unknown value '%s', expected hardware, thread, call or ranks:K", text);
    if (progress_ranks_parse(text, &platform->progress_ranks)) return STATUS_OK;
    return json_error(node, err, "'%s', expected ranks:K, K from 1 to %d", text, CORES_MAX);
}

/* What a message of the kind meets is at its target, whose work progress ranks do. */
static bool is_at_target(enum service service)
{
    return service != SERVICE_ACKNOWLEDGEMENT && service != SERVICE_NOTIFICATION && service != SERVICE_CLEAR;
}

static void use_progress_ranks(struct serve_rule *rules)
{
    for (;; rules++) {
        if (rules->by == PROGRESS_CALL) rules->by = PROGRESS_THREAD;
        if (rules->upto_bytes == INT64_MAX) return;
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
    if (protocol->calls[STEPS_COMPLETE].form == FORM_COMPLETE_BEHIND) return true;
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        if (kind != RMA_GET && protocol->local[kind] == LOCAL_ACKNOWLEDGED) return true;
    return false;
}

bool protocol_queries(const struct rma_protocol *protocol, enum steps_query query)
{
    for (int call = 0; call < STEPS_CALL_COUNT; call++)
        if (protocol->calls[call].query == query) return true;
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

/* mpi.rma.lock and mpi.rma.fence are short names of lists. */
enum status call_name_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                           struct err *err)
{
    const enum steps_call call = (enum steps_call)platform_name_index(steps_call_names, strrchr(key->path, '.') + 1);
    int index;
    if (!node->item) return STATUS_OK;
    TRY(name_read(node, key->names, &index, err));
    steps_rename(&platform->protocol.calls[call], call, index > 0);
    return STATUS_OK;
}

/* Keys in whose place steps of calls are. */
static enum status refuse_old(const struct json_node *protocol, struct err *err)
{
    static const struct {
        const char *key;
        enum steps_call call;
    } rows[] = {{"complete", STEPS_COMPLETE},   {"unlock", STEPS_UNLOCK},     {"flush", STEPS_FLUSH},
                {"flush_asks", STEPS_FLUSH},    {"lock_request", STEPS_LOCK}, {"fence_assertions", STEPS_FENCE},
                {"fence_counts", STEPS_FENCE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct json_node old = json_member(protocol, rows[i].key);
        char text[STEPS_TEXT_BYTES];
        const struct call_steps usual = steps_default(rows[i].call);
        if (old.item)
            return json_error(&old, err, "replaced by the steps of mpi.rma.protocol.calls.%s, as \"%s\"",
                              steps_call_names[rows[i].call], steps_text(&usual, text));
    }
    return STATUS_OK;
}

enum status protocol_read(const struct json_node *node, const struct platform_key *key, struct platform *platform,
                          struct err *err)
{
    if (!node->item) return STATUS_OK;
    TRY(json_object(node, err));
    TRY(refuse_old(node, err));
    return section_read(node, key, platform, err);
}

/* null: each kind has its default, also where a profile has another server. */
enum status serves_read(const struct json_node *node, const struct platform_key *key, struct platform *platform, struct err *err)
{
    bool replaced = node->item && cJSON_IsNull(node->item);
    for (int service = 0; service < SERVICE_COUNT; service++) platform->protocol.serves_replaced[service] = replaced;
    return node->item && !replaced ? section_read(node, key, platform, err) : STATUS_OK;
}

enum status server_read(const struct json_node *node, const struct platform_key *key, struct platform *platform, struct err *err)
{
    struct rma_protocol *protocol = &platform->protocol;
    const size_t service = (key->offset - offsetof(struct platform, protocol.serves)) / sizeof protocol->serves[0];
    protocol->serves[service][0].by = default_server((enum service)service, platform->progress);
    if (cJSON_IsNull(node->item)) protocol->serves_replaced[service] = true;
    if (cJSON_IsObject(node->item)) return json_error(node, err, "an object, expected a string, or rows of upto_bytes and by");
    if (!cJSON_IsNull(node->item)) TRY(by_size_read(node, key, platform, err));
    if (platform->progress_ranks > 0 && is_at_target((enum service)service)) use_progress_ranks(protocol->serves[service]);
    return STATUS_OK;
}
