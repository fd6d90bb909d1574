/* The text form's lines. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "trace/faults.h"
#include "trace/text.h"
#include "trace/text_reader.h"

enum { RANKS_MAX = 1 << 24, WORDS_MAX = 64 };

static uint64_t name_hash(const char *name)
{
    uint64_t hash = 0;
    for (; *name; name++) hash = hash * 31 + (uint8_t)*name;
    return hash;
}

/* Hundreds of names, a million lines: names are found by their hash, and compared. */
static enum status index_calls(struct text_reader *reader)
{
    uint64_t *slot;
    for (int i = 0; i < MPI_CALL_COUNT; i++) {
        enum mpi_call call = (enum mpi_call)i;
        TRY(map_put(&reader->calls, name_hash(call_name(call)), (uint64_t)i, &slot, reader->err));
        if (*slot != (uint64_t)i) /* two rows of one hash: the second one is found by walking the table */
            *slot = MPI_CALL_COUNT;
    }
    return STATUS_OK;
}

static enum status find_call(const struct text_reader *reader, const char *name, enum mpi_call *call)
{
    const uint64_t *found = map_find(&reader->calls, name_hash(name));
    if (found && *found < MPI_CALL_COUNT && strcmp(call_name((enum mpi_call) * found), name) == 0) {
        *call = (enum mpi_call) * found;
        return STATUS_OK;
    }
    if (found && call_by_name(name, call)) return STATUS_OK;
    if (strncmp(name, "MPI_", 4) != 0)
        TEXT_FAIL(reader, "'%s', expected the name of an MPI call or thread primitive, enter or leave",
                  name);
    size_t longest = 0, used = 0;
    for (int i = 0; i < MPI_FUNCTION_COUNT; i++) {
        size_t same = 0;
        for (const char *known = call_name((enum mpi_call)i); known[same] && known[same] == name[same];) same++;
        if (same > longest) longest = same;
    }
    char known[200] = "";
    for (int i = 0; i < MPI_FUNCTION_COUNT && used < sizeof known; i++)
        if (strncmp(call_name((enum mpi_call)i), name, longest) == 0)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                     call_name((enum mpi_call)i));
    TEXT_FAIL(reader, "unknown call %s, known are %s ... (trace/mpi_calls.def lists all)", name, known);
}

static enum status read_ranks(struct text_reader *reader, char **words)
{
    int64_t count;
    uint64_t *slot;
    if (reader->trace) TEXT_FAIL(reader, "a second line \"ranks\", expected one");
    TRY(text_read_id(reader, "ranks", words[1], 1, RANKS_MAX, &count));
    TRY(trace_new(reader->file, (uint32_t)count, &reader->trace, reader->err));
    reader->requests = calloc((size_t)count, sizeof *reader->requests);
    reader->ended = calloc((size_t)count, sizeof *reader->ended);
    if (!reader->requests || !reader->ended) return err_memory(reader->err);
    return map_put(&reader->comms, 0, 0, &slot, reader->err);
}

static enum status read_time(const struct text_reader *reader, const char *what, const char *text, int64_t *ps)
{
    const char *end;
    if (!text) TEXT_FAIL(reader, "%s time is missing, expected RANK ENTER EXIT NAME key=value ...", what);
    if (!units_parse_ps(text, &end, ps) || *end) TEXT_FAIL(reader, "%s time '%s', expected seconds", what, text);
    return STATUS_OK;
}

static enum status add_call(struct text_reader *reader, uint32_t rank, const struct text_values *values)
{
    struct trace *trace = reader->trace;
    struct err cause;
    enum status status = trace_add_thread_call(trace, rank, values->thread, &values->call, &cause);
    if (status == STATUS_DATA) TEXT_FAIL(reader, "%s", strstr(cause.text, " s: ") + strlen(" s: "));
    if (status != STATUS_OK) return err_set(reader->err, status, NULL, NULL, "%s", cause.text);
    struct trace_rank *stream = &trace->ranks[rank];
    if (stream->sim) stream->sim[stream->count - 1] = values->sim;
    TRY(trace_set_extents(trace, rank, stream->count - 1, &values->extents, reader->err));
    if (values->cpu_ps == TRACE_UNKNOWN_PS) return STATUS_OK;
    return trace_set_cpu(trace, rank, stream->count - 1, values->cpu_ps, reader->err);
}

