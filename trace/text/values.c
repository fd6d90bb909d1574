/* Parses the values of a call's line. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/units.h"
#include "trace/limits.h"
#include "trace/text/reader.h"

bool text_integer(const char *text, int64_t low, int64_t high, int64_t *value)
{
    const char *c = text + (*text == '-');
    uint64_t magnitude = 0;
    if (*c == '\0') return false;
    for (; *c; c++) {
        if (*c < '0' || *c > '9' || magnitude > (uint64_t)INT64_MAX / 10) return false;
        magnitude = magnitude * 10 + (uint64_t)(*c - '0');
    }
    if (magnitude > (uint64_t)INT64_MAX) return false;
    int64_t found = *text == '-' ? -(int64_t)magnitude : (int64_t)magnitude;
    if (found < low || found > high) return false;
    *value = found;
    return true;
}

enum status text_list(struct text_reader *reader, const char *key, char *text, int64_t low, int64_t high)
{
    reader->list_count = 0;
    if (*text == '\0' || strcmp(text, "-") == 0) return STATUS_OK;
    for (char *item = text, *next; item; item = next) {
        int64_t value;
        char *end = item;
        while (*end != '\0' && *end != ',') end++;
        next = *end != '\0' ? end + 1 : NULL;
        *end = '\0';
        if (!text_integer(item, low, high, &value))
            TEXT_FAIL(reader, "'%s' in %s, expected numbers from %" PRId64 " to %" PRId64 " joined by commas", item,
                      key, low, high);
        ARRAY_PUSH(reader->list, reader->list_count, reader->list_capacity, value, reader->err);
    }
    return STATUS_OK;
}

static bool parse_assert(const char *text, uint16_t *flags)
{
    int64_t number;
    unsigned bits = 0;
    if (text_integer(text, 0, TRACE_ASSERTIONS << 10, &number)) { /* MPICH: 1024 is the lowest */
        *flags |= (uint16_t)(number >> 10);
        return number % 1024 == 0;
    }
    for (const char *name = text, *next; name; name = next) {
        next = strchr(name, '|');
        if (strncmp(name, "MPI_MODE_", 9) == 0) name += 9;
        size_t length = next ? (size_t)(next++ - name) : strlen(name);
        int bit = 0;
        while (bit < TEXT_ASSERTION_COUNT &&
               (strncmp(name, text_assertion(bit), length) != 0 || text_assertion(bit)[length] != '\0'))
            bit++;
        if (bit == TEXT_ASSERTION_COUNT) return false;
        bits |= 1u << bit;
    }
    *flags |= (uint16_t)bits;
    return true;
}

static enum status parse_flag(const struct text_reader *reader, const struct text_field *field, char *text,
                              uint16_t *flags)
{
    bool one = strcmp(text, "1") == 0, exclusive = strcmp(text, "exclusive") == 0;
    switch (field->type) {
    case TEXT_ASSERT:
        if (parse_assert(text, flags)) return STATUS_OK;
        TEXT_FAIL(reader,
                  "assert=%s, expected 0, NOCHECK NOSTORE NOPUT NOPRECEDE NOSUCCEED joined by |, or MPICH's number",
                  text);
    case TEXT_LOCK:
        if (exclusive) *flags |= TRACE_EXCLUSIVE;
        if (exclusive || strcmp(text, "shared") == 0) return STATUS_OK;
        TEXT_FAIL(reader, "lock=%s, expected exclusive or shared", text);
    default:
        if (one)
            *flags |= field->type == TEXT_FLAG ? TRACE_FLAG : field->type == TEXT_STARTED ? TRACE_STARTED : TRACE_BREAK;
        if (one || strcmp(text, "0") == 0) return STATUS_OK;
        TEXT_FAIL(reader, "%s=%s, expected 0 or 1", field->key, text);
    }
}

/* Windows and communicators: the text's id, "-" for none. */
static enum status parse_handle(struct text_reader *reader, const struct text_field *field, const char *text,
                                int32_t *handle)
{
    bool window = field->type == TEXT_WINDOW;
    int64_t id;
    *handle = TRACE_NONE;
    if (strcmp(text, "-") == 0) return STATUS_OK;
    if (!text_integer(text, 0, INT32_MAX, &id))
        TEXT_FAIL(reader, "%s=%s, expected the number of a %s", field->key, text, window ? "window" : "communicator");
    const uint64_t *known = map_find(window ? &reader->windows : &reader->comms, (uint64_t)id);
    if (!known)
        TEXT_FAIL(reader, "%s=%s is not defined, expected a line \"%s %s ...\" before", field->key, text,
                  window ? "window" : "comm", text);
    *handle = (int32_t)*known;
    return STATUS_OK;
}

