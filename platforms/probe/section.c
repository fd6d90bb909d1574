#include "platforms/probe/section.h"

#include <math.h>
#include <string.h>

#include "common/json.h"
#include "common/json/json_write.h"
#include "platforms/read.h"

/* The eager limit where no size up to the largest one needs a rendezvous. */
#define UNLIMITED 0x1p50
enum { LARGE_BYTES = 65536 };
/* Times in units of the latency are conclusive only if the latency is far larger than the calls themselves. */
#define LATENCY_LEAST 20e-6
/* docs/protocols.md, Two looks: between 30 and 50 us. */
#define OPENMPI_POLL_S 4e-5

typedef const struct probe_findings *given;

static const struct probe_verdict *next_size(given findings, const struct probe_verdict *verdict)
{
    const struct probe_verdict *next = verdict + 1;
    bool has = next < findings->verdicts + findings->verdict_count && next->question == verdict->question &&
               next->variant == verdict->variant;
    return has ? next : NULL;
}

static void add_verdict(cJSON *object, const char *key, const struct probe_verdict *verdict)
{
    if (verdict) json_add_text(object, key, verdict->name);
}

/* The last of the sizes from the smallest one on that all have this verdict; NULL: not even the smallest one has. */
static const struct probe_verdict *last_with(given findings, enum probe_question question, enum probe_variant variant,
                                             const char *name)
{
    const struct probe_verdict *verdict = probe_find_verdict(findings, question, variant, -1), *last = NULL;
    for (; verdict && strcmp(verdict->name, name) == 0; verdict = next_size(findings, verdict)) last = verdict;
    return last;
}

/* --- rows by size --- */

/* The largest size with the verdict; its error is the distance to the next size that was tried. */
static cJSON *measured_upto(given findings, const struct probe_verdict *verdict, const struct probe_verdict *next)
{
    const struct probe_limit *limit = probe_find_limit(findings, verdict, next);
    int64_t low = limit ? limit->low : verdict->bytes, high = limit ? limit->high : next->bytes;
    return json_measured((double)low, (double)(high - low), verdict->of);
}

/* Whether the operation waits for the posts of all targets of its epoch. What was found at one size holds for all sizes that
 * wait in the same call. */
static bool waits_for_group(given findings, const struct probe_verdict *verdict)
{
    if (verdict->question != PROBE_ASKS_SEMANTICS) return false;
    bool call = strcmp(verdict->name, "call") == 0;
    if (!call && strcmp(verdict->name, "complete") != 0) return false;
    const struct probe_verdict *posts =
        probe_find_verdict(findings, call ? PROBE_ASKS_POSTS : PROBE_ASKS_POSTS_QUEUED, verdict->variant, -1);
    return posts && strcmp(posts->name, "group") == 0;
}

/* Sizes with one verdict are one row; key is "waits" or "by". A single row is a name. */
static cJSON *rows_by_size(given findings, const struct probe_verdict *verdict, const char *key)
{
    cJSON *rows = cJSON_CreateArray();
    const struct probe_verdict *next;
    for (; verdict; verdict = next) {
        next = next_size(findings, verdict);
        if (next && strcmp(next->name, verdict->name) == 0) continue;
        cJSON *row = cJSON_CreateObject();
        if (next) json_put(row, "upto_bytes", measured_upto(findings, verdict, next));
        json_add_text(row, key, verdict->name);
        if (waits_for_group(findings, verdict)) json_add_text(row, "posts", "group");
        json_append(rows, row);
    }
    const cJSON *first = cJSON_GetArrayItem(rows, 0);
    if (json_whole(rows, NULL) != STATUS_OK || cJSON_GetArraySize(rows) != 1 || cJSON_HasObjectItem(first, "posts")) return rows;
    cJSON *only = cJSON_CreateString(cJSON_GetStringValue(cJSON_GetObjectItem(first, key)));
    cJSON_Delete(rows);
    return only;
}

static const enum probe_variant kinds[] = {PROBE_VARIANT_PUT, PROBE_VARIANT_GET, PROBE_VARIANT_ACCUMULATE};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The size from which on an operation that is copied waits in its call, since it is larger than the buffer: the puts of the
 * case "buffer", each far smaller, had no more room in all. INT64_MAX: there is no such size. */
