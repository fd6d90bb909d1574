/* Reads mpi.rma.windows: the settings of single windows. */
#include <stdlib.h>
#include <string.h>

#include "platforms/read.h"

static enum status read_rule(const struct json_node *node, const struct platform *platform, struct window_rule *rule,
                             struct err *err)
{
    static const char *const keys[] = {"semantics", "calls", NULL}, *const calls_keys[] = {"lock", "fence", NULL};
    struct json_node semantics = json_member(node, "semantics"), calls = json_member(node, "calls"),
                     lock = json_member(&calls, "lock"), fence = json_member(&calls, "fence");
    TRY(json_object(node, err));
    TRY(json_known_keys(node, keys, err));
    rule->has_semantics = semantics.item != NULL;
    rule->has_lock = lock.item != NULL;
    rule->has_fence = fence.item != NULL;
    rule->window = strdup(node->item->string);
    if (!rule->window) return err_memory(err);
    if (semantics.item) TRY(semantics_read(&semantics, &rule->semantics, err));
    rule->semantics.buffer_bytes = platform->semantics.buffer_bytes;
    if (calls.item) TRY(json_object(&calls, err));
    if (calls.item) TRY(json_known_keys(&calls, calls_keys, err));
    if (lock.item) TRY(steps_read(&lock, STEPS_LOCK, &rule->lock, err));
    return fence.item ? steps_read(&fence, STEPS_FENCE, &rule->fence, err) : STATUS_OK;
}

enum status windows_read(const struct json_node *node, const struct platform_key *key, struct platform *platform, struct err *err)
{
    (void)key;
    if (!node->item) return STATUS_OK;
    TRY(json_object(node, err));
    size_t count = 0;
    const cJSON *item;
    cJSON_ArrayForEach (item, node->item) count++;
    platform->window_rules = calloc(count + 1, sizeof *platform->window_rules);
    if (!platform->window_rules) return err_memory(err);
    cJSON_ArrayForEach (item, node->item) {
        if (json_key_ignored(item->string)) continue;
        struct json_node rule = json_member(node, item->string);
        TRY(read_rule(&rule, platform, &platform->window_rules[platform->window_rule_count++], err));
    }
    return STATUS_OK;
}

void platform_semantics_name(const struct platform *platform, char name[PLATFORM_SEMANTICS_BYTES])
{
    size_t used = (size_t)snprintf(name, PLATFORM_SEMANTICS_BYTES, "%s", platform->semantics.name);
    for (size_t i = 0; i < platform->window_rule_count && used < PLATFORM_SEMANTICS_BYTES; i++) {
        if (!platform->window_rules[i].has_semantics) continue;
        used += (size_t)snprintf(name + used, PLATFORM_SEMANTICS_BYTES - used, "@%s=%s",
                                 platform->window_rules[i].window, platform->window_rules[i].semantics.name);
    }
}