static enum status parse_rank(struct text_reader *reader, const struct text_field *field, const char *text,
                              int32_t *rank)
{
    int64_t value = TRACE_NONE, last = (int64_t)reader->trace->rank_count - 1;
    bool null = field != text_field(F_ROOT_INDEX); /* only partners may be MPI_PROC_NULL */
    if (!(null && strcmp(text, "-") == 0) && !text_integer(text, null ? TRACE_NONE : 0, last, &value))
        TEXT_FAIL(reader, "%s=%s is not a rank, expected 0 to %" PRId64, field->key, text, last);
    *rank = (int32_t)value;
    return STATUS_OK;
}

static enum status parse_group(struct text_reader *reader, const struct text_field *field, char *text, uint32_t *id)
{
    TRY(text_list(reader, field->key, text, 0, (int64_t)reader->trace->rank_count - 1));
    size_t count = reader->list_count;
    TRY(array_reserve((void **)&reader->members, &reader->members_capacity, count + 1, sizeof *reader->members,
                      reader->err));
    for (size_t i = 0; i < count; i++) reader->members[i] = (int32_t)reader->list[i];
    return trace_add_group(reader->trace, reader->members, (uint32_t)count, id, reader->err);
}

static enum status parse_site(struct text_reader *reader, char *text, uint32_t *id)
{
    char *file = strchr(text, '@'), *line = file ? strrchr(file, ':') : NULL;
    int64_t number;
    if (!line || !text_integer(line + 1, 0, INT32_MAX, &number))
        TEXT_FAIL(reader, "site=%s, expected FUNCTION@FILE:LINE", text);
    *file++ = '\0';
    *line = '\0';
    if (!text_decode(text) || !text_decode(file))
        TEXT_FAIL(reader, "broken %%XX in site=, expected two hexadecimal digits");
    return trace_add_site(reader->trace, *text ? text : NULL, *file ? file : NULL, (int32_t)number, id, reader->err);
}

static enum status parse_newcomm(struct text_reader *reader, const char *text, uint32_t *ref)
{
    int32_t comm;
    TRY(parse_handle(reader, text_field(F_COMM_INDEX), text, &comm));
    *ref = comm == TRACE_NONE ? TRACE_NO_REF : (uint32_t)comm;
    return STATUS_OK;
}

static enum status parse_request(const struct text_reader *reader, const char *text, uint32_t *ref)
{
    int64_t id;
    *ref = TRACE_NO_REF;
    if (strcmp(text, "-") == 0) return STATUS_OK;
    if (!text_integer(text, 0, TRACE_REQUEST_MAX, &id)) TEXT_FAIL(reader, "req=%s, expected a number, 0 or more", text);
    *ref = (uint32_t)id;
    return STATUS_OK;
}

static enum status parse_counts(struct text_reader *reader, const struct text_field *field, char *text)
{
    TRY(text_list(reader, field->key, text, 0, INT64_MAX / 4));
    TRY(array_reserve((void **)&reader->counts, &reader->counts_capacity, reader->list_count + 1,
                      sizeof *reader->counts, reader->err));
    memcpy(reader->counts, reader->list, reader->list_count * sizeof *reader->counts);
    reader->counts_count = reader->list_count;
    reader->list_count = 0;
    return STATUS_OK;
}

/* Threads and what belongs to them. */
static enum status parse_thread_value(const struct text_reader *reader, const struct text_field *field,
                                      const char *text, void *member)
{
    int64_t high = INT64_MAX / 4, number = 0;
    if (field->type == TEXT_CHILD || field->type == TEXT_THREAD) high = TRACE_THREADS_MAX - 1;
    if (field->type == TEXT_OBJECT) high = TRACE_NO_REF - 1;
    bool none = field->type == TEXT_CHILD && strcmp(text, "-") == 0;
    if (!none && !text_integer(text, 0, high, &number))
        TEXT_FAIL(reader, "%s=%s, expected a number from 0 to %" PRId64, field->key, text, high);
    if (field->type == TEXT_NUMBER)
        *(int64_t *)member = number;
    else if (field->type == TEXT_THREAD)
        *(uint16_t *)member = (uint16_t)number;
    else
        *(uint32_t *)member = none ? TRACE_NO_REF : (uint32_t)number;
    return STATUS_OK;
}

