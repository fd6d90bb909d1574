#include "platforms/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "platforms/topology/topology.h"
#include "trace/calls/calls.h"

/* "nodes[3]" or "nodes[2-5]". */
static bool read_numbers(const char *name, int32_t *first, int32_t *last)
{
    int end = 0;
    if (sscanf(name, "nodes[%9" SCNd32 "]%n", first, &end) == 1 && end > 0) {
        *last = *first;
        return true;
    }
    return sscanf(name, "nodes[%9" SCNd32 "-%9" SCNd32 "]%n", first, last, &end) == 2 && end > 0;
}

/* So that a group begins with the node. */
static enum status split_groups(struct platform *platform, int32_t node, struct err *err)
{
    size_t i = 0, capacity = platform->group_count;
    while (i < platform->group_count && node >= platform->groups[i].count) node -= platform->groups[i++].count;
    if (i == platform->group_count || node == 0) return STATUS_OK;
    TRY(array_reserve((void **)&platform->groups, &capacity, platform->group_count + 1, sizeof *platform->groups, err));
    struct node_group rest = platform->groups[i], *group = &platform->groups[i];
    if (rest.name && !(rest.name = strdup(rest.name))) return err_memory(err);
    rest.count -= node;
    group->count = node;
    memmove(group + 2, group + 1, (platform->group_count++ - i - 1) * sizeof rest);
    group[1] = rest;
    return STATUS_OK;
}

enum status platform_nodes_split(struct platform *platform, const char *option, const char *name, struct err *err)
{
    int32_t first, last;
    if (!read_numbers(name, &first, &last)) return STATUS_OK;
    if (first < 0 || last < first || last >= platform->node_count)
        return err_set(err, STATUS_USAGE, option, name, "no such node, expected numbers from 0 to %" PRId32,
                       (int32_t)platform->node_count - 1);
    TRY(split_groups(platform, first, err));
    return split_groups(platform, last + 1, err);
}

bool platform_value_is(const struct platform_value *value, const char *name)
{
    const char *key = strrchr(name, '.');
    int32_t first, last;
    if (strcmp(value->key, name) == 0) return true;
    if (!value->group || !key || strncmp(name, "nodes", strlen("nodes")) != 0) return false;
    if (strcmp(key, strrchr(value->key, '.')) != 0) return false;
    if (key == name + strlen("nodes")) return true;
    const char *group = name + strlen("nodes["), *end = key - 1;
    if (*end != ']') return false;
    if (read_numbers(name, &first, &last)) return value->first >= first && value->first + value->group->count - 1 <= last;
    const char *own = value->group->name;
    return own && end > group && strlen(own) == (size_t)(end - group) && memcmp(own, group, (size_t)(end - group)) == 0;
}

struct finder {
    struct platform *platform;
    struct platform_values *values;
    struct err *err;
};

static enum status __attribute__((format(printf, 5, 6)))
add_value(const struct finder *finder, enum key_kind kind, double *at, double *follows, const char *format, ...)
{
    struct platform_value made = {.kind = kind, .at = at, .follows = follows};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made.key, sizeof made.key, format, arguments);
    va_end(arguments);
    ARRAY_PUSH(finder->values->items, finder->values->count, finder->values->capacity, made, finder->err);
    return STATUS_OK;
}

static bool is_quantity(enum key_kind kind)
{
    return kind == KEY_TIME || kind == KEY_PAUSE || kind == KEY_COST || kind == KEY_RATE || kind == KEY_SPEED;
}

static enum status add_rows(const struct finder *finder, const struct platform_key *key)
{
    char *at = (char *)finder->platform + key->offset;
    int64_t upto_bytes = 0;
    for (int i = 0; i < key->rows->most && upto_bytes != INT64_MAX; i++, at += key->rows->bytes) {
        memcpy(&upto_bytes, at, sizeof upto_bytes);
        double *value = (double *)(void *)(at + key->rows->offset), *time = (double *)(void *)(at + key->rows->time_offset);
        if (i == 0 && upto_bytes == INT64_MAX) return add_value(finder, key->kind, value, NULL, "%s", key->path);
        TRY(add_value(finder, KEY_TIME, time, NULL, "%s[%d].%s", key->path, i, key->rows->time));
        TRY(add_value(finder, key->kind, value, NULL, "%s[%d].%s", key->path, i, key->rows->value));
    }
    return STATUS_OK;
}

/* The member of the loopback that has the value of this one where the file says nothing. */
static double *find_follower(struct platform *platform, const double *at)
{
    struct pause_cost *pause = &platform->loopback_pause;
    if (at == &platform->overhead_s && platform->loopback_follows.overhead) return &platform->loopback_overhead_s;
    if (!platform->loopback_follows.pause) return NULL;
    if (at == &platform->pause.after_s) return &pause->after_s;
    if (at == &platform->pause.full_s) return &pause->full_s;
    return at == &platform->pause.call_s ? &pause->call_s : NULL;
}

