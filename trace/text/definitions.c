/* The text form's lines that define communicators, windows and properties. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "trace/text/reader.h"

enum status text_read_id(const struct text_reader *reader, const char *what, const char *text, int64_t low,
                         int64_t high, int64_t *value)
{
    if (!text) TEXT_FAIL(reader, "%s is missing, expected a number from %" PRId64 " to %" PRId64, what, low, high);
    if (!text_integer(text, low, high, value))
        TEXT_FAIL(reader, "%s '%s', expected a number from %" PRId64 " to %" PRId64, what, text, low, high);
    return STATUS_OK;
}

/* The value of "key=value" if word is that key, else NULL. */
static char *value_of(char *word, const char *key)
{
    size_t length = strlen(key);
    return strncmp(word, key, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static enum status new_id(struct text_reader *reader, struct map *map, const char *what, const char *text,
                          uint64_t **slot)
{
    int64_t id;
    TRY(text_read_id(reader, what, text, 0, INT32_MAX, &id));
    if (map == &reader->comms && id == 0) TEXT_FAIL(reader, "comm 0 is the world, expected another number");
    if (map_find(map, (uint64_t)id)) TEXT_FAIL(reader, "%s %s is defined already, expected another number", what, text);
    return map_put(map, (uint64_t)id, 0, slot, reader->err);
}

static enum status add_comm(struct text_reader *reader, int32_t *id)
{
    int32_t *members = malloc((reader->list_count + 1) * sizeof *members);
    if (!members) return err_memory(reader->err);
    for (size_t i = 0; i < reader->list_count; i++) members[i] = (int32_t)reader->list[i];
    enum status status = trace_add_comm(reader->trace, members, (uint32_t)reader->list_count, id, reader->err);
    free(members);
    if (status != STATUS_OK) return status;
    const struct trace_comm *comm = &reader->trace->definitions.comms[*id];
    for (uint32_t i = 1; comm->order && i < comm->count; i++)
        if (comm->members[comm->order[i]] == comm->members[comm->order[i - 1]])
            TEXT_FAIL(reader, "rank %" PRId32 " stands twice in ranks=, expected once", comm->members[comm->order[i]]);
    return STATUS_OK;
}

enum status text_read_comm(struct text_reader *reader, char **words)
{
    uint64_t *slot;
    int32_t id;
    TRY(new_id(reader, &reader->comms, "comm", words[1], &slot));
    char *ranks = words[2] ? value_of(words[2], "ranks") : NULL;
    char *between = ranks && words[3] ? value_of(words[3], "between") : NULL;
    if (!ranks || (words[3] && !between) || (words[3] && words[4]))
        TEXT_FAIL(reader, "comm %s, expected \"comm %s ranks=0,1,...\", of two groups and \"between=1\"", words[1],
                  words[1]);
    TRY(text_list(reader, "ranks", ranks, 0, (int64_t)reader->trace->rank_count - 1));
    TRY(add_comm(reader, &id));
    if (between) {
        /* Sets the number of members in the first group; both groups have members. */
        struct trace_comm *comm = &reader->trace->definitions.comms[id];
        int64_t first;
        if (comm->count < 2)
            TEXT_FAIL(reader, "between=%s of %" PRIu32 " rank%s, expected two groups", between, comm->count,
                      units_plural(comm->count));
        TRY(text_read_id(reader, "between", between, 1, (int64_t)comm->count - 1, &first));
        comm->first_group = (uint32_t)first;
    }
    *slot = (uint64_t)id;
    return STATUS_OK;
}

/* reader->list holds one value for all members, or one each. */
static enum status read_members_list(struct text_reader *reader, const char *key, size_t members, int64_t **values)
{
    if (reader->list_count != 1 && reader->list_count != members)
        TEXT_FAIL(reader, "%zu values in %s=, expected one or one for each of %zu members", reader->list_count, key,
                  members);
    *values = malloc((members + 1) * sizeof **values);
    if (!*values) return err_memory(reader->err);
    for (size_t i = 0; i < members; i++) (*values)[i] = reader->list[reader->list_count == 1 ? 0 : i];
    return STATUS_OK;
}

struct window_line {
    int32_t comm;
    char *name; /* of the line */
    int64_t *bytes, *disp_unit;
    char flavor;
};

/* A name in one word, %XX for bytes that cannot be in it, in place. */
static enum status read_escaped(struct text_reader *reader, char *name)
{
    char *to = name;
    for (const char *from = name; *from; from++) {
        unsigned byte;
        int length = 0;
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        if (sscanf(from + 1, "%2x%n", &byte, &length) != 1 || length != 2 || byte == 0)
            TEXT_FAIL(reader, "'%s' in a name, expected %%XX with two hexadecimal digits", from);
        *to++ = (char)byte;
        from += 2;
    }
    *to = '\0';
    return STATUS_OK;
}

static enum status read_window_key(struct text_reader *reader, char *word, struct window_line *line)
{
    size_t members = line->comm >= 0 ? reader->trace->definitions.comms[line->comm].count : 0;
    char *value;
    if (!line->bytes && (value = value_of(word, "bytes"))) {
        TRY(text_list(reader, "bytes", value, 0, INT64_MAX / 4));
        return read_members_list(reader, "bytes", members, &line->bytes);
    }
    if (!line->disp_unit && (value = value_of(word, "disp_unit"))) {
        TRY(text_list(reader, "disp_unit", value, 1, INT32_MAX));
        return read_members_list(reader, "disp_unit", members, &line->disp_unit);
    }
    if (!line->name && (value = value_of(word, "name"))) {
        line->name = value;
        return read_escaped(reader, value);
    }
    if ((value = value_of(word, "flavor"))) {
        line->flavor = trace_flavor_by_name(value);
        if (line->flavor != '?') return STATUS_OK;
        TEXT_FAIL(reader, "flavor=%s, expected create, allocate, shared, dynamic or heap", value);
    }
    TEXT_FAIL(reader, "'%s' in a window line, expected each once of comm=, bytes=, disp_unit=, flavor=, name=", word);
}

static enum status add_window(struct text_reader *reader, const struct window_line *line, int32_t *id)
{
    size_t members = reader->trace->definitions.comms[line->comm].count;
    int32_t *units = NULL;
    if (line->disp_unit) {
        units = malloc((members + 1) * sizeof *units);
        if (!units) return err_memory(reader->err);
        for (size_t i = 0; i < members; i++) units[i] = (int32_t)line->disp_unit[i];
    }
    enum status status = trace_add_window(reader->trace, line->comm, line->bytes, units, line->flavor, id, reader->err);
    if (status == STATUS_OK && line->name && *line->name)
        status = trace_set_window_name(reader->trace, *id, line->name, reader->err);
    free(units);
    return status;
}

static enum status read_window_keys(struct text_reader *reader, char **words, struct window_line *line)
{
    char *comm = words[2] ? value_of(words[2], "comm") : NULL;
    int64_t id;
    if (!comm) TEXT_FAIL(reader, "window %s lacks comm=, expected \"window %s comm=0 ...\"", words[1], words[1]);
    TRY(text_read_id(reader, "comm", comm, 0, INT32_MAX, &id));
    const uint64_t *known = map_find(&reader->comms, (uint64_t)id);
    if (!known) TEXT_FAIL(reader, "comm=%s is not defined, expected a line \"comm %s ranks=...\" before", comm, comm);
    line->comm = (int32_t)*known;
    for (char **word = words + 3; *word; word++) TRY(read_window_key(reader, *word, line));
    return STATUS_OK;
}

enum status text_read_window(struct text_reader *reader, char **words)
{
    uint64_t *slot;
    struct window_line line = {.flavor = '?'};
    int32_t id = 0;
    TRY(new_id(reader, &reader->windows, "window", words[1], &slot));
    enum status status = read_window_keys(reader, words, &line);
    if (status == STATUS_OK) status = add_window(reader, &line, &id);
    if (status == STATUS_OK) *slot = (uint64_t)id;
    FREE_ALL(line.bytes, line.disp_unit);
    return status;
}

static enum status read_number(const struct text_reader *reader, const char *key, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !(*value >= 0 && *value < 1e18))
        TEXT_FAIL(reader, "%s=%s, expected a number, 0 or more", key, text);
    return STATUS_OK;
}

static enum status set_text(struct text_reader *reader, char **member, char *value)
{
    if (!text_decode(value)) TEXT_FAIL(reader, "broken %%XX, expected two hexadecimal digits");
    free(*member);
    *member = strdup(value);
    return *member ? STATUS_OK : err_memory(reader->err);
}

static enum status read_property_key(struct text_reader *reader, char *word)
{
    struct trace *trace = reader->trace;
    struct {
        const char *key;
        char **text;
        double *number;
    } members[] = {
#define PROVENANCE_TEXT(MEMBER, PROPERTY) {#MEMBER, &trace->provenance.MEMBER, NULL},
#include "trace/provenance.def"
#undef PROVENANCE_TEXT
        {"clock_offset", NULL, &trace->provenance.clock.worst_offset_s},
        {"clock_error", NULL, &trace->provenance.clock.worst_error_s},
    };
    char *value = strchr(word, '=');
    const char *end;
    double violations;
    if (!value) TEXT_FAIL(reader, "'%s' in a property line, expected key=value", word);
    *value++ = '\0';
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (strcmp(word, members[i].key) != 0) continue;
        if (members[i].text) return set_text(reader, members[i].text, value);
        trace->provenance.clock.known = true;
        return read_number(reader, word, value, members[i].number);
    }
    if (strcmp(word, "simulated") == 0 && (*value == '0' || *value == '1') && !value[1]) {
        for (uint32_t i = 0; i < trace->rank_count; i++)
            if (trace->ranks[i].count > 0)
                TEXT_FAIL(reader, "simulated= stands behind calls, expected it before the first one");
        trace->provenance.simulated = *value == '1';
        return STATUS_OK;
    }
    if (strcmp(word, "core_waits") == 0 && (*value == '0' || *value == '1') && !value[1]) {
        trace->provenance.core_waits = *value == '1';
        return STATUS_OK;
    }
    if (strcmp(word, "clock_violations") == 0) {
        TRY(read_number(reader, word, value, &violations));
        trace->provenance.clock.known = true;
        trace->provenance.clock.violations = (uint64_t)violations;
        return STATUS_OK;
    }
    if (strcmp(word, "clock_source") == 0 && trace_clock_source_by_name(value, &trace->provenance.clock.source))
        return STATUS_OK;
    if (strcmp(word, "record_cost") == 0 && units_parse_ps(value, &end, &trace->provenance.record_cost_ps) && !*end)
        return STATUS_OK;
    TEXT_FAIL(reader,
              "%s=%s is no property, expected simulated=0 or 1, platform=, engine=, semantics=, lock=, library=, "
              "transport=, generator=, clock_offset=, clock_error=, clock_violations=, clock_source=monotonic, "
              "tsc or mixed, record_cost=SECONDS, core_waits=0 or 1",
              word, value);
}