static enum status read_region(struct text_reader *reader, uint32_t rank, char **words, struct text_values *values)
{
    char *name = words[3];
    values->call.call = strcmp(words[2], "enter") == 0 ? ID_region_enter : ID_region_leave;
    if (!name)
        TEXT_FAIL(reader, "%s, expected \"RANK TIME %s NAME\", a blank in NAME as %%20", words[2], words[2]);
    for (char **word = words + 4; *word; word++)
        if (strncmp(*word, "cpu=", 4) != 0 && strncmp(*word, "thread=", 7) != 0)
            TEXT_FAIL(reader, "%s, expected \"RANK TIME %s NAME\", a blank in NAME as %%20", words[2], words[2]);
    TRY(text_read_values(reader, rank, words + 4, values));
    if (strncmp(name, "region=", 7) == 0) name += 7;
    if (!text_decode(name)) TEXT_FAIL(reader, "broken %%XX, expected two hexadecimal digits");
    values->call.exit_ps = values->call.enter_ps;
    return trace_add_region(reader->trace, name, &values->call.ref, reader->err);
}

static enum status read_columns(struct text_reader *reader, uint32_t rank, char **words)
{
    static const struct text_values nothing = {
        .call = {.disp = -1, .handle = TRACE_NONE, .peer = TRACE_NONE, .ref = TRACE_NO_REF},
        .sim = {TRACE_UNKNOWN_PS, TRACE_UNKNOWN_PS, TRACE_UNKNOWN_PS, TRACE_UNKNOWN_PS, 0, TRACE_UNKNOWN_PS,
                TRACE_UNKNOWN_PS},
        .cpu_ps = TRACE_UNKNOWN_PS,
        .source = TRACE_NONE,
    };
    struct text_values values = nothing;
    enum mpi_call call;
    TRY(read_time(reader, "enter", words[1], &values.call.enter_ps));
    if (words[2] && (strcmp(words[2], "enter") == 0 || strcmp(words[2], "leave") == 0)) {
        TRY(read_region(reader, rank, words, &values));
        return add_call(reader, rank, &values);
    }
    TRY(read_time(reader, "exit", words[2], &values.call.exit_ps));
    if (!words[3]) TEXT_FAIL(reader, "the call's name is missing, expected RANK ENTER EXIT NAME key=value ...");
    TRY(find_call(reader, words[3], &call));
    values.call.call = (uint16_t)call;
    if (call_row(call)->needed & F_REGION)
        TEXT_FAIL(reader, "%s with two times, expected \"RANK TIME %s NAME\"", words[3], words[3]);
    TRY(text_read_values(reader, rank, words + 4, &values));
    return add_call(reader, rank, &values);
}

/* Says which event of which rank, and when, a line is about; who keeps going leaves out the rank from there on. */
static enum status place_fault(struct text_reader *reader, uint32_t rank, const char *time)
{
    struct trace *trace = reader->trace;
    char message[ERR_TEXT_BYTES], line[24], place[TRACE_PLACE_BYTES], when[UNITS_TEXT_BYTES];
    size_t event = trace->ranks[rank].count, length = strlen(reader->file);
    const char *text = strstr(reader->err->text + length, ": "), *end;
    int64_t time_ps;
    snprintf(message, sizeof message, "%s", text ? text + 2 : reader->err->text);
    if (!time || !units_parse_ps(time, &end, &time_ps) || *end) time_ps = TRACE_UNKNOWN_PS;
    bool known = time_ps != TRACE_UNKNOWN_PS;
    snprintf(place, sizeof place, "rank %" PRIu32 ", event %zu%s%s%s", rank, event + 1, known ? " at " : "",
             known ? units_format_ps(time_ps, when) : "", known ? " s" : "");
    snprintf(line, sizeof line, "%zu", reader->line);
    err_set(reader->err, STATUS_DATA, reader->file, line, "%s: %s", place, message);
    if (!reader->keep_going) return STATUS_DATA;
    TRY(trace_add_fault(trace, rank, event, time_ps, 1, reader->err->text, reader->err));
    reader->ended[rank] = trace->fault_count;
    return STATUS_OK;
}

