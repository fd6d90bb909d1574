#include "platforms/values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "platforms/topology/topology.h"
#include "trace/calls/calls.h"

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
    for (size_t i = 0; i < finder->platform->group_count; i++) {
        struct node_group *group = &finder->platform->groups[i];
        char row[32] = "";
        if (finder->platform->group_count > 1) snprintf(row, sizeof row, "[%zu]", i);
        TRY(add_value(finder, KEY_SPEED, &group->speed, NULL, "nodes%s.speed", row));
        TRY(add_value(finder, KEY_RATE, &group->memory_bandwidth_Bps, NULL, "nodes%s.memory_bandwidth_Bps", row));
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