static int64_t beyond_buffer(given findings, enum probe_variant variant)
{
    const struct probe_verdict *fits = last_with(findings, PROBE_ASKS_BUFFER, PROBE_VARIANT_PUT, "copied"),
                               *full = fits ? next_size(findings, fits) : NULL,
                               *copied = last_with(findings, PROBE_ASKS_SEMANTICS, variant, "never"),
                               *waits = copied ? next_size(findings, copied) : NULL;
    if (!full || !waits) return INT64_MAX;
    const struct probe_limit *limit = probe_find_limit(findings, copied, waits);
    int64_t room = probe_upto(findings, fits, full), most = limit ? limit->high : waits->bytes;
    return most >= room - room / 16 ? waits->bytes : INT64_MAX;
}

/* The call in which all sizes of all operations, or of gets alone, wait. NULL: they differ, or no question was
 * asked. */
static const char *one_place(given findings, bool gets)
{
    const char *name = NULL;
    for (size_t i = 0; i < findings->verdict_count; i++) {
        const struct probe_verdict *verdict = &findings->verdicts[i];
        if (verdict->question != PROBE_ASKS_SEMANTICS || verdict->variant == PROBE_VARIANT_NONE) continue;
        if (gets != (verdict->variant == PROBE_VARIANT_GET)) continue;
        if (verdict->bytes >= beyond_buffer(findings, verdict->variant) && strcmp(verdict->name, "call") == 0) continue;
        if ((name && strcmp(name, verdict->name) != 0) || waits_for_group(findings, verdict)) return NULL;
        name = verdict->name;
    }
    return name;
}

/* The letter of a library that does not mix them. Under d complete waits for the data of gets, and so for the post. */
static const char *letter_of(given findings)
{
    static const char *const names[] = {"start", "call", "complete", "never"}, *const letters[] = {"a", "b", "c", "d"};
    const char *name = one_place(findings, false), *get = one_place(findings, true);
    if (!name || !get) return NULL;
    if (strcmp(get, strcmp(name, "never") == 0 ? "complete" : name) != 0) return NULL;
    for (int i = 0; i < 4; i++)
        if (strcmp(names[i], name) == 0) return letters[i];
    return NULL;
}

static void add_semantics(given findings, cJSON *rma)
{
    const char *letter = letter_of(findings);
    if (!probe_find_verdict(findings, PROBE_ASKS_SEMANTICS, PROBE_VARIANT_PUT, -1)) return;
    if (letter) {
        json_add_text(rma, "semantics", letter);
        return;
    }
    cJSON *table = json_add_object(rma, "semantics");
    bool start = false;
    for (int i = 0; i < KINDS; i++) {
        const struct probe_verdict *verdict = probe_find_verdict(findings, PROBE_ASKS_SEMANTICS, kinds[i], -1);
        if (!verdict) continue;
        json_put(table, probe_variants[kinds[i]], rows_by_size(findings, verdict, "waits"));
        for (; verdict; verdict = next_size(findings, verdict)) start = start || strcmp(verdict->name, "start") == 0;
    }
    start = start || probe_says(findings, PROBE_ASKS_SEMANTICS, PROBE_VARIANT_NONE, 0, "start");
    json_add_text(table, "start", start ? "waits" : "returns");
}

/* Semantics d: how far an origin runs ahead, and how much it copies. No limit was found if the largest number of epochs that was
 * tried, or that of bytes if it is 64 KB or more, needs none. */
static void add_room(given findings, cJSON *rma)
{
    const struct probe_verdict *fewest = probe_find_verdict(findings, PROBE_ASKS_AHEAD, PROBE_VARIANT_NONE, -1);
    if (fewest) {
        const struct probe_verdict *last = last_with(findings, PROBE_ASKS_AHEAD, PROBE_VARIANT_NONE, "returns"),
                                   *next = last ? next_size(findings, last) : fewest;
        cJSON *ahead = !last  ? json_measured(1, (double)fewest->bytes - 1, fewest->of)
                       : next ? measured_upto(findings, last, next)
                              : cJSON_CreateString("unlimited");
        json_put(rma, "epochs_ahead", ahead);
    }
    const struct probe_verdict *fits = last_with(findings, PROBE_ASKS_BUFFER, PROBE_VARIANT_PUT, "copied"),
                               *full = fits ? next_size(findings, fits) : NULL;
    if (full)
        json_put(rma, "buffer_bytes", measured_upto(findings, fits, full));
    else if (fits && fits->bytes >= LARGE_BYTES)
        json_add_text(rma, "buffer_bytes", "unlimited");
}