static enum status parse_neighbors(struct text_reader *reader, const struct text_field *field, char *text, int32_t *tag)
{
    int64_t last = (int64_t)reader->trace->rank_count - 1;
    char *destinations = strchr(text, ':');
    struct trace_neighbors neighbors = {0};
    uint32_t id;
    if (!destinations) TEXT_FAIL(reader, "%s=%s, expected SOURCES:DESTINATIONS, as 1,2:0", field->key, text);
    *destinations++ = '\0';
    TRY(text_list(reader, field->key, text, 0, last));
    size_t count = neighbors.source_count = (uint32_t)reader->list_count;
    int64_t *sources = malloc((count + 1) * sizeof *sources);
    if (!sources) return err_memory(reader->err);
    if (count > 0) memcpy(sources, reader->list, count * sizeof *sources);
    enum status status = text_list(reader, field->key, destinations, 0, last);
    neighbors.sources = sources;
    neighbors.destinations = reader->list;
    neighbors.destination_count = (uint32_t)reader->list_count;
    if (status == STATUS_OK) status = trace_add_neighbors(reader->trace, &neighbors, &id, reader->err);
    free(sources);
    reader->list_count = 0;
    TRY(status);
    *tag = (int32_t)id;
    return STATUS_OK;
}

static enum status parse_value(struct text_reader *reader, const struct text_field *field, char *text,
                               struct text_values *values)
{
    struct trace_call *call = &values->call;
    void *member = (char *)values + field->offset;
    const char *end;
    int64_t number;
    switch (field->type) {
    case TEXT_WINDOW:
    case TEXT_COMM: return parse_handle(reader, field, text, member);
    case TEXT_RANK: return parse_rank(reader, field, text, member);
    case TEXT_TAG:
        if (!text_integer(text, INT32_MIN, INT32_MAX, &number))
            TEXT_FAIL(reader, "%s=%s, expected a whole number from %" PRId32 " to %" PRId32, field->key, text,
                      INT32_MIN, INT32_MAX);
        *(int32_t *)member = (int32_t)number;
        return STATUS_OK;
    case TEXT_NEIGHBORS: return parse_neighbors(reader, field, text, member);
    case TEXT_COUNTS: return parse_counts(reader, field, text);
    case TEXT_BYTES:
    case TEXT_SHARE:
    case TEXT_DISP:
        if (!text_integer(text, 0, TRACE_DISP_MAX, member))
            TEXT_FAIL(reader, "%s=%s, expected a whole number from 0 to %" PRId64, field->key, text, TRACE_DISP_MAX);
        return STATUS_OK;
    case TEXT_GROUP: return parse_group(reader, field, text, member);
    case TEXT_ASSERT:
    case TEXT_LOCK:
    case TEXT_FLAG:
    case TEXT_STARTED:
    case TEXT_BREAK: return parse_flag(reader, field, text, member);
    case TEXT_OP:
        call->rma.op = trace_op_by_name(text);
        if (call->rma.op == TRACE_OP_UNKNOWN)
            TEXT_FAIL(reader, "op=%s, expected an operation of MPI, as SUM, or USER", text);
        return STATUS_OK;
    case TEXT_REQUEST: return parse_request(reader, text, member);
    case TEXT_REQUESTS: return text_list(reader, field->key, text, 0, TRACE_REQUEST_MAX);
    case TEXT_NEWCOMM: return parse_newcomm(reader, text, &call->comm.newcomm);
    case TEXT_SITE: return parse_site(reader, text, member);
    case TEXT_TIME:
        if (!reader->trace->provenance.simulated)
            TEXT_FAIL(reader, "%s= needs a line \"property simulated=1 ...\" before", field->key);
        /* fall through */
    case TEXT_BEFORE:
        if (!units_parse_ps(text, &end, member) || *end) TEXT_FAIL(reader, "%s=%s, expected seconds", field->key, text);
        return STATUS_OK;
    case TEXT_CHILD:
    case TEXT_OBJECT:
    case TEXT_NUMBER:
    case TEXT_THREAD: return parse_thread_value(reader, field, text, member);
    case TEXT_EXTENT:
        if (!text_integer(text, 1, TRACE_EXTENT_MAX, member))
            TEXT_FAIL(reader, "%s=%s, expected a whole number from 1 to %" PRId64, field->key, text,
                      (int64_t)TRACE_EXTENT_MAX);
        return STATUS_OK;
    case TEXT_REGION: break;
    }
    TEXT_FAIL(reader, "%s= has no place here", field->key);
}

