#include "platforms/probe/report.h"

#include <math.h>
#include <string.h>

#include "common/json/field_rows.h"
#include "common/json/json_write.h"
#include "common/text/text.h"
#include "common/units.h"
#include "platforms/probe/section.h"

/* Calls that the latency is checked against: each is a message there and back. */
static const char *const round_trips[] = {"put_flush", "get_flush", "lock", "fetch_and_op_flush", "ping_pong"};
enum { ROUND_TRIPS = sizeof round_trips / sizeof *round_trips };
#define AGREEMENT 0.1

enum { EVIDENCE_BYTES = 256 };

static void size_text(int64_t bytes, char text[UNITS_TEXT_BYTES])
{
    static const char *const units[] = {"B", "KB", "MB", "GB"};
    int unit = 0;
    while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, UNITS_TEXT_BYTES, "%ld %s", (long)bytes, units[unit]);
}

/* What a case calls bytes: for "ahead" it is a number of epochs. */
static void amount_text(enum probe_case id, int64_t amount, char text[UNITS_TEXT_BYTES])
{
    if (id == PROBE_AHEAD)
        snprintf(text, UNITS_TEXT_BYTES, "%ld epochs", (long)amount);
    else
        size_text(amount, text);
}

/* "operation" is the variant's name. */
static const char *call_name(const struct probe_verdict *verdict)
{
    return strcmp(verdict->call, "operation") == 0 ? probe_variants[verdict->variant] : verdict->call;
}

static void write_evidence(const struct probe_verdict *verdict, char text[EVIDENCE_BYTES])
{
    char delay[UNITS_TEXT_BYTES], size[UNITS_TEXT_BYTES], sized[UNITS_TEXT_BYTES + 8] = "";
    units_format_duration(verdict->delay_s, delay);
    amount_text(probe_questions[verdict->question].id, verdict->bytes, size);
    if (verdict->bytes > 0) snprintf(sized, sizeof sized, " of %s", size);
    if (verdict->call)
        snprintf(text, EVIDENCE_BYTES, "delay of %s seen in %s%s in %u of %u", delay, call_name(verdict), sized, verdict->votes,
                 verdict->of);
    else
        snprintf(text, EVIDENCE_BYTES, "delay of %s seen in no call%s in %u of %u", delay, sized, verdict->votes, verdict->of);
}

/* --- table --- */

static bool is_continued(const struct probe_findings *findings, size_t i)
{
    return i + 1 < findings->verdict_count && findings->verdicts[i + 1].question == findings->verdicts[i].question &&
           findings->verdicts[i + 1].variant == findings->verdicts[i].variant;
}

/* Sizes of one verdict are one row, with the evidence of the weakest of them. */
static size_t print_rows(const struct probe_findings *findings, size_t i, bool *mixed, FILE *out)
{
    const struct probe_verdict *first = &findings->verdicts[i], *weakest = first;
    char title[96] = "", sizes[UNITS_TEXT_BYTES + 16] = "", text[EVIDENCE_BYTES], size[UNITS_TEXT_BYTES];
    while (is_continued(findings, i) && strcmp(findings->verdicts[i + 1].name, first->name) == 0) {
        i++;
        if (findings->verdicts[i].confidence < weakest->confidence) weakest = &findings->verdicts[i];
    }
    bool more = is_continued(findings, i);
    if (more) {
        amount_text(probe_questions[first->question].id, probe_upto(findings, &findings->verdicts[i], &findings->verdicts[i + 1]),
                    size);
        snprintf(sizes, sizeof sizes, "up to %s", size);
    } else if (*mixed) {
        snprintf(sizes, sizeof sizes, "above");
    }
    if (!*mixed)
        snprintf(title, sizeof title, "%s%s%s", first->variant == PROBE_VARIANT_NONE ? "" : probe_variants[first->variant],
                 first->variant == PROBE_VARIANT_NONE ? "" : ": ", probe_questions[first->question].title);
    else
        snprintf(title, sizeof title, "  mixed by size:");
    write_evidence(weakest, text);
    text_print(out, "%-54s %-13s %-15s %5.1f %%  %s\n", title, first->name, sizes, 100 * weakest->confidence, text);
    *mixed = more;
    return i + 1;
}

