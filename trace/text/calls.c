/* Reads a call's line: first the values of the line, then the call of its rank. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "trace/faults.h"
#include "trace/text/reader.h"

const struct text_values text_no_values = {
    .call = {.any = TRACE_NO_MEMBERS, .handle = TRACE_NONE, .peer = TRACE_NONE},
    .sim = TRACE_SIM_UNKNOWN,
#define BEFORE(ID, KEY, ATTRIBUTE, DESCRIPTION) TRACE_UNKNOWN_PS,
    .before_ps = {
#include "trace/before.def"
    },
#undef BEFORE
    .source = TRACE_NONE,
};

/* --- by itself --- */

static enum status read_time(const struct text_reader *reader, const char *what, const char *text, int64_t *ps)
{
    const char *end;
    if (!text) TEXT_FAIL(reader, "%s time is missing, expected RANK ENTER EXIT NAME key=value ...", what);
    if (!units_parse_ps(text, &end, ps) || *end) TEXT_FAIL(reader, "%s time '%s', expected seconds", what, text);
    return STATUS_OK;
}

static enum status find_call(const struct text_reader *reader, const char *name, enum mpi_call *call)
{
    if (text_find_call(reader->names, name, call)) return STATUS_OK;
    if (strncmp(name, "MPI_", 4) != 0)
        TEXT_FAIL(reader, "'%s', expected the name of an MPI call or thread primitive, enter or leave", name);
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
    TEXT_FAIL(reader, "unknown call %s, expected one as %s", name, known);
}

static bool is_key_of_region(const char *word)
{
    bool known = strncmp(word, "thread=", 7) == 0;
    for (int b = 0; b < BEFORE_COUNT; b++) {
        const char *key = trace_before_key((enum trace_before)b);
        known = known || (strncmp(word, key, strlen(key)) == 0 && word[strlen(key)] == '=');
    }
    return known;
}

static enum status read_region(struct text_reader *reader, char *const *words, struct text_values *values)
{
    char *name = words[3];
    values->call.call = strcmp(words[2], "enter") == 0 ? ID_region_enter : ID_region_leave;
    if (!name) TEXT_FAIL(reader, "%s, expected \"RANK TIME %s NAME\", a blank in NAME as %%20", words[2], words[2]);
    for (char *const *word = words + 4; *word; word++)
        if (!is_key_of_region(*word))
            TEXT_FAIL(reader, "%s, expected \"RANK TIME %s NAME\", a blank in NAME as %%20", words[2], words[2]);
    TRY(text_read_values(reader, words + 4, values));
    if (strncmp(name, "region=", 7) == 0) name += 7;
    if (!text_decode(name)) TEXT_FAIL(reader, "broken %%XX, expected two hexadecimal digits");
    values->call.exit_ps = values->call.enter_ps;
    return trace_add_region(reader->trace, name, &values->call.region.region, reader->err);
}

static bool is_region(const char *word)
{
    return (*word == 'e' && strcmp(word, "enter") == 0) || (*word == 'l' && strcmp(word, "leave") == 0);
}

/* From the call's name on. */
static enum status read_named(struct text_reader *reader, char *const *words, struct text_values *values)
{
    enum mpi_call call;
    if (!words[0]) TEXT_FAIL(reader, "the call's name is missing, expected RANK ENTER EXIT NAME key=value ...");
    TRY(find_call(reader, words[0], &call));
    values->call.call = (uint16_t)call;
    if (call_row(call)->needed & F_REGION)
        TEXT_FAIL(reader, "%s with two times, expected \"RANK TIME %s NAME\"", words[0], words[0]);
    return text_read_values(reader, words + 1, values);
}

/* Lists of requests are outside the values. */
static void keep_known(const struct text_words *words, const struct text_values *values)
{
    struct text_memo *memo = words->memo;
    if (!memo || (call_row(values->call.call)->needed & F_REQS)) return;
    memo->values = *values;
    memo->length = words->memo_length;
}

enum status text_read_call(struct text_reader *reader, const struct text_words *words, struct text_values *values)
{
    char *const *word = words->word;
    int64_t enter_ps, exit_ps;
    TRY(read_time(reader, "enter", word[1], &enter_ps));
    if (word[2] && is_region(word[2])) {
        *values = text_no_values;
        values->call.enter_ps = enter_ps;
        return read_region(reader, word, values);
    }
    TRY(read_time(reader, "exit", word[2], &exit_ps));
    *values = words->hit ? words->memo->values : text_no_values;
    values->call.enter_ps = enter_ps;
    values->call.exit_ps = exit_ps;
    if (words->hit) return STATUS_OK;
    TRY(read_named(reader, word + 3, values));
    keep_known(words, values);
    return STATUS_OK;
}

/* --- of its rank --- */