/* --- who serves --- */

static bool puts_are_served_by_call(given findings)
{
    const struct probe_verdict *put = probe_find_verdict(findings, PROBE_ASKS_SERVES, PROBE_VARIANT_PUT, -1);
    return put && strcmp(put->name, "call") == 0;
}

/* Eight bytes are measured by fetch_and_op, more by get_accumulate: a library may serve them differently. */
static cJSON *fetch_rows(given findings)
{
    const struct probe_verdict *eight = probe_find_verdict(findings, PROBE_ASKS_SERVES, PROBE_VARIANT_FETCH_AND_OP, 8),
                               *more = probe_find_verdict(findings, PROBE_ASKS_SERVES, PROBE_VARIANT_GET_ACCUMULATE, -1);
    if (!eight && !more) return NULL;
    if (!eight || !more || strcmp(eight->name, more->name) == 0) return cJSON_CreateString((eight ? eight : more)->name);
    cJSON *rows = cJSON_CreateArray();
    for (int i = 0; i < 2; i++) {
        cJSON *row = cJSON_CreateObject();
        if (i == 0) json_put(row, "upto_bytes", json_measured(8, (double)(more->bytes - 8), eight->of));
        json_add_text(row, "by", (i == 0 ? eight : more)->name);
        json_append(rows, row);
    }
    return rows;
}

/* What serves the release. An acknowledged unlock shows it by its own wait; otherwise the next lock shows it, if it
 * waits where a lock alone does not. */
static const char *release_server(given findings)
{
    if (probe_says(findings, PROBE_ASKS_UNLOCK, PROBE_VARIANT_NONE, 0, "acknowledged")) return "call";
    const struct probe_verdict *lock = probe_find_verdict(findings, PROBE_ASKS_SERVES_LOCK, PROBE_VARIANT_NONE, 0),
                               *again = probe_find_verdict(findings, PROBE_ASKS_SERVES_RELEASE, PROBE_VARIANT_NONE, 0);
    if (!lock || !again) return NULL;
    return strcmp(lock->name, "call") == 0 ? "call" : again->name;
}

/* Whether a rank receives a message at once or only inside MPI cannot be distinguished at the origin: both show in its
 * next call. */
static void add_assumed(given findings, cJSON *serves)
{
    const char *by = puts_are_served_by_call(findings) ? "call" : "hardware";
    const struct probe_verdict *large = probe_find_verdict(findings, PROBE_ASKS_ISSUE, PROBE_VARIANT_PUT, 1 << 20);
    json_add_text(serves, "acknowledgement", by);
    json_add_text(serves, "notification", by);
    if (large) json_add_text(serves, "clear", strcmp(large->name, "deferred") == 0 ? "call" : by);
    json_add_text(serves, "comment", "acknowledgement, notification: as puts; no delay tells them apart");
}

static void add_serves(given findings, cJSON *protocol)
{
    cJSON *serves = cJSON_CreateObject(), *fetch = fetch_rows(findings);
    for (int i = 0; i < KINDS; i++) {
        const struct probe_verdict *verdict = probe_find_verdict(findings, PROBE_ASKS_SERVES, kinds[i], -1);
        if (verdict) json_put(serves, probe_variants[kinds[i]], rows_by_size(findings, verdict, "by"));
    }
    if (fetch) json_put(serves, "fetch", fetch);
    add_verdict(serves, "lock", probe_find_verdict(findings, PROBE_ASKS_SERVES_LOCK, PROBE_VARIANT_NONE, 0));
    if (release_server(findings)) json_add_text(serves, "release", release_server(findings));
    add_verdict(serves, "rendezvous", probe_find_verdict(findings, PROBE_ASKS_SERVES_RENDEZVOUS, PROBE_VARIANT_NONE, -1));
    if (probe_find_verdict(findings, PROBE_ASKS_SERVES, PROBE_VARIANT_PUT, -1)) add_assumed(findings, serves);
    json_put(protocol, "serves", serves);
}