static enum status read_call(struct text_reader *reader, char **words)
{
    int64_t rank;
    TRY(text_read_id(reader, "rank", words[0], 0, (int64_t)reader->trace->rank_count - 1, &rank));
    if (reader->ended[rank]) {
        reader->trace->faults[reader->ended[rank] - 1].left_out++;
        return STATUS_OK;
    }
    enum status status = read_columns(reader, (uint32_t)rank, words);
    return status == STATUS_DATA ? place_fault(reader, (uint32_t)rank, words[1]) : status;
}

static enum status read_header(const struct text_reader *reader, char **words)
{
    if (strcmp(words[0], "rmacast-trace") != 0)
        TEXT_FAIL(reader, "'%s', expected \"rmacast-trace 1\" as the first line", words[0]);
    if (!words[1]) TEXT_FAIL(reader, "the version is missing, expected \"rmacast-trace 1\"");
    if (words[2] || strcmp(words[1], "1") != 0)
        TEXT_FAIL(reader, "version %s of the text form, expected \"rmacast-trace 1\"", words[1]);
    return STATUS_OK;
}

static enum status read_words(struct text_reader *reader, char **words)
{
    static const struct {
        const char *name;
        enum status (*read)(struct text_reader *reader, char **words);
    } lines[] = {{"comm", text_read_comm},
                 {"window", text_read_window},
                 {"property", text_read_property},
                 {"incomplete", text_read_incomplete},
                 {"speed", text_read_speed},
                 {"note", text_read_note}};
    if (reader->trace && words[0][0] >= '0' && words[0][0] <= '9') return read_call(reader, words);
    if (strcmp(words[0], "rmacast-trace") == 0) TEXT_FAIL(reader, "a second line \"rmacast-trace\", expected one");
    if (strcmp(words[0], "ranks") == 0) return read_ranks(reader, words);
    if (!reader->trace) TEXT_FAIL(reader, "'%s', expected \"ranks N\" as the second line", words[0]);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(words[0], lines[i].name) == 0) return lines[i].read(reader, words);
    TEXT_FAIL(reader, "'%s', expected a rank number, comm, window, property, speed, incomplete or note", words[0]);
}

/* The number of words behind which a line is free text, as one word. */
static size_t words_before_text(const char *word)
{
    return strcmp(word, "note") == 0 ? 1 : strcmp(word, "incomplete") == 0 ? 2 : SIZE_MAX;
}