enum status text_read_property(struct text_reader *reader, char **words)
{
    for (char **word = words + 1; *word; word++) TRY(read_property_key(reader, *word));
    return STATUS_OK;
}

enum status text_read_incomplete(struct text_reader *reader, char **words)
{
    int64_t rank;
    TRY(text_read_id(reader, "rank", words[1], 0, (int64_t)reader->trace->rank_count - 1, &rank));
    struct trace_rank *process = &reader->trace->ranks[rank];
    char *why = words[2] ? strdup(words[2]) : NULL;
    if (words[2] && !why) return err_memory(reader->err);
    free(process->incomplete_why);
    process->incomplete = true;
    process->incomplete_why = why;
    return STATUS_OK;
}

enum status text_read_speed(struct text_reader *reader, char **words)
{
    int64_t rank;
    TRY(text_read_id(reader, "rank", words[1], 0, (int64_t)reader->trace->rank_count - 1, &rank));
    char *end = NULL;
    double speed = words[2] ? strtod(words[2], &end) : 0;
    if (!end || *end || !(speed > 0 && speed < 1e9))
        TEXT_FAIL(reader, "speed %s, expected a number above 0", words[2] ? words[2] : "is missing");
    reader->trace->ranks[rank].speed = speed;
    return STATUS_OK;
}