/* --- the protocol --- */

static bool takes_latencies(given findings, const char *series, double least)
{
    struct probe_time latency;
    const struct probe_time *time = probe_find_time(findings, series, 8);
    return time && probe_latency(findings, &latency) && latency.value_s >= LATENCY_LEAST &&
           time->value_s >= least * latency.value_s;
}

static void add_local(given findings, cJSON *protocol)
{
    const struct probe_verdict *put = probe_find_verdict(findings, PROBE_ASKS_LOCAL, PROBE_VARIANT_PUT, -1),
                               *accumulate = probe_find_verdict(findings, PROBE_ASKS_LOCAL, PROBE_VARIANT_ACCUMULATE, -1);
    if (!put && !accumulate) return;
    cJSON *object = json_add_object(protocol, "local");
    if (put) json_add_text(object, "put", put->name);
    if (accumulate) json_add_text(object, "accumulate", accumulate->name);
}

/* "copied" and "left" differ by the time of flush_local after the call of a large put has returned. */
static void refine_local(given findings, cJSON *protocol)
{
    const struct probe_time *local = probe_find_time(findings, "put_flush_local", 65536),
                            *whole = probe_find_time(findings, "put_flush", 65536);
    cJSON *object = cJSON_GetObjectItem(protocol, "local"), *put = cJSON_GetObjectItem(object, "put");
    if (put && strcmp(put->valuestring, "copied") == 0 && local && whole && local->value_s > 0.3 * whole->value_s)
        json_replace(object, "put", cJSON_CreateString("left"));
}

static bool is_library(given findings, const char *name)
{
    return strncmp(findings->record->library, name, strlen(name)) == 0;
}

/* Not asked: a library that makes windows as MPICH does puts to dynamic ones by active messages, and MPICH those with gaps. */
static void add_put_rules(given findings, const cJSON *rma, cJSON *protocol)
{
    const cJSON *creation = cJSON_GetObjectItem(rma, "window_creation");
    if (!creation || strcmp(creation->valuestring, "mpich") != 0) return;
    json_add_text(protocol, "dynamic_put", "accumulate");
    if (is_library(findings, "MPICH")) json_add_text(protocol, "noncontiguous_put", "accumulate");
}

/* Not asked: Open MPI's osc/pt2pt queues the messages that it reads, sends releases behind the data, and requests for locks and
 * those of flushes early and always (docs/protocols.md). */
static bool queues_messages(given findings)
{
    return is_library(findings, "Open MPI") && puts_are_served_by_call(findings);
}

static void add_queue(cJSON *protocol)
{
    json_add_text(protocol, "visit", "needed");
    json_add_number(protocol, "polls", 2);
    json_add_number(protocol, "poll_s", OPENMPI_POLL_S);
    json_add_text(protocol, "get_data", "rendezvous");
}

/* --- calls --- */

/* A third rank tells a query of the targets from one of all connections. If there was none: MPICH asks a target whose puts are
 * all acknowledged where UCX flushes, and UCX flushes connections (docs/protocols.md, rule 6). */
static enum steps_query query_of(given findings)
{
    const struct probe_verdict *flush = probe_find_verdict(findings, PROBE_ASKS_FLUSH, PROBE_VARIANT_PUT, -1),
                               *others = probe_find_verdict(findings, PROBE_ASKS_FLUSH_OTHERS, PROBE_VARIANT_PUT, -1);
    if (!flush || strcmp(flush->name, "requested") != 0) return QUERY_NONE;
    const bool connected = others ? strcmp(others->name, "connections") == 0 : is_library(findings, "MPICH");
    return connected ? QUERY_CONNECTED : QUERY_NEEDED;
}

static void add_steps(cJSON *calls, enum steps_call call, struct call_steps steps)
{
    json_put(calls, steps_call_names[call], steps_json(&steps));
}