/* "win= target= bytes=": the keys of fields. */
static const char *list_keys(uint32_t fields, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (int i = 0; i < CALL_FIELD_COUNT && used < size; i++)
        if (fields & 1u << i)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s=", used ? " " : "", text_field(i)->key);
    return buffer;
}

/* Needed fields that a line may leave out, since others say them: what a sendrecv receives is then as what it sends, and
 * a result as long as the data. MPI_Compare_and_swap sends two values and gets one. */
static uint32_t implied_fields(const struct call_row *row)
{
    if (row->kind == CALL_SENDRECV) return F_SOURCE | F_RECVTAG | F_RECEIVED;
    return row->kind == CALL_GET_ACCUMULATE && (row->allowed & F_OP) ? F_RESULT_BYTES : 0;
}

static enum status check_given(const struct text_reader *reader, const struct call_row *row, uint64_t given)
{
    char keys[512];
    uint32_t missing = row->needed & ~implied_fields(row) & ~(uint32_t)F_REGION & ~(uint32_t)given;
    for (int i = 0; missing != 0 && i < CALL_FIELD_COUNT; i++)
        if (missing & 1u << i)
            TEXT_FAIL(reader, "%s lacks %s=, expected %s", row->name, text_field(i)->key,
                      list_keys(row->needed, keys, sizeof keys));
    if ((row->allowed & F_SENT) && !(given & (F_BYTES | F_SENT | F_RECEIVED)))
        TEXT_FAIL(reader, "%s lacks bytes=, expected bytes=, sent= or received=", row->name);
    return STATUS_OK;
}

/* The block of a collective from what the rank sent or received in all. */
static enum status derive_bytes(const struct text_reader *reader, uint64_t given, struct text_values *values)
{
    const struct trace_call *call = &values->call;
    const struct trace_comm *comm = trace_call_comm(reader->trace, call);
    int64_t size = comm && comm->count ? comm->count : 1, sent_blocks = 1, received_blocks = 1;
    enum call_kind kind = call_kind(call->call);
    if (kind == CALL_SCATTER || kind == CALL_ALLTOALL) sent_blocks = size;
    if (kind == CALL_GATHER || kind == CALL_ALLGATHER || kind == CALL_ALLTOALL) received_blocks = size;
    /* A scatter's root alone sends and a gather's root alone receives in all; the other side says the block itself. */
    bool use_sent = (given & F_SENT) && !(kind == CALL_SCATTER && (given & F_RECEIVED));
    if (kind == CALL_BCAST && (given & F_SENT) && (given & F_RECEIVED)) use_sent = values->sent > 0;
    int64_t total = use_sent ? values->sent : values->received, blocks = use_sent ? sent_blocks : received_blocks;
    if (total % blocks != 0)
        TEXT_FAIL(reader, "%s=%" PRId64 " of %s, expected a multiple of the %" PRId64 " members",
                  use_sent ? "sent" : "received", total, call_name(call->call), size);
    if (!(given & F_BYTES))
        values->call.bytes = total / blocks;
    else if (values->call.bytes != total / blocks)
        TEXT_FAIL(reader, "%s=%" PRId64 " of %s does not fit bytes=%" PRId64, use_sent ? "sent" : "received", total,
                  call_name(call->call), values->call.bytes);
    return STATUS_OK;
}

static enum status scale_disp(const struct text_reader *reader, struct trace_call *call)
{
    const struct trace_window *window = call->handle >= 0 ? &reader->trace->definitions.windows[call->handle] : NULL;
    if (!window || !window->disp_unit || call->rma.disp < 0) return STATUS_OK;
    int32_t member = trace_comm_rank(&reader->trace->definitions.comms[window->comm], call->peer);
    if (member >= 0 && __builtin_mul_overflow(call->rma.disp, window->disp_unit[member], &call->rma.disp))
        TEXT_FAIL(reader, "disp= in units of %" PRId32 " bytes is beyond every address", window->disp_unit[member]);
    return STATUS_OK;
}