static void print_skips(const struct probe_skip *skips, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        char size[UNITS_TEXT_BYTES];
        amount_text(skips[i].id, skips[i].bytes, size);
        text_print(out, "  %s, %s, %s: %s\n", probe_cases[skips[i].id].name, probe_variants[skips[i].variant], size,
                   skips[i].why);
    }
}

static void print_untold(const struct probe_findings *findings, FILE *out)
{
    const struct probe_record *record = findings->record;
    if (record->skip_count + findings->unsure_count) text_print(out, "\nNot told\n");
    print_skips(record->skips, record->skip_count, out);
    print_skips(findings->unsure, findings->unsure_count, out);
}

static void write_refusal(const struct probe_findings *findings, const struct probe_time *time,
                          char text[EVIDENCE_BYTES])
{
    if (time->refused == PROBE_SPREAD)
        snprintf(text, EVIDENCE_BYTES, "the 90th percentile is %.2f medians, at most 1.2 are accepted", time->spread);
    else
        snprintf(text, EVIDENCE_BYTES, "others used a rank's core for %.0f %% of the time, at most %.0f %% are accepted",
                 100 * probe_record_value(findings->record, "lost_share", 0), 100 * PROBE_LOST_MOST);
}

static void print_times(const struct probe_findings *findings, FILE *out)
{
    struct probe_time latency;
    bool known = probe_latency(findings, &latency);
    if (findings->time_count == 0) return;
    text_print(out, "\n%-26s %10s %12s %10s %8s %4s\n", "Times", "bytes", "median", "error", known ? "in L" : "", "n");
    for (size_t i = 0; i < findings->time_count; i++) {
        const struct probe_time *time = &findings->times[i];
        char value[UNITS_TEXT_BYTES], error[UNITS_TEXT_BYTES], units[UNITS_TEXT_BYTES] = "", why[EVIDENCE_BYTES];
        units_format_duration(time->value_s, value);
        units_format_duration(time->error_s, error);
        if (known) snprintf(units, sizeof units, "%.2f", time->value_s / latency.value_s);
        text_print(out, "%-26s %10ld ", time->name, (long)time->bytes);
        if (time->refused) {
            write_refusal(findings, time, why);
            text_print(out, "%12s  refused: %s\n", value, why);
        } else
            text_print(out, "%12s %10s %8s %4zu\n", value, error, units, time->n);
    }
}

static void print_latency(const struct probe_findings *findings, FILE *out)
{
    struct probe_time latency;
    char value[UNITS_TEXT_BYTES], error[UNITS_TEXT_BYTES];
    if (!probe_latency(findings, &latency)) return;
    units_format_duration(latency.value_s, value);
    units_format_duration(latency.error_s, error);
    text_print(out, "\nLatency L %s, error %s: half of %s. Against it:", value, error, latency.name);
    for (int i = 0; i < ROUND_TRIPS; i++) {
        const struct probe_time *time = probe_find_time(findings, round_trips[i], 8);
        if (time && strcmp(time->name, latency.name) != 0)
            text_print(out, " %s / 2 %+.0f %%", time->name, 100 * (time->value_s / 2 / latency.value_s - 1));
    }
    text_print(out, "\n");
}

void probe_print(const struct probe_findings *findings, FILE *out)
{
    const struct probe_record *record = findings->record;
    bool mixed = false;
    text_print(out, "%s, on %s and %s%s%s\n\n", record->library, record->hosts[0], record->hosts[1],
               *record->window ? ", window: " : "", record->window);
    text_print(out, "%-54s %-13s %-15s %7s  %s\n", "Question", "verdict", "sizes", "sure", "evidence");
    for (size_t i = 0; i < findings->verdict_count;) i = print_rows(findings, i, &mixed, out);
    print_untold(findings, out);
    print_latency(findings, out);
    print_times(findings, out);
}