/* If the target's hardware answers, no delay shows that a call waits for the answer. The time of the call does. */
static void add_complete(given findings, enum steps_query query, cJSON *calls)
{
    bool asked = false, behind = takes_latencies(findings, "complete", 1);
    for (int i = 0; i < KINDS; i++) {
        const struct probe_verdict *verdict = probe_find_verdict(findings, PROBE_ASKS_COMPLETE, kinds[i], -1);
        asked = asked || verdict;
        behind = behind || (verdict && strcmp(verdict->name, "remote") == 0);
    }
    if (asked && behind) add_steps(calls, STEPS_COMPLETE, (struct call_steps){FORM_COMPLETE_BEHIND, query, false});
    if (asked && !behind) add_steps(calls, STEPS_COMPLETE, (struct call_steps){.form = FORM_COMPLETE_LOCAL});
}

static void add_unlock(given findings, enum steps_query query, cJSON *calls)
{
    const struct probe_verdict *unlock = probe_find_verdict(findings, PROBE_ASKS_UNLOCK, PROBE_VARIANT_NONE, 0);
    if (!unlock) return;
    const bool answered = takes_latencies(findings, "unlock", 1) || strcmp(unlock->name, "acknowledged") == 0;
    if (answered && queues_messages(findings))
        add_steps(calls, STEPS_UNLOCK, (struct call_steps){.form = FORM_UNLOCK_WITH_DATA});
    else
        add_steps(calls, STEPS_UNLOCK, (struct call_steps){answered ? FORM_UNLOCK_ANSWERED : FORM_UNLOCK_RELEASED, query, false});
}

/* A fence that exchanges counts is a reduce-scatter and a barrier: as long as two barriers. One that waits although both
 * assertions allow it not to does not look at them. */
static void add_fence(given findings, enum steps_query query, cJSON *calls)
{
    const struct probe_time *fence = probe_find_time(findings, "fence_train", 0),
                            *barrier = probe_find_time(findings, "barrier_train", 0);
    const struct probe_verdict *both = probe_find_verdict(findings, PROBE_ASKS_FENCE, PROBE_VARIANT_BOTH, 0);
    const bool counts = fence && barrier && fence->value_s > 1.6 * barrier->value_s;
    struct call_steps steps = {counts ? FORM_FENCE_COUNTS : FORM_FENCE_BARRIER, counts ? QUERY_NONE : query,
                               !both || strcmp(both->name, "waits") != 0};
    if (both || (fence && barrier)) add_steps(calls, STEPS_FENCE, steps);
}

static void add_lock(given findings, cJSON *calls)
{
    const struct probe_verdict *lock = probe_find_verdict(findings, PROBE_ASKS_LOCK, PROBE_VARIANT_PUT, -1);
    const enum steps_form lazy = queues_messages(findings) ? FORM_LOCK_ASK : FORM_LOCK_LAZY;
    if (!lock) return;
    add_steps(calls, STEPS_LOCK, (struct call_steps){.form = strcmp(lock->name, "blocking") == 0 ? FORM_LOCK_GRANT : lazy});
}

static void add_calls(given findings, cJSON *protocol)
{
    cJSON *calls = cJSON_CreateObject();
    const enum steps_query query = query_of(findings), under_locks = queues_messages(findings) && query ? QUERY_ALL : query;
    add_complete(findings, query, calls);
    add_unlock(findings, under_locks, calls);
    if (probe_find_verdict(findings, PROBE_ASKS_FLUSH, PROBE_VARIANT_PUT, -1))
        add_steps(calls, STEPS_FLUSH, (struct call_steps){FORM_FLUSH, under_locks, false});
    add_fence(findings, query, calls);
    add_lock(findings, calls);
    json_put(protocol, "calls", calls);
}

static void add_linger(given findings, cJSON *protocol)
{
    double linger_s = probe_record_value(findings->record, "linger_s", -1);
    if (linger_s < 0) return;
    json_put(protocol, "linger_s",
                          json_measured(linger_s, probe_record_value(findings->record, "linger_error_s", 0),
                                        (size_t)probe_record_value(findings->record, "linger_tries", 1)));
}

