#include "platforms/probe/report.h"

#include <math.h>
#include <string.h>

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

static cJSON *verdict_json(const struct probe_findings *findings, const struct probe_verdict *verdict)
{
    char text[EVIDENCE_BYTES];
    cJSON *object = cJSON_CreateObject();
    write_evidence(verdict, text);
    json_add_text(object, "key", probe_questions[verdict->question].key);
    json_add_text(object, "question", probe_questions[verdict->question].title);
    json_add_text(object, "case", probe_cases[probe_questions[verdict->question].id].name);
    json_add_text(object, "operation", probe_variants[verdict->variant]);
    json_add_number(object, "bytes", (double)verdict->bytes);
    json_add_text(object, "verdict", verdict->name);
    json_add_bool(object, "mixed_by_size", is_mixed(findings, verdict));
    json_add_number(object, "votes", verdict->votes);
    json_add_number(object, "of", verdict->of);
    json_add_number(object, "late", verdict->late);
    json_add_number(object, "confidence", verdict->confidence);
    json_add_number(object, "delay_s", verdict->delay_s);
    json_add_text(object, "evidence", text);
    return object;
}

static cJSON *time_json(const struct probe_findings *findings, const struct probe_time *time)
{
    struct probe_time latency;
    char why[EVIDENCE_BYTES];
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", time->name);
    json_add_number(object, "bytes", (double)time->bytes);
    json_add_number(object, "value", time->value_s);
    json_add_number(object, "error", time->error_s);
    json_add_number(object, "n", (double)time->n);
    if (!time->refused && probe_latency(findings, &latency))
        json_add_number(object, "in_latencies", time->value_s / latency.value_s);
    if (time->refused) {
        write_refusal(findings, time, why);
        json_add_text(object, "refused", why);
    }
    return object;
}

static cJSON *latency_json(const struct probe_findings *findings)
{
    struct probe_time latency;
    if (!probe_latency(findings, &latency)) return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    json_add_number(object, "value", latency.value_s);
    json_add_number(object, "error", latency.error_s);
    json_add_number(object, "n", (double)latency.n);
    json_add_text(object, "from", latency.name);
    cJSON *against = json_add_array(object, "against");
    for (int i = 0; i < ROUND_TRIPS; i++) {
        const struct probe_time *time = probe_find_time(findings, round_trips[i], 8);
        if (!time) continue;
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "name", time->name);
        json_add_number(row, "value", time->value_s / 2);
        json_add_bool(row, "agrees", fabs(time->value_s / 2 - latency.value_s) <= AGREEMENT * latency.value_s);
        json_append(against, row);
    }
    return object;
}

static void add_skips(const struct probe_skip *skips, size_t count, cJSON *rows)
{
    for (size_t i = 0; i < count; i++) {
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "case", probe_cases[skips[i].id].name);
        json_add_text(row, "operation", probe_variants[skips[i].variant]);
        json_add_number(row, "bytes", (double)skips[i].bytes);
        json_add_text(row, "why", skips[i].why);
        json_append(rows, row);
    }
}

enum status probe_to_json(const struct probe_findings *findings, const char *broken, cJSON **json, struct err *err)
{
    const struct probe_record *record = findings->record;
    cJSON *section;
    TRY(probe_section(findings, &section, err));
    cJSON *made = cJSON_CreateObject();
    json_add_text(made, "schema", "rmacast.probe/1");
    json_add_text(made, "library", record->library);
    cJSON *hosts = json_add_array(made, "hosts");
    for (int i = 0; i < 2; i++) json_append(hosts, cJSON_CreateString(record->hosts[i]));
    if (*record->window) json_add_text(made, "window", record->window);
    json_add_bool(made, "complete", !broken);
    if (broken) json_add_text(made, "broken", broken);
    json_add_number(made, "delay_s", probe_record_value(record, "delay_s", 0));
    json_add_number(made, "gap_s", probe_record_value(record, "gap_s", 0));
    json_add_number(made, "lost_share", probe_record_value(record, "lost_share", 0));
    json_put(made, "latency_s", latency_json(findings));
    json_put(made, "mpi", section);
    cJSON *rows = json_add_array(made, "evidence");
    for (size_t i = 0; i < findings->verdict_count; i++)
        json_append(rows, verdict_json(findings, &findings->verdicts[i]));
    cJSON *untold = json_add_array(made, "not_told");
    add_skips(record->skips, record->skip_count, untold);
    add_skips(findings->unsure, findings->unsure_count, untold);
    cJSON *times = json_add_array(made, "times");
    for (size_t i = 0; i < findings->time_count; i++) json_append(times, time_json(findings, &findings->times[i]));
    *json = made;
    return STATUS_OK;
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