/* --- JSON --- */

static bool is_mixed(const struct probe_findings *findings, const struct probe_verdict *verdict)
{
    for (size_t i = 0; i < findings->verdict_count; i++) {
        const struct probe_verdict *other = &findings->verdicts[i];
        if (other->question == verdict->question && other->variant == verdict->variant && strcmp(other->name, verdict->name) != 0)
            return true;
    }
    return false;
}

struct document {
    const struct probe_findings *findings;
    struct probe_record record; /* a copy, borrowed */
    struct probe_time latency;
    char *hosts[2], **host_list;
    size_t host_count;
    bool complete, has_latency;
    const char *broken;
    double delay_s, gap_s, lost_share;
    cJSON *section;
};

static const char *name_case(int id)
{
    return probe_cases[id].name;
}

static const char *name_variant(int variant)
{
    return probe_variants[variant];
}

struct against { /* a call of a message there and back */
    const char *name;
    double value_s;
    bool agrees;
};

static enum field_each fill_against(const void *item, size_t index, void *made)
{
    const struct document *document = item;
    if (index == ROUND_TRIPS) return FIELD_END;
    const struct probe_time *time = probe_find_time(document->findings, round_trips[index], 8);
    if (!time) return FIELD_SKIP;
    const double value_s = time->value_s / 2, latency_s = document->latency.value_s;
    *(struct against *)made = (struct against){time->name, value_s, fabs(value_s - latency_s) <= AGREEMENT * latency_s};
    return FIELD_ELEMENT;
}

struct evidence {
    struct probe_verdict verdict;
    struct probe_question_row question;
    bool mixed;
    char text[EVIDENCE_BYTES];
};

static enum field_each fill_evidence(const void *item, size_t index, void *made)
{
    const struct probe_findings *findings = ((const struct document *)item)->findings;
    struct evidence *evidence = made;
    if (index == findings->verdict_count) return FIELD_END;
    const struct probe_verdict *verdict = &findings->verdicts[index];
    *evidence = (struct evidence){*verdict, probe_questions[verdict->question], is_mixed(findings, verdict), ""};
    write_evidence(verdict, evidence->text);
    return FIELD_ELEMENT;
}

static enum field_each fill_skip(const void *item, size_t index, void *made)
{
    const struct probe_findings *findings = ((const struct document *)item)->findings;
    const size_t skipped = findings->record->skip_count;
    if (index == skipped + findings->unsure_count) return FIELD_END;
    *(struct probe_skip *)made = index < skipped ? findings->record->skips[index] : findings->unsure[index - skipped];
    return FIELD_ELEMENT;
}

struct timed {
    struct probe_time time;
    double in_latencies; /* NAN: it is refused, or the latency is not known */
    char refused[EVIDENCE_BYTES];
};

static enum field_each fill_time(const void *item, size_t index, void *made)
{
    const struct document *document = item;
    struct timed *timed = made;
    if (index == document->findings->time_count) return FIELD_END;
    const struct probe_time *time = &document->findings->times[index];
    *timed = (struct timed){*time, NAN, ""};
    if (time->refused)
        write_refusal(document->findings, time, timed->refused);
    else if (document->has_latency)
        timed->in_latencies = time->value_s / document->latency.value_s;
    return FIELD_ELEMENT;
}

#define S struct against
static const struct field against_fields[] = {SAME(name), FIELD("value", value_s), SAME(agrees), {0}};
#undef S
#define S struct evidence
static const struct field evidence_fields[] = {
    FIELD("key", question.key), FIELD("question", question.title), NAME_OF("case", question.id, name_case, PROBE_CASE_COUNT),
    NAME_OF("operation", verdict.variant, name_variant, PROBE_VARIANT_COUNT), FIELD("bytes", verdict.bytes),
    FIELD("verdict", verdict.name), FIELD("mixed_by_size", mixed), FIELD("votes", verdict.votes), FIELD("of", verdict.of),
    FIELD("late", verdict.late), FIELD("confidence", verdict.confidence), FIELD("delay_s", verdict.delay_s),
    FIELD("evidence", text), {0}};