static void add_protocol(given findings, cJSON *rma)
{
    cJSON *protocol = cJSON_CreateObject();
    struct probe_cost cost;
    bool by_call = puts_are_served_by_call(findings);
    add_calls(findings, protocol);
    add_local(findings, protocol);
    refine_local(findings, protocol);
    if (queues_messages(findings))
        add_queue(protocol);
    else if (by_call)
        add_verdict(protocol, "visit", probe_find_verdict(findings, PROBE_ASKS_VISIT, PROBE_VARIANT_PUT, -1));
    if (by_call) add_linger(findings, protocol);
    add_verdict(protocol, "lock_order", probe_find_verdict(findings, PROBE_ASKS_LOCK_ORDER, PROBE_VARIANT_NONE, 0));
    add_put_rules(findings, rma, protocol);
    if (probe_put_cost(findings, &cost))
        json_put(protocol, "put_s_per_byte", json_measured(cost.below_s_per_byte, cost.error_s, cost.n));
    add_serves(findings, protocol);
    json_put(rma, "protocol", protocol);
}

/* --- mpi --- */

/* The largest size that is sent without rendezvous. There is no limit if the largest size tried needs none and is 64 KB or more:
 * on slow networks larger ones take too long. */
static void add_eager_limit(given findings, cJSON *object, enum probe_question question, enum probe_variant variant,
                            const char *eager)
{
    const struct probe_verdict *first = probe_find_verdict(findings, question, variant, -1);
    if (!first) return;
    const struct probe_verdict *last = last_with(findings, question, variant, eager),
                               *next = last ? next_size(findings, last) : first;
    cJSON *bytes = !last  ? json_measured(0, (double)first->bytes, first->of)
                   : next ? measured_upto(findings, last, next)
                          : cJSON_CreateNumber(last->bytes >= LARGE_BYTES ? UNLIMITED : (double)last->bytes);
    json_put(object, "eager_bytes", bytes);
}

static void add_apply_cost(given findings, cJSON *rma)
{
    struct probe_cost cost;
    if (!probe_apply_cost(findings, &cost)) return;
    if (cost.upto_bytes == INT64_MAX) {
        json_put(rma, "atomic_s_per_byte", json_measured(cost.below_s_per_byte, cost.error_s, cost.n));
        return;
    }
    cJSON *rows = json_add_array(rma, "atomic_s_per_byte");
    for (int i = 0; i < 2; i++) {
        cJSON *row = cJSON_CreateObject();
        if (i == 0)
            json_put(row, "upto_bytes", json_measured((double)cost.upto_bytes, cost.upto_error_bytes, cost.n));
        json_put(row, "s_per_byte",
                              json_measured(i == 0 ? cost.below_s_per_byte : cost.above_s_per_byte, cost.error_s, cost.n));
        json_append(rows, row);
    }
}

/* Between two ranks an exchange takes 2 L: an all-gather and a barrier. */
static void add_window_creation(given findings, cJSON *rma)
{
    struct probe_time latency;
    const struct probe_time *create = probe_find_time(findings, "win_create", 0);
    if (create && probe_latency(findings, &latency) && latency.value_s >= LATENCY_LEAST)
        json_add_text(rma, "window_creation", create->value_s >= 5 * latency.value_s ? "mpich" : "exchange");
}

/* Where hardware serves the requests to send, it may serve the answers, too. */
static bool is_read(given findings)
{
    const struct probe_verdict *served = probe_find_verdict(findings, PROBE_ASKS_SERVES_RENDEZVOUS, PROBE_VARIANT_NONE, -1),
                               *moved = probe_find_verdict(findings, PROBE_ASKS_RENDEZVOUS, PROBE_VARIANT_NONE, -1);
    return served && moved && strcmp(served->name, "call") == 0 && strcmp(moved->name, "read") == 0;
}

/* Above the eager limit a round trip with an answer of 8 bytes is 4 L + n/B where the data follow the clear to send at
 * once, 6 L + n/B where the receiver waits for the sender's notification after them. Two sizes cancel n/B. */