static enum status make_request(struct text_reader *reader, struct text_requests *requests, uint32_t *ref)
{
    uint64_t id = *ref, *live, *used;
    TRY(map_put(&requests->live, id, TEXT_REQUEST_DONE, &live, reader->err));
    if (*live != TEXT_REQUEST_DONE)
        TEXT_FAIL(reader, "req=%" PRIu64 " is not completed yet, expected a free number", id);
    if (map_find(&requests->used, id)) id = requests->next;
    if (id >= requests->next) requests->next = (uint32_t)id + 1;
    TRY(map_put(&requests->used, id, 1, &used, reader->err));
    *live = id;
    *ref = (uint32_t)id;
    return STATUS_OK;
}

/* Turns the text's id into the trace's; the request is completed where done says so. */
static enum status use_request(struct text_reader *reader, struct text_requests *requests, const char *name, bool done,
                               uint32_t *id)
{
    uint64_t *live = map_find(&requests->live, *id);
    if (!live) TEXT_FAIL(reader, "%s of request %" PRIu32 ", which was not made before on this rank", name, *id);
    if (*live == TEXT_REQUEST_DONE)
        TEXT_FAIL(reader, "%s of request %" PRIu32 ", which is completed already", name, *id);
    *id = (uint32_t)*live;
    if (done) *live = TEXT_REQUEST_DONE;
    return STATUS_OK;
}

static enum status use_list(struct text_reader *reader, struct text_requests *requests, const char *name, uint32_t *ref)
{
    uint32_t *ids = malloc((reader->list_count + 1) * sizeof *ids);
    if (!ids) return err_memory(reader->err);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < reader->list_count; i++) {
        ids[i] = (uint32_t)reader->list[i];
        status = use_request(reader, requests, name, true, &ids[i]);
    }
    if (status == STATUS_OK)
        status = trace_add_list(reader->trace, ids, (uint32_t)reader->list_count, ref, reader->err);
    free(ids);
    return status;
}

static enum status resolve_requests(struct text_reader *reader, uint32_t rank, struct trace_call *call)
{
    struct text_requests *requests = &reader->requests[rank];
    const struct call_row *row = call_row(call->call);
    if (!(row->needed & (F_REQ | F_REQS))) return STATUS_OK;
    if (row->needed & F_REQS) return use_list(reader, requests, row->name, &call->completion.list);
    if (call->ref == TRACE_NO_REF) return STATUS_OK; /* req=-: MPI_REQUEST_NULL */
    if (call_makes_request(call->call)) return make_request(reader, requests, &call->ref);
    uint32_t count;
    (void)trace_call_completed(reader->trace, call, &count);
    return use_request(reader, requests, row->name, count > 0 && !(call->flags & TRACE_BREAK), &call->ref);
}

enum status text_add_call(struct text_reader *reader, uint32_t rank, struct text_values *values)
{
    struct trace *trace = reader->trace;
    struct err cause;
    TRY(resolve_requests(reader, rank, &values->call));
    enum status status = trace_add_thread_call(trace, rank, values->thread, &values->call, &cause);
    if (status == STATUS_DATA) TEXT_FAIL(reader, "%s", strstr(cause.text, " s: ") + strlen(" s: "));
    if (status != STATUS_OK) return err_set(reader->err, status, NULL, NULL, "%s", cause.text);
    struct trace_rank *process = &trace->ranks[rank];
    if (process->sim) process->sim[process->count - 1] = values->sim;
    TRY(trace_set_extents(trace, rank, process->count - 1, &values->extents, reader->err));
    for (int b = 0; b < BEFORE_COUNT; b++)
        if (values->before_ps[b] != TRACE_UNKNOWN_PS)
            TRY(trace_set_before(trace, rank, process->count - 1, (enum trace_before)b, values->before_ps[b],
                                 reader->err));
    return STATUS_OK;
}

enum status text_place_fault(struct text_reader *reader, uint32_t rank, int64_t time_ps)
{
    struct trace *trace = reader->trace;
    char message[ERR_TEXT_BYTES], line[24], place[TRACE_PLACE_BYTES], when[UNITS_TEXT_BYTES];
    size_t event = trace->ranks[rank].count, length = strlen(reader->file);
    const char *text = strstr(reader->err->text + length, ": ");
    bool known = time_ps != TRACE_UNKNOWN_PS;
    snprintf(message, sizeof message, "%s", text ? text + 2 : reader->err->text);
    snprintf(place, sizeof place, "rank %" PRIu32 ", event %zu%s%s%s", rank, event + 1, known ? " at " : "",
             known ? units_format_ps(time_ps, when) : "", known ? " s" : "");
    snprintf(line, sizeof line, "%zu", reader->line);
    err_set(reader->err, STATUS_DATA, reader->file, line, "%s: %s", place, message);
    if (!reader->keep_going) return STATUS_DATA;
    TRY(trace_add_fault(trace, rank, event, time_ps, 1, reader->err->text, reader->err));
    reader->ended[rank] = true;
    return STATUS_OK;
}
