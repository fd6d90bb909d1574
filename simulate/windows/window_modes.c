#include "simulate/windows/window_modes.h"

#include <stdlib.h>
#include <string.h>

struct found {
    bool complete, group, both; /* some row waits in complete, for the whole group, in complete for the whole group */
};

static struct window_mode make_mode(const struct platform *platform, const struct rma_semantics *semantics,
                                    const struct call_steps *lock, const struct call_steps *fence)
{
    struct found found = {false};
    for (int kind = 0; kind < RMA_KIND_COUNT; kind++)
        for (const struct rma_rule *rule = semantics->rules[kind];; rule++) {
            found.complete |= rule->waits == WAITS_COMPLETE;
            found.group |= rule->group;
            found.both |= rule->waits == WAITS_COMPLETE && rule->group;
            if (rule->upto_bytes == INT64_MAX) break;
        }
    bool ahead = semantics_run_ahead(semantics);
    return (struct window_mode){.semantics = semantics,
                                .lock = *lock,
                                .fence = *fence,
                                .complete_waits_all = found.complete,
                                .waits_for_group = found.group,
                                .queues_for_group = found.both,
                                .wait_confirms = ahead && platform->protocol.wait == WAIT_CONFIRMED,
                                .epochs_ahead = ahead ? platform->epochs_ahead : INT64_MAX};
}

bool window_modes_number(const char *text, size_t *number)
{
    char *end;
    *number = strtoul(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

static bool names_window(const char *text, const struct trace *trace, size_t window)
{
    size_t number;
    if (window_modes_number(text, &number)) return number == window;
    return trace->definitions.windows[window].name && strcmp(trace->definitions.windows[window].name, text) == 0;
}

const struct window_rule *window_modes_unknown(const struct trace *trace, const struct platform *platform)
{
    for (size_t i = 0; i < platform->window_rule_count; i++) {
        size_t window = 0;
        while (window < trace->definitions.window_count &&
               !names_window(platform->window_rules[i].window, trace, window))
            window++;
        if (window == trace->definitions.window_count) return &platform->window_rules[i];
    }
    return NULL;
}

static enum status apply_rule(const struct trace *trace, const struct platform *platform,
                              const struct window_rule *rule, struct window_mode *modes, struct err *err)
{
    bool found = false;
    for (size_t w = 0; w < trace->definitions.window_count; w++) {
        if (!names_window(rule->window, trace, w)) continue;
        modes[w] =
            make_mode(platform, rule->has_semantics ? &rule->semantics : modes[w].semantics,
                      rule->has_lock ? &rule->lock : &modes[w].lock, rule->has_fence ? &rule->fence : &modes[w].fence);
        found = true;
    }
    if (found) return STATUS_OK;
    char place[96];
    snprintf(place, sizeof place, "mpi.rma.windows.%s", rule->window);
    return err_set(err, STATUS_DATA, platform->file, place, WINDOW_MODES_UNKNOWN, rule->window, trace->name,
                   trace->definitions.window_count);
}

/* Dynamic and shared windows: MPICH's network does not know their memory (docs/protocols.md, Windows). */
static bool is_unregistered(char flavor)
{
    return flavor == 'd' || flavor == 's';
}

static void set_put_rules(const struct rma_protocol *protocol, char flavor, struct window_mode *mode)
{
    mode->accumulates = is_unregistered(flavor) && protocol->dynamic_put == PUT_RULES_ACCUMULATE;
    mode->gaps_accumulate = !mode->accumulates && protocol->noncontiguous_put == PUT_RULES_ACCUMULATE;
}

/* MPICH packs a put's origin, and a put of its network needs one address at the target. A get needs one on both sides. */
bool window_mode_gaps(const struct window_mode *mode, const struct trace *trace, uint32_t rank, size_t index)
{
    const struct trace_call *call = &trace->ranks[rank].calls[index];
    enum call_kind kind = call_kind(call->call);
    if (!mode->gaps_accumulate || !(call->flags & TRACE_GAPS) || (kind != CALL_PUT && kind != CALL_GET)) return false;
    struct trace_extents extents = trace_call_extents(trace, rank, index);
    return extents.of[TRACE_TARGET] > 0 || (kind == CALL_GET && extents.of[TRACE_ORIGIN] > 0);
}

/* Complete that waits for acknowledgements of some operations (protocol.local) notifies behind them. */
static void list_steps(const struct rma_protocol *protocol, struct window_mode *mode)
{
    struct call_steps calls[STEPS_CALL_COUNT];
    memcpy(calls, protocol->calls, sizeof calls);
    calls[STEPS_LOCK] = mode->lock;
    calls[STEPS_FENCE] = mode->fence;
    if (protocol_completes_behind(protocol)) calls[STEPS_COMPLETE].form = FORM_COMPLETE_BEHIND;
    for (int call = 0; call < STEPS_CALL_COUNT; call++) mode->steps[call] = steps_list(&calls[call]);
    struct steps_list *flush = &mode->steps[STEPS_FLUSH];
    flush->steps[flush->count++] = DO_LEFT;
}

enum status window_modes_new(const struct trace *trace, const struct platform *platform, struct window_mode **modes,
                             struct err *err)
{
    const struct call_steps *calls = platform->protocol.calls;
    struct window_mode *made = calloc(trace->definitions.window_count + 1, sizeof *made);
    if (!made) return err_memory(err);
    enum status status = STATUS_OK;
    for (size_t w = 0; w < trace->definitions.window_count; w++)
        made[w] = make_mode(platform, &platform->semantics, &calls[STEPS_LOCK], &calls[STEPS_FENCE]);
    for (size_t i = 0; status == STATUS_OK && i < platform->window_rule_count; i++)
        status = apply_rule(trace, platform, &platform->window_rules[i], made, err);
    for (size_t w = 0; w < trace->definitions.window_count; w++) {
        set_put_rules(&platform->protocol, trace->definitions.windows[w].flavor, &made[w]);
        list_steps(&platform->protocol, &made[w]);
    }
    GIVE(status, *modes = made, free(made));
}