static void add_rendezvous(given findings, cJSON *mpi)
{
    struct probe_time latency;
    const bool read = is_read(findings);
    if (read) json_add_text(mpi, "rendezvous", "read");
    if (read || !probe_latency(findings, &latency) || latency.value_s < LATENCY_LEAST) return;
    for (size_t i = 0; i < findings->time_count; i++) {
        const struct probe_time *one = probe_find_time(findings, "round_trip", findings->times[i].bytes),
                                *four = probe_find_time(findings, "round_trip", 4 * findings->times[i].bytes);
        if (!one || !four) continue;
        double legs = (4 * one->value_s - four->value_s) / 3 / latency.value_s;
        json_add_text(mpi, "rendezvous", legs >= 5 ? "notified" : "direct");
        return;
    }
}

/* One run: nothing is known of the time's error, so it is as large as the time. */
static void add_seconds(given findings, cJSON *mpi, const char *key)
{
    double value = probe_record_value(findings->record, key, -1);
    if (value >= 0) json_put(mpi, key, json_measured(value, value, 1));
}

static void add_progress(given findings, cJSON *rma)
{
    const struct probe_verdict *get = probe_find_verdict(findings, PROBE_ASKS_SERVES, PROBE_VARIANT_GET, -1);
    add_verdict(rma, "progress", get);
}

/* The additional time of a put and flush if the target sleeps and its progress thread serves, compared with a target
 * that polls. Polling threads disturb each other on few cores, so it uses 10th percentiles, also of refused series. */
static void add_thread_delay(given findings, cJSON *rma)
{
    const struct probe_time *asleep = probe_find_series(findings, "put_flush_asleep", 8),
                            *polling = probe_find_series(findings, "put_flush", 8);
    if (!asleep || !polling || !probe_says(findings, PROBE_ASKS_SERVES, PROBE_VARIANT_PUT, 8, "thread")) return;
    json_put(rma, "thread_delay_s",
                          json_measured(fmax(asleep->low_s - polling->low_s, 0),
                                        hypot(asleep->low_error_s, polling->low_error_s), asleep->n));
}

/* Issue is deferred if not even large puts leave before the closing call. */
static void add_issue(given findings, cJSON *rma)
{
    bool any = false, all = true;
    for (size_t i = 0; i < findings->verdict_count; i++) {
        const struct probe_verdict *verdict = &findings->verdicts[i];
        if (verdict->question != PROBE_ASKS_ISSUE) continue;
        any = true;
        all = all && strcmp(verdict->name, "deferred") == 0;
    }
    if (any) json_add_text(rma, "issue", all ? "deferred" : "immediate");
}

static cJSON *make_section(given findings)
{
    cJSON *mpi = cJSON_CreateObject(), *rma = cJSON_CreateObject();
    add_eager_limit(findings, mpi, PROBE_ASKS_SEND, PROBE_VARIANT_NONE, "eager");
    add_rendezvous(findings, mpi);
    add_seconds(findings, mpi, "init_s");
    add_seconds(findings, mpi, "finalize_s");
    add_semantics(findings, rma);
    add_room(findings, rma);
    add_progress(findings, rma);
    add_thread_delay(findings, rma);
    add_issue(findings, rma);
    add_eager_limit(findings, rma, PROBE_ASKS_LOCAL, PROBE_VARIANT_PUT, "copied");
    add_apply_cost(findings, rma);
    add_window_creation(findings, rma);
    add_protocol(findings, rma);
    json_put(mpi, "rma", rma);
    return mpi;
}

enum status probe_section(const struct probe_findings *findings, cJSON **mpi, struct err *err)
{
    cJSON *made = make_section(findings);
    struct json_document document = {.file = (char[]){"rmacast-probe"}, .root = cJSON_CreateObject()};
    json_put(document.root, "mpi", made);
    struct json_node root = json_root(&document);
    enum status status = json_whole(document.root, err);
    if (status == STATUS_OK) status = platform_check_mpi(&root, err);
    cJSON *detached = cJSON_DetachItemFromObject(document.root, "mpi");
    cJSON_Delete(document.root);
    GIVE(status, *mpi = detached, cJSON_Delete(detached));
}