#undef S
#define S struct probe_skip
static const struct field skip_fields[] = {NAME_OF("case", id, name_case, PROBE_CASE_COUNT),
                                           NAME_OF("operation", variant, name_variant, PROBE_VARIANT_COUNT), SAME(bytes),
                                           SAME(why), {0}};
#undef S
#define S struct timed
static const struct field timed_fields[] = {
    FIELD("name", time.name), FIELD("bytes", time.bytes), FIELD("value", time.value_s), FIELD("error", time.error_s),
    FIELD("n", time.n), SAME(in_latencies, IF_FINITE, LEFT_OUT), SAME(refused, IF_THERE, LEFT_OUT), {0}};
#undef S
#define S struct document
static const struct field latency_fields[] = {FIELD("value", latency.value_s), FIELD("error", latency.error_s),
                                              FIELD("n", latency.n), FIELD("from", latency.name),
                                              EACH("against", struct against, fill_against, against_fields), {0}};
const struct field probe_fields[] = {
    SCHEMA("rmacast.probe/1"),
    FIELD("library", record.library),
    TEXTS("hosts", host_list, host_count),
    FIELD("window", record.window, IF_THERE, LEFT_OUT),
    SAME(complete),
    SAME(broken, IF_THERE, LEFT_OUT),
    SAME(delay_s),
    SAME(gap_s),
    SAME(lost_share),
    PART("latency_s", latency_fields, IF_FLAG(has_latency)),
    FIELD("mpi", section),
    EACH("evidence", struct evidence, fill_evidence, evidence_fields),
    EACH("not_told", struct probe_skip, fill_skip, skip_fields),
    EACH("times", struct timed, fill_time, timed_fields),
    {0}};
#undef S

enum status probe_to_json(const struct probe_findings *findings, const char *broken, cJSON **json, struct err *err)
{
    struct document document = {.findings = findings, .record = *findings->record, .complete = !broken, .broken = broken};
    TRY(probe_section(findings, &document.section, err));
    document.has_latency = probe_latency(findings, &document.latency);
    for (size_t *i = &document.host_count; *i < 2; ++*i) document.hosts[*i] = document.record.hosts[*i];
    document.host_list = document.hosts;
    document.delay_s = probe_record_value(findings->record, "delay_s", 0);
    document.gap_s = probe_record_value(findings->record, "gap_s", 0);
    document.lost_share = probe_record_value(findings->record, "lost_share", 0);
    enum status status = fields_to_json(probe_fields, &document, 0, json, err);
    cJSON_Delete(document.section);
    return status;
}

enum status probe_to_profile(const struct probe_findings *findings, const char *name, cJSON **profile, struct err *err)
{
    const struct probe_record *record = findings->record;
    char transport[2 * PROBE_TEXT_BYTES + 32], summary[96] = "as rmacast probe found it";
    cJSON *section;
    TRY(probe_section(findings, &section, err));
    bool within = strcmp(record->hosts[0], record->hosts[1]) == 0;
    snprintf(transport, sizeof transport, "%s %s%s%s", within ? "within" : "between", record->hosts[0], within ? "" : " and ",
             within ? "" : record->hosts[1]);
    if (*record->window)
        snprintf(summary, sizeof summary, "as rmacast probe found it, window: %s", record->window);
    cJSON *made = cJSON_CreateObject();
    json_add_text(made, "schema", "rmacast.mpi-profile/1");
    json_add_text(made, "name", name);
    json_add_text(made, "library", record->library);
    json_add_text(made, "transport", transport);
    json_add_text(made, "summary", summary);
    json_put(made, "mpi", section);
    *profile = made;
    return STATUS_OK;
}