static bool is_follower(struct platform *platform, const double *at)
{
    const struct pause_cost *pause = &platform->loopback_pause;
    if (at == &platform->loopback_overhead_s) return platform->loopback_follows.overhead;
    return platform->loopback_follows.pause && (at == &pause->after_s || at == &pause->full_s || at == &pause->call_s);
}

/* The keys that have a member of their own. */
static enum status add_members(const struct finder *finder)
{
    struct platform *platform = finder->platform;
    for (const struct platform_key *key = platform_keys; key->path; key++) {
        double *at = (double *)(void *)((char *)platform + key->offset);
        const bool own = strcmp(key->path, "network.jitter_s") == 0 || strncmp(key->path, "nodes.", strlen("nodes.")) == 0;
        if (!is_quantity(key->kind) || own) continue;
        if (key->rows)
            TRY(add_rows(finder, key));
        else if ((!isnan(key->standard) || at == &platform->loopback_overhead_s) && !is_follower(platform, at))
            TRY(add_value(finder, key->kind, at, find_follower(platform, at), "%s", key->path));
    }
    return STATUS_OK;
}

static enum status add_segments(const struct finder *finder, const char *section, struct net_segment *segments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char row[32] = "";
        if (count > 1) snprintf(row, sizeof row, ".segments[%zu]", i);
        TRY(add_value(finder, KEY_TIME, &segments[i].latency_s, NULL, "%s%s.latency_s", section, row));
        TRY(add_value(finder, KEY_RATE, &segments[i].bandwidth_Bps, NULL, "%s%s.bandwidth_Bps", section, row));
    }
    return STATUS_OK;
}

static enum status add_calls(const struct finder *finder, const char *key, double *call_s)
{
    for (int call = 0; call_s && call < MPI_FUNCTION_COUNT; call++)
        if (call_s[call] > 0) TRY(add_value(finder, KEY_TIME, &call_s[call], NULL, "%s.%s", key, call_name((enum mpi_call)call)));
    return STATUS_OK;
}

static enum status add_nodes(const struct finder *finder)
{
    const struct platform *platform = finder->platform;
    struct platform_values *values = finder->values;
    int32_t first = 0;
    for (size_t i = 0; i < platform->group_count; first += platform->groups[i++].count) {
        struct node_group *group = &platform->groups[i];
        const int32_t last = first + group->count - 1;
        char row[32] = "";
        if (platform->group_count > 1)
            snprintf(row, sizeof row, last > first ? "[%" PRId32 "-%" PRId32 "]" : "[%" PRId32 "]", first, last);
        TRY(add_value(finder, KEY_SPEED, &group->speed, NULL, "nodes%s.speed", row));
        TRY(add_value(finder, KEY_RATE, &group->memory_bandwidth_Bps, NULL, "nodes%s.memory_bandwidth_Bps", row));
        for (size_t of = values->count - 2; of < values->count; of++) {
            values->items[of].group = group;
            values->items[of].first = first;
        }
    }
    return STATUS_OK;
}

static enum status find_values(const struct finder *finder)
{
    struct platform *platform = finder->platform;
    double *hop_s = topology_hop_latency(platform->topology);
    TRY(add_segments(finder, "network", platform->segments, platform->segment_count));
    TRY(add_segments(finder, "network.two_sided", platform->two_sided, platform->two_sided_count));
    TRY(add_segments(finder, "network.loopback", platform->loopback, platform->loopback_count));
    TRY(add_segments(finder, "network.loopback.two_sided", platform->loopback_two_sided, platform->loopback_two_sided_count));
    if (hop_s) TRY(add_value(finder, KEY_TIME, hop_s, NULL, "network.topology.hop_latency_s"));
    TRY(add_members(finder));
    TRY(add_calls(finder, "mpi.call_s", platform->call_s));
    TRY(add_calls(finder, "network.loopback.call_s", platform->loopback_call_s));
    return add_nodes(finder);
}

enum status platform_values_find(struct platform *platform, struct platform_values *values, struct err *err)
{
    *values = (struct platform_values){.count = 0};
    enum status status = find_values(&(const struct finder){platform, values, err});
    if (status != STATUS_OK) platform_values_clear(values);
    return status;
}

void platform_values_clear(struct platform_values *values)
{
    free(values->items);
    *values = (struct platform_values){.count = 0};
}

void platform_values_stretch(const struct platform_values *values, double factor)
{
    for (size_t i = 0; i < values->count; i++) {
        const struct platform_value *value = &values->items[i];
        if (value->kind == KEY_SPEED) continue;
        double by = value->kind == KEY_RATE ? 1 / factor : factor;
        *value->at *= by;
        if (value->follows) *value->follows *= by;
    }
}
