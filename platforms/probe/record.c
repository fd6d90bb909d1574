#include "platforms/probe/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static const char mark[] = "rmacast-probe ";

static enum status bad_line(const char *line, struct err *err)
{
    return err_set(err, STATUS_DATA, "rmacast-probe", NULL, "unexpected line '%.80s', expected one of the probe's", line);
}

/* The next word, truncated to the buffer. False: there is none. */
static bool take_word(const char **at, char *word, size_t room)
{
    *at += strspn(*at, " \t");
    size_t length = strcspn(*at, " \t\r\n");
    if (length == 0) return false;
    snprintf(word, room, "%.*s", (int)(length < room ? length : room - 1), *at);
    *at += length;
    return true;
}

static bool take_number(const char **at, double *number)
{
    char word[64], *end;
    if (!take_word(at, word, sizeof word)) return false;
    *number = strtod(word, &end);
    return *end == '\0' && isfinite(*number);
}

static bool take_bytes(const char **at, int64_t *bytes)
{
    double number;
    if (!take_number(at, &number) || number < 0 || number > 0x1p50) return false;
    *bytes = (int64_t)number;
    return true;
}

static void take_rest(const char *at, char text[PROBE_TEXT_BYTES])
{
    at += strspn(at, " \t");
    snprintf(text, PROBE_TEXT_BYTES, "%.*s", (int)strcspn(at, "\r\n"), at);
}

static bool take_case(const char **at, enum probe_case *id, enum probe_variant *variant)
{
    char word[PROBE_NAME_BYTES];
    int found = take_word(at, word, sizeof word) ? probe_case_by_name(word) : -1;
    int found_variant = found >= 0 && take_word(at, word, sizeof word) ? probe_variant_by_name(word) : -1;
    if (found_variant < 0) return false;
    *id = (enum probe_case)found;
    *variant = (enum probe_variant)found_variant;
    return true;
}

static enum status add_try(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    struct probe_try made = {0};
    struct probe_sample *sample = &made.sample;
    if (!take_case(&at, &made.id, &made.variant) || !take_bytes(&at, &made.bytes) || !take_number(&at, &sample->delay_s) ||
        !take_number(&at, &sample->helper) || !take_number(&at, &sample->begin_s) || sample->delay_s <= 0)
        return bad_line(line, err);
    for (int i = 0; i < probe_calls(made.id); i++)
        if (!take_number(&at, &sample->end_s[i])) return bad_line(line, err);
    ARRAY_PUSH(record->tries, record->try_count, record->try_capacity, made, err);
    return STATUS_OK;
}

static enum status add_limit(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    struct probe_limit made = {0};
    if (!take_case(&at, &made.id, &made.variant) || !take_bytes(&at, &made.low) || !take_bytes(&at, &made.high) ||
        made.high <= made.low)
        return bad_line(line, err);
    ARRAY_PUSH(record->limits, record->limit_count, record->limit_capacity, made, err);
    return STATUS_OK;
}

static enum status add_skip(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    struct probe_skip made = {0};
    if (!take_case(&at, &made.id, &made.variant) || !take_bytes(&at, &made.bytes)) return bad_line(line, err);
    take_rest(at, made.why);
    ARRAY_PUSH(record->skips, record->skip_count, record->skip_capacity, made, err);
    return STATUS_OK;
}

static enum status add_series(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    struct probe_series made = {0};
    double values[PROBE_SERIES_MAX];
    if (!take_word(&at, made.name, sizeof made.name) || !take_bytes(&at, &made.bytes)) return bad_line(line, err);
    while (made.count < PROBE_SERIES_MAX && take_number(&at, &values[made.count])) {
        if (values[made.count] < 0) return bad_line(line, err);
        made.count++;
    }
    if (made.count == 0) return bad_line(line, err);
    made.values = malloc(made.count * sizeof *made.values);
    if (!made.values) return err_memory(err);
    memcpy(made.values, values, made.count * sizeof *values);
    enum status status = record->series_count < record->series_capacity
                             ? STATUS_OK
                             : array_reserve((void **)&record->series, &record->series_capacity, record->series_count + 1,
                                             sizeof made, err);
    if (status == STATUS_OK)
        record->series[record->series_count++] = made;
    else
        free(made.values);
    return status;
}

static enum status add_value(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    struct probe_value made = {0};
    if (!take_word(&at, made.name, sizeof made.name) || !take_number(&at, &made.value) || made.value < 0)
        return bad_line(line, err);
    ARRAY_PUSH(record->values, record->value_count, record->value_capacity, made, err);
    return STATUS_OK;
}

static enum status add_begin(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    double version;
    if (!take_number(&at, &version)) return bad_line(line, err);
    if (version != 1)
        return err_set(err, STATUS_DATA, "rmacast-probe", NULL, "speaks version %g, expected 1: it is of another build", version);
    take_rest(at, record->library);
    for (char *tab = record->library; (tab = strchr(tab, '\t')) != NULL;) *tab = ' ';
    record->began = true;
    return STATUS_OK;
}

static enum status add_hosts(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    for (int i = 0; i < 2; i++)
        if (!take_word(&at, record->hosts[i], sizeof record->hosts[i])) return bad_line(line, err);
    return STATUS_OK;
}

static enum status add_window(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    return take_word(&at, record->window, sizeof record->window) ? STATUS_OK : bad_line(line, err);
}

static enum status add_end(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    (void)at, (void)line, (void)err;
    record->ended = true;
    return STATUS_OK;
}

static enum status add_failure(struct probe_record *record, const char *at, const char *line, struct err *err)
{
    (void)line, (void)err;
    take_rest(at, record->failure);
    return STATUS_OK;
}

static const struct {
    const char *word;
    enum status (*add)(struct probe_record *record, const char *at, const char *line, struct err *err);
} lines[] = {{"begin", add_begin}, {"hosts", add_hosts},   {"value", add_value}, {"delay", add_try}, {"limit", add_limit},
             {"skip", add_skip},   {"time", add_series},   {"end", add_end},     {"fail", add_failure},
             {"window", add_window}};

enum status probe_record_add(struct probe_record *record, const char *line, bool *ours, struct err *err)
{
    char word[PROBE_NAME_BYTES];
    const char *at = strstr(line, mark);
    *ours = at != NULL;
    if (!at) return STATUS_OK;
    at += sizeof mark - 1;
    if (!take_word(&at, word, sizeof word)) return bad_line(line, err);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(lines[i].word, word) == 0) return lines[i].add(record, at, line, err);
    return bad_line(line, err);
}

void probe_record_clear(struct probe_record *record)
{
    for (size_t i = 0; i < record->series_count; i++) free(record->series[i].values);
    FREE_ALL(record->tries, record->limits, record->skips, record->series, record->values);
    *record = (struct probe_record){0};
}

double probe_record_value(const struct probe_record *record, const char *name, double fallback)
{
    for (size_t i = record->value_count; i-- > 0;)
        if (strcmp(record->values[i].name, name) == 0) return record->values[i].value;
    return fallback;
}
