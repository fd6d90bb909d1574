#include "tests/cases/expected.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "tests/cases/case_platform.h"

struct reader {
    const char *file;
    int line;
    double unit_s;
    char letter;
    bool wanted; /* the block we are in holds under the letter */
    bool found;
    struct expected *expected;
};

bool expected_always(enum pattern pattern)
{
    return pattern == PATTERN_LATE_POST || pattern == PATTERN_EARLY_TRANSFER || pattern == PATTERN_EARLY_WAIT ||
           pattern == PATTERN_LATE_COMPLETE || pattern == PATTERN_WAIT_AT_FENCE || pattern == PATTERN_WAIT_AT_CREATE ||
           pattern == PATTERN_WAIT_AT_FREE || pattern == PATTERN_LOCK_CONTENTION ||
           pattern == PATTERN_WAIT_FOR_PROGRESS || pattern == PATTERN_WAIT_FOR_WRITE ||
           pattern == PATTERN_LATE_SIGNAL;
}

static enum status line_error(const struct reader *reader, struct err *err, const char *what)
{
    char place[16];
    snprintf(place, sizeof place, "%d", reader->line);
    return err_set(err, STATUS_DATA, reader->file, place, "%s", what);
}

static enum status read_time(const struct reader *reader, const char *text, int64_t *ps, struct err *err)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0') return line_error(reader, err, "not a number, expected a time");
    *ps = units_ps(value * reader->unit_s);
    return STATUS_OK;
}

static enum status read_unit(struct reader *reader, const char *rest, struct err *err)
{
    char one[16];
    if (snprintf(one, sizeof one, "1%s", rest) >= (int)sizeof one || !units_parse_duration(one, &reader->unit_s))
        return line_error(reader, err, "unknown unit, expected s, ms, us or ns");
    return STATUS_OK;
}

static enum status read_semantics(struct reader *reader, const char *rest, struct err *err)
{
    if (rest[strspn(rest, "abcd ")] != '\0' || !strpbrk(rest, "abcd"))
        return line_error(reader, err, "unknown semantics, expected letters a to d");
    reader->wanted = strchr(rest, reader->letter) != NULL;
    reader->found = reader->found || reader->wanted;
    return STATUS_OK;
}

static enum status read_call(struct reader *reader, const char *text, struct err *err)
{
    struct expected_call call;
    char enter[64], leave[64];
    if (sscanf(text, "%u %u %39s %63s %63s", &call.rank, &call.event, call.name, enter, leave) != 5)
        return line_error(reader, err, "expected RANK EVENT CALL ENTER EXIT");
    TRY(read_time(reader, enter, &call.enter_ps, err));
    TRY(read_time(reader, leave, &call.exit_ps, err));
    struct expected *e = reader->expected;
    ARRAY_PUSH(e->calls, e->call_count, e->call_capacity, call, err);
    return STATUS_OK;
}

static enum status read_xfer(struct reader *reader, const char *rest, struct err *err)
{
    struct expected_xfer xfer;
    char start[64], end[64];
    if (sscanf(rest, "%u %u %63s %63s", &xfer.rank, &xfer.event, start, end) != 4)
        return line_error(reader, err, "expected xfer RANK EVENT BEGIN END");
    TRY(read_time(reader, start, &xfer.start_ps, err));
    TRY(read_time(reader, end, &xfer.end_ps, err));
    struct expected *e = reader->expected;
    ARRAY_PUSH(e->xfers, e->xfer_count, e->xfer_capacity, xfer, err);
    return STATUS_OK;
}

static enum status read_wait(struct reader *reader, bool detector_only, char *rest, struct err *err)
{
    struct expected *e = reader->expected;
    char *save, *name = strtok_r(rest, " ", &save);
    int pattern = 0;
    while (pattern < PATTERN_COUNT && strcmp(name, pattern_row((enum pattern)pattern)->name) != 0) pattern++;
    if (pattern == PATTERN_COUNT) return line_error(reader, err, "unknown pattern");
    if (e->severity_ps[pattern]) return line_error(reader, err, "pattern listed twice for one letter");
    e->detector_only[pattern] = detector_only;
    e->severity_ps[pattern] = calloc(e->rank_count, sizeof *e->severity_ps[pattern]);
    if (!e->severity_ps[pattern]) return err_memory(err);
    for (uint32_t rank = 0; rank < e->rank_count; rank++) {
        char *value = strtok_r(NULL, " ", &save);
        if (!value) return line_error(reader, err, "too few severities, expected one for each rank");
        TRY(read_time(reader, value, &e->severity_ps[pattern][rank], err));
    }
    return strtok_r(NULL, " ", &save) ? line_error(reader, err, "too many severities") : STATUS_OK;
}

static enum status read_error(struct reader *reader, const char *rest, struct err *err)
{
    struct expected_text text;
    if (snprintf(text.text, sizeof text.text, "%s", rest) >= (int)sizeof text.text)
        return line_error(reader, err, "text too long");
    struct expected *e = reader->expected;
    ARRAY_PUSH(e->errors, e->error_count, e->error_capacity, text, err);
    return STATUS_OK;
}

static enum status read_line(struct reader *reader, char *text, struct err *err)
{
    char *rest = text + strcspn(text, " ");
    while (*rest == ' ') *rest++ = '\0';
    if (strcmp(text, "unit") == 0) return read_unit(reader, rest, err);
    if (strcmp(text, "semantics") == 0) return read_semantics(reader, rest, err);
    bool detect = strcmp(text, "detect") == 0, wait = detect || strcmp(text, "wait") == 0;
    bool known = wait || strcmp(text, "xfer") == 0 || strcmp(text, "error") == 0 || (text[0] >= '0' && text[0] <= '9');
    if (!known || *rest == '\0') return line_error(reader, err, "unknown line");
    if (!reader->wanted) return STATUS_OK;
    if (strcmp(text, "xfer") == 0) return read_xfer(reader, rest, err);
    if (wait) return read_wait(reader, detect, rest, err);
    if (strcmp(text, "error") == 0) return read_error(reader, rest, err);
    char joined[CASE_LINE_BYTES + 1];
    snprintf(joined, sizeof joined, "%s %s", text, rest);
    return read_call(reader, joined, err);
}

enum status expected_open(const char *file, char letter, uint32_t rank_count, struct expected *expected,
                          struct err *err)
{
    *expected = (struct expected){.rank_count = rank_count};
    struct reader reader = {.file = file, .unit_s = 1, .letter = letter, .expected = expected};
    struct case_section section;
    TRY(case_section_open(file, "expected", &section, err));
    char line[CASE_LINE_BYTES];
    enum status status = STATUS_OK;
    while (status == STATUS_OK && case_section_next(&section, line)) {
        reader.line = section.line;
        char *text = line + strspn(line, " ");
        if (*text) status = read_line(&reader, text, err);
    }
    fclose(section.in);
    if (status == STATUS_OK && !reader.found) status = line_error(&reader, err, "no block for this letter");
    return status;
}

void expected_clear(struct expected *expected)
{
    free(expected->calls);
    free(expected->xfers);
    free(expected->errors);
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++) free(expected->severity_ps[pattern]);
    *expected = (struct expected){0};
}