enum status text_read_memory_bound(struct text_reader *reader, char **words)
{
    int64_t rank;
    TRY(text_read_id(reader, "rank", words[1], 0, (int64_t)reader->trace->rank_count - 1, &rank));
    char *end = NULL;
    const double share = words[2] ? strtod(words[2], &end) : 0;
    if (!end || *end || !(share >= 0 && share <= 1))
        TEXT_FAIL(reader, "memory_bound %s, expected a share from 0 to 1", words[2] ? words[2] : "is missing");
    reader->trace->ranks[rank].memory_bound = share;
    reader->trace->ranks[rank].memory_known = true;
    return STATUS_OK;
}

enum status text_read_node(struct text_reader *reader, char **words)
{
    struct trace *trace = reader->trace;
    size_t known = trace->definitions.node_count;
    char expected[24];
    snprintf(expected, sizeof expected, "%zu", known);
    char *name = words[1] && words[2] ? value_of(words[2], "name") : NULL;
    char *ranks = name && words[3] ? value_of(words[3], "ranks") : NULL;
    char *said = ranks && words[4] ? value_of(words[4], "cores") : NULL;
    if (!ranks || !*name || (words[4] && (!said || words[5])) || strcmp(words[1], expected) != 0)
        TEXT_FAIL(reader, "wrong node line, expected \"node %s name=NAME ranks=0,1,... [cores=N]\"", expected);
    int64_t cores = 0;
    if (said) TRY(text_read_id(reader, "cores", said, 1, INT32_MAX, &cores));
    TRY(read_escaped(reader, name));
    TRY(text_list(reader, "ranks", ranks, 0, (int64_t)trace->rank_count - 1));
    if (reader->list_count == 0) TEXT_FAIL(reader, "node %s has no ranks, expected one or more", expected);
    for (size_t i = 0; i < reader->list_count; i++) {
        uint32_t rank = (uint32_t)reader->list[i];
        if (trace->ranks[rank].node > 0)
            TEXT_FAIL(reader, "rank %" PRIu32 " is on node %" PRIu32 " already, expected one node for each rank", rank,
                      trace->ranks[rank].node - 1);
        TRY(trace_set_node(trace, rank, name, reader->err));
        trace->ranks[rank].cores = (uint32_t)cores;
        if (trace->ranks[rank].node <= known)
            TEXT_FAIL(reader, "name=%s is that of node %" PRIu32 ", expected each name once", name,
                      trace->ranks[rank].node - 1);
    }
    return STATUS_OK;
}

enum status text_read_note(struct text_reader *reader, char **words)
{
    if (!words[1]) TEXT_FAIL(reader, "note is empty, expected a sentence");
    return trace_add_note(reader->trace, reader->err, "%s", words[1]);
}