static char *trim(char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    for (size_t length = strlen(text); length > 0 && strchr(blanks, text[length - 1]);) text[--length] = '\0';
    return *text ? text : NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The next word of *rest, which moves behind it; NULL: there is none. (strtok_r() prepares itself anew for each word.) */
static char *next_word(char **rest)
{
    char *word = *rest;
    while (is_blank(*word)) word++;
    char *end = word;
    while (*end != '\0' && !is_blank(*end)) end++;
    *rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return *word != '\0' ? word : NULL;
}

/* Splits in place; a word that starts with # ends the line. */
static enum status split(const struct text_reader *reader, char *text, char **words)
{
    size_t count = 0, before_text = SIZE_MAX;
    char *rest = text, *word = next_word(&rest);
    while (word && *word != '#') {
        if (count == WORDS_MAX)
            TEXT_FAIL(reader, "more than %d words, expected RANK ENTER EXIT NAME key=value ...", WORDS_MAX);
        if (count == 0) before_text = words_before_text(word);
        words[count++] = word;
        if (count == before_text) {
            words[count++] = trim(rest);
            break;
        }
        word = next_word(&rest);
    }
    words[count] = NULL;
    return STATUS_OK;
}

/* A line that is no event of a rank, or not even words. */
static enum status skip_line(struct text_reader *reader, const char *text)
{
    char *end;
    unsigned long rank = strtoul(text, &end, 10);
    if (!reader->keep_going || !reader->trace) return STATUS_DATA;
    if (end == text || rank >= reader->trace->rank_count)
        return trace_add_fault(reader->trace, TRACE_FAULT_NO_RANK, 0, TRACE_UNKNOWN_PS, TRACE_FAULT_UNCOUNTED,
                               reader->err->text, reader->err);
    return reader->ended[rank] ? STATUS_OK : place_fault(reader, (uint32_t)rank, NULL);
}

static enum status read_words_of(struct text_reader *reader, char *text, size_t length, bool *header)
{
    char *words[WORDS_MAX + 2];
    if (strlen(text) != length) TEXT_FAIL(reader, "a zero byte, expected text");
    TRY(split(reader, text, words));
    if (!words[0]) return STATUS_OK;
    TRY(*header ? read_words(reader, words) : read_header(reader, words));
    *header = true;
    return STATUS_OK;
}

static enum status read_line(struct text_reader *reader, char *text, size_t length, bool *header)
{
    reader->line++;
    enum status status = read_words_of(reader, text, length, header);
    return status == STATUS_DATA ? skip_line(reader, text) : status;
}

static enum status read_lines(struct text_reader *reader, FILE *in)
{
    char *text = NULL;
    size_t size = 0;
    ssize_t length;
    bool header = false;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && (length = getline(&text, &size, in)) >= 0)
        status = read_line(reader, text, (size_t)length, &header);
    free(text);
    if (status != STATUS_OK) return status;
    if (ferror(in))
        return err_set(reader->err, STATUS_SYSTEM, reader->file, NULL, "cannot be read: %s", strerror(errno));
    if (!reader->trace) TEXT_FAIL(reader, "the file ends, expected \"%s\"", header ? "ranks N" : "rmacast-trace 1");
    return STATUS_OK;
}

static void reader_clear(struct text_reader *reader)
{
    for (uint32_t i = 0; reader->requests && i < reader->trace->rank_count; i++) {
        map_clear(&reader->requests[i].live);
        map_clear(&reader->requests[i].used);
    }
    free(reader->requests);
    free(reader->ended);
    free(reader->list);
    free(reader->counts);
    map_clear(&reader->comms);
    map_clear(&reader->windows);
    map_clear(&reader->calls);
}

static enum status read_file(const char *file, bool keep_going, struct trace **trace, struct err *err)
{
    struct err own; /* messages are taken apart */
    struct text_reader reader = {.file = file, .keep_going = keep_going, .err = err ? err : &own};
    FILE *in = strcmp(file, "-") == 0 ? stdin : fopen(file, "r");
    if (!in) return err_set(err, STATUS_DATA, file, NULL, "cannot be opened: %s", strerror(errno));
    enum status status = index_calls(&reader);
    if (status == STATUS_OK) status = read_lines(&reader, in);
    if (status == STATUS_OK) status = trace_sort_threads(reader.trace, err);
    if (in != stdin) fclose(in);
    reader_clear(&reader);
    if (status != STATUS_OK) {
        trace_free(reader.trace);
        return status;
    }
    *trace = reader.trace;
    return STATUS_OK;
}

enum status text_read(const char *file, struct trace **trace, struct err *err)
{
    return read_file(file, false, trace, err);
}

enum status text_read_partly(const char *file, struct trace **trace, struct err *err)
{
    return read_file(file, true, trace, err);
}
