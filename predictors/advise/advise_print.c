/* advice_print() and advice_to_json() of predictors/advise/advise.h. */
#include <math.h>
#include <string.h>

#include "common/json/json_write.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/result/result_fields.h"
#include "predictors/advise/advise.h"

static void print_change(const struct advice *advice, const struct proposal *change, FILE *out)
{
    char gain[UNITS_TEXT_BYTES], error[UNITS_TEXT_BYTES];
    text_print(out, "%-28s %10s +- %-9s %5.1f %%%s\n", change->scene.name, units_format_duration(change->gain_s, gain),
               units_format_duration(advice_error_s(change), error), 100 * change->gain_s / advice->reference_s,
               change->confirmed ? "" : "  fast engine only");
    rewrite_print(&change->scene.rewrite, "  ", out);
    if (change->where) text_print(out, "    most in %s\n", change->where);
}

/* Why a change does not apply, without the place of the first call that is refused. */
static const char *reason_of(const struct proposal *change)
{
    static const char refused[] = " changes nothing: ";
    const char *at = strstr(change->why, refused);
    return at ? at + sizeof refused - 1 : change->why;
}

static const struct proposal *change_at(const struct advice *advice, size_t place)
{
    return &advice->changes[advice->order[place]];
}

static bool has_reason_before(const struct advice *advice, size_t place)
{
    const char *reason = reason_of(change_at(advice, place));
    for (size_t i = 0; i < place; i++)
        if (change_at(advice, i)->why && strcmp(reason_of(change_at(advice, i)), reason) == 0) return true;
    return false;
}

/* A line for all changes that do not apply for one reason. */
static void print_reason(const struct advice *advice, size_t first, FILE *out)
{
    const char *reason = reason_of(change_at(advice, first)), *before = "does not apply: ";
    for (size_t i = first; i + 1 < advice->count; i++) {
        const struct proposal *change = change_at(advice, i);
        if (!change->why || strcmp(reason_of(change), reason) != 0) continue;
        text_print(out, "%s%s", before, advice_name(change));
        before = ", ";
    }
    text_print(out, ": %s\n", reason);
}

static void print_small(const struct advice *advice, FILE *out)
{
    const char *before = "no gain beyond its error: ";
    char text[UNITS_TEXT_BYTES];
    for (size_t i = 0; i + 1 < advice->count; i++) {
        const struct proposal *change = change_at(advice, i);
        if (change->why || advice_is_advised(change) || change->alone[0]) continue;
        text_print(out, "%s%s (%s)", before, advice_name(change),
                   change->applies ? units_format_duration(change->gain_s, text) : "not replayed");
        before = ", ";
    }
    if (*before == ',') fputc('\n', out);
}

void advice_print(const struct advice *advice, FILE *out)
{
    char text[UNITS_TEXT_BYTES], library[RESULT_LIBRARY_BYTES];
    char headline[ADVICE_HEADLINE_BYTES];
    size_t advised = 0;
    const struct platform *platform = advice->changes[0].scene.platform;
    const char *warning = uncertainty_warning(&advice->changes[0].sure);
    const struct result *run = advice->options->recorded;
    text_print(out, "%s\n\n", advice_headline(advice, headline));
    if (warning) text_print(out, "But %s\n\n", warning);
    if (run && run->calls.total_s > 0) {
        result_print_share(run, out);
        result_print_calls(run, 0, out);
        fputc('\n', out);
    }
    text_print(out, "run time %s as the platform is (%s)\n\n", units_format_duration(advice->reference_s, text),
               result_library_text(platform->library, platform->transport, library));
    for (size_t i = 0; i + 1 < advice->count; i++) {
        const struct proposal *change = &advice->changes[advice->order[i]];
        if (!advice_is_advised(change)) continue;
        if (advised++ == 0) text_print(out, "%-28s %10s    %-9s %7s\n", "change", "gain", "error", "of run");
        print_change(advice, change, out);
    }
    if (advised > 0) fputc('\n', out);
    print_small(advice, out);
    for (size_t i = 0; i + 1 < advice->count; i++)
        if (advice->changes[advice->order[i]].why && !has_reason_before(advice, i)) print_reason(advice, i, out);
}

static enum status add_json(const struct proposal *change, cJSON *list, struct err *err)
{
    cJSON *item = cJSON_CreateObject(), *rewrites = NULL;
    if (!item || !json_append(list, item)) return err_memory(err);
    bool known = change->applies && !isnan(change->gain_s);
    if (!json_add_text(item, "row", change->scene.name) ||
        !json_add_bool(item, "advised", advice_is_advised(change)) ||
        !json_add_bool(item, "confirmed", change->confirmed) ||
        !(known ? json_add_number(item, "gain_s", change->gain_s) : json_add_null(item, "gain_s")) ||
        !(change->why ? json_add_text(item, "reason", change->why) : json_add_null(item, "reason")) ||
        !(change->where ? json_add_text(item, "where", change->where) : json_add_null(item, "where")))
        return err_memory(err);
    if (known)
        fields_write(uncertainty_fields, &change->error, 0, item);
    else
        json_add_null(item, "error_s");
    TRY(rewrite_to_json(&change->scene.rewrite, &rewrites, err));
    return json_put(item, "rewrites", rewrites) ? STATUS_OK : err_memory(err);
}

static enum status fill_json(const struct advice *advice, cJSON *json, struct err *err)
{
    const struct platform *platform = advice->changes[0].scene.platform;
    char semantics[PLATFORM_SEMANTICS_BYTES], headline[ADVICE_HEADLINE_BYTES];
    platform_semantics_name(platform, semantics);
    if (!json_add_text(json, "schema", "rmacast.advice/1") ||
        !json_add_text(json, "trace", advice->trace->name) ||
        !json_add_text(json, "platform", platform->name ? platform->name : "") ||
        !json_add_text(json, "semantics", semantics) ||
        !json_add_text(json, "library", platform->library ? platform->library : RESULT_IDEAL_LIBRARY) ||
        !json_add_text(json, "headline", advice_headline(advice, headline)) ||
        !json_add_number(json, "run_time_s", advice->reference_s) ||
        !json_add_known(json, "error", !isnan(advice->options->error), advice->options->error))
        return err_memory(err);
    fields_write(uncertainty_fields, &advice->changes[0].sure, 0, json);
    if (advice->options->recorded) fields_write(result_calls_fields, advice->options->recorded, 0, json);
    cJSON *list = json_add_array(json, "changes");
    if (!list) return err_memory(err);
    for (size_t i = 0; i + 1 < advice->count; i++) TRY(add_json(&advice->changes[advice->order[i]], list, err));
    return STATUS_OK;
}

enum status advice_to_json(const struct advice *advice, cJSON **json, struct err *err)
{
    cJSON *made = cJSON_CreateObject();
    enum status status = made ? fill_json(advice, made, err) : err_memory(err);
    if (status == STATUS_OK)
        *json = made;
    else
        cJSON_Delete(made);
    return status;
}
