/* advice_print() and advice_fields of predictors/advise/advise.h. */
#include <math.h>
#include <string.h>

#include "common/json/field_rows.h"
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

/* One sentence, where ranks send messages. */
static void print_one_sided(const struct advice *advice, FILE *out)
{
    const struct proposal *best = NULL;
    char gain[UNITS_TEXT_BYTES], error[UNITS_TEXT_BYTES];
    for (size_t i = 0; i + 1 < advice->count && !best; i++) {
        const struct proposal *change = change_at(advice, i);
        if (advice_replaces_messages(&change->scene) && change->applies && !change->alone[0]) best = change;
    }
    if (!best) return;
    units_format_duration(fabs(best->gain_s), gain);
    text_print(out, "one-sided instead of messages: the best, %s, takes %s %s +- %s%s\n", advice_name(best), gain,
               best->gain_s > 0 ? "less" : "more", units_format_duration(advice_error_s(best), error),
               advice_is_advised(best) ? "" : ": no reason to change");
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
    print_one_sided(advice, out);
    for (size_t i = 0; i + 1 < advice->count; i++)
        if (advice->changes[advice->order[i]].why && !has_reason_before(advice, i)) print_reason(advice, i, out);
    result_print_notes(advice->notes, advice->note_count, out);
}

/* --- the JSON --- */

struct change_row {
    struct proposal change; /* a copy, borrowed */
    bool advised, gain_unknown;
};

static enum field_each fill_change(const void *item, size_t index, void *made)
{
    const struct advice *advice = item;
    struct change_row *one = made;
    if (index + 1 >= advice->count) return FIELD_END;
    *one = (struct change_row){*change_at(advice, index), advice_is_advised(change_at(advice, index)), false};
    one->gain_unknown = !one->change.applies || isnan(one->change.gain_s);
    if (!one->gain_unknown) return FIELD_ELEMENT;
    one->change.gain_s = NAN;
    one->change.error.known = false;
    return FIELD_ELEMENT;
}

#define S struct change_row
static const struct field change_fields[] = {FIELD("row", change.scene.name), SAME(advised), FIELD("confirmed", change.confirmed),
                                             FIELD("gain_s", change.gain_s, IF_FINITE, SIGNED),
                                             FIELD("reason", change.why, IF_THERE), FIELD("where", change.where, IF_THERE),
                                             INLINE(NULL, change.error, uncertainty_fields),
                                             {.key = "error_s", .kind = FIELD_CONSTANT, IF_FLAG(gain_unknown), LEFT_OUT},
                                             INLINE(NULL, change.scene.rewrite, rewrite_fields), {0}};
#undef S

struct head {
    const char *trace, *platform, *library;
    const struct result *recorded;
    char **notes;
    size_t note_count;
    char semantics[PLATFORM_SEMANTICS_BYTES], headline[ADVICE_HEADLINE_BYTES];
    double run_time_s, error;
    struct uncertainty sure;
};

static void make_head(const void *item, void *made)
{
    const struct advice *advice = item;
    const struct platform *platform = advice->changes[0].scene.platform;
    struct head *head = made;
    *head = (struct head){.trace = advice->trace->name,
                          .platform = platform->name ? platform->name : "",
                          .library = platform->library ? platform->library : RESULT_IDEAL_LIBRARY,
                          .recorded = advice->options->recorded,
                          .notes = advice->notes,
                          .note_count = advice->note_count,
                          .run_time_s = advice->reference_s,
                          .error = advice->options->error,
                          .sure = advice->changes[0].sure};
    platform_semantics_name(platform, head->semantics);
    advice_headline(advice, head->headline);
}

#define S struct head
static const struct field head_fields[] = {SAME(trace), SAME(platform), SAME(semantics), SAME(library), SAME(headline),
                                           SAME(run_time_s), SAME(error, IF_FINITE), INLINE(NULL, sure, uncertainty_fields),
                                           INLINE(NULL, recorded, result_calls_fields, IF_THERE, LEFT_OUT, POINTED),
                                           TEXTS("notes", notes, note_count), {0}};
#undef S
const struct field advice_fields[] = {SCHEMA("rmacast.advice/1"), MADE(NULL, struct head, make_head, head_fields),
                                      EACH("changes", struct change_row, fill_change, change_fields), {0}};