/* One number holds for all members, or for all destinations among neighbours. */
static enum status add_counts(struct text_reader *reader, struct trace_call *call)
{
    const struct trace_comm *comm = trace_call_comm(reader->trace, call);
    struct trace_neighbors neighbors;
    bool few = trace_call_neighbors(reader->trace, call, &neighbors);
    uint32_t members = few ? neighbors.destination_count : comm ? comm->count : 0, id;
    if (reader->counts_count != members && (reader->counts_count != 1 || members == 0))
        TEXT_FAIL(reader, "%zu numbers in counts=, expected one, or one for each of the %" PRIu32 " %s",
                  reader->counts_count, members, few ? "destinations" : "members");
    TRY(array_reserve((void **)&reader->counts, &reader->counts_capacity, members + 1, sizeof *reader->counts,
                      reader->err));
    for (size_t i = reader->counts_count; i < members; i++) reader->counts[i] = reader->counts[0];
    TRY(trace_add_counts(reader->trace, reader->counts, members, &id, reader->err));
    call->collective.counts = id;
    return STATUS_OK;
}

/* Sets values that depend on several keys. */
static enum status finish_values(struct text_reader *reader, uint64_t given, struct text_values *values)
{
    struct trace_call *call = &values->call;
    uint32_t allowed = call_row(call->call)->allowed;
    if ((allowed & F_SENT) && (given & (F_SENT | F_RECEIVED))) TRY(derive_bytes(reader, given, values));
    if ((allowed & F_RECEIVED) && !(allowed & F_SENT)) call->collective.recv_bytes = values->received;
    if ((allowed & F_NEIGHBORS) && !(given & F_NEIGHBORS)) call->collective.neighbors = TRACE_NONE;
    if (allowed & F_SOURCE) {
        call->exchange.source = given & F_SOURCE ? values->source : call->peer;
        call->exchange.recv_tag = given & F_RECVTAG ? values->recv_tag : call->exchange.tag;
        if (!(given & F_RECEIVED)) call->exchange.recv_bytes = call->exchange.source == TRACE_NONE ? 0 : call->bytes;
    }
    if ((allowed & F_RESULT_BYTES) && !(given & F_RESULT_BYTES)) call->rma.result_bytes = call->bytes;
    if (given & F_COUNTS) TRY(add_counts(reader, call));
    return given & F_DISP ? scale_disp(reader, call) : STATUS_OK;
}

/* A collective or sendrecv whose bytes= is one rank's share: what it sends, of MPI_Scatterv what it receives. */
static bool has_share(const struct call_row *row)
{
    if (row->kind == CALL_SENDRECV) return true;
    return (row->needed & F_COMM) && (row->allowed & F_BYTES) && !(row->allowed & (F_PEER | F_SENT));
}

/* Whether a call may have a key. The total that the shares of all ranks add up to says nothing new. */
static bool is_allowed(const struct call_row *row, int index)
{
    if (index < 0) return false;
    if (text_field(index)->type == TEXT_EXTENT) {
        /* A buffer has its key in calls that have the buffer. */
        for (int i = 0; i < TRACE_BUFFERS; i++) {
            const char *own = trace_extent_key(row->kind, (enum trace_buffer)i);
            if (own && strcmp(own, text_field(index)->key) == 0) return true;
        }
        return false;
    }
    if ((index == F_SENT_INDEX || index == F_RECEIVED_INDEX) && has_share(row)) return true;
    return index >= CALL_FIELD_COUNT || (row->allowed & 1u << index);
}

enum status text_read_values(struct text_reader *reader, char *const *keys, struct text_values *values)
{
    const struct call_row *row = call_row(values->call.call);
    uint64_t given = 0;
    for (; *keys; keys++) {
        char allowed[512];
        size_t length;
        /* The field of a key: that of bytes= if the key is the rank's share by another name. */
        int index = text_find_key(reader->names, *keys, &length);
        bool says_bytes = index == (row->kind == CALL_SCATTERV ? F_RECEIVED_INDEX : F_SENT_INDEX);
        index = says_bytes && has_share(row) ? F_BYTES_INDEX : index;
        char *value = *keys + length;
        if (*value != '=') TEXT_FAIL(reader, "'%s' of %s, expected key=value", *keys, row->name);
        *value++ = '\0';
        if (!is_allowed(row, index))
            TEXT_FAIL(reader, "%s does not take %s=, expected %s", row->name, *keys,
                      list_keys(row->allowed, allowed, sizeof allowed));
        if (given & UINT64_C(1) << index) TEXT_FAIL(reader, "%s= stands twice, expected once", *keys);
        given |= UINT64_C(1) << index;
        TRY(parse_value(reader, text_field(index), value, values));
    }
    TRY(check_given(reader, row, given));
    return finish_values(reader, given, values);
}
