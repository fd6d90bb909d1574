/* Reads a text on several threads. The text is cut at line ends into pieces. A thread reads a piece into records, as
 * long as its lines are calls that use only definitions from before the round, without knowing the other pieces. Then
 * one thread takes the records in the order of the lines and reads the rest of each piece line by line: a definition, a
 * line that is at fault or needs that definition, and what follows it. Definitions never change (but see
 * take_piece()), so a record means the same whatever is defined between.
 *
 * Pieces are read in rounds. While the records of one round are taken, which changes no definition if all its pieces
 * could be read to their ends, the pieces of the next round are read. */
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/parallel.h"
#include "trace/builder.h"
#include "trace/faults.h"
#include "trace/text/reader.h"

struct record {             /* a call's line */
    struct trace_call call; /* by the piece's numbers; a list of requests: where it begins in the piece's lists */
    uint32_t rank;
    uint32_t line; /* from 1, of the piece */
    uint32_t more; /* what else the line says: index in the piece's mores, plus 1; 0: nothing */
};

struct piece {
    const char *begin, *end;
    const char *stop;          /* it is read by itself up to here */
    size_t lines;              /* before stop */
    struct text_reader reader; /* the definitions are borrowed */
    struct builder_shard shard; /* with all tables of its own; records are its calls */
    struct record *records;
    size_t count, capacity;
    struct text_values *mores;
    size_t more_count, more_capacity;
    int64_t *lists; /* of requests: their number, and they */
    size_t list_count, list_capacity;
    struct text_memos memos; /* of the reader */
};

struct round {
    struct piece *pieces;
    size_t count;
};

struct reading {
    struct text_reader *reader;
    const struct text_cut *cut;
    const char *next, *end;     /* what is not yet cut */
    struct round *before, *now; /* to be taken, to be read */
    bool takes;                 /* there is one to be taken: it is the first block */
};

/* --- lines --- */

static const char *line_end(const char *from, const char *end)
{
    const char *newline = memchr(from, '\n', (size_t)(end - from));
    return newline ? newline : end;
}

static const char *behind_line(const char *from, const char *end)
{
    const char *stop = line_end(from, end);
    return stop < end ? stop + 1 : end;
}

/* Copies the line at `from` without its newline to line->text. *next is the begin of the next line. */
static enum status copy_line(struct text_line *line, const char *from, const char *end, const char **next, size_t *length,
                             struct err *err)
{
    const char *stop = line_end(from, end);
    *length = (size_t)(stop - from);
    if (*length + 1 > line->capacity) TRY(array_reserve((void **)&line->text, &line->capacity, *length + 1, 1, err));
    memcpy(line->text, from, *length);
    line->text[*length] = '\0';
    *next = stop < end ? stop + 1 : end;
    return STATUS_OK;
}

static bool begins_with_digit(const char *from, const char *end)
{
    while (from < end && (*from == ' ' || *from == '\t' || *from == '\r')) from++;
    return from < end && *from >= '0' && *from <= '9';
}

/* Reads line by line; on request only up to the first call. */
static enum status read_lines(struct text_reader *reader, const char **from, const char *end, bool definitions_only)
{
    size_t length;
    while (*from < end && !(definitions_only && reader->trace && begins_with_digit(*from, end))) {
        TRY(copy_line(&reader->copy, *from, end, from, &length, reader->err));
        TRY(text_read_line(reader, reader->copy.text, length));
    }
    return STATUS_OK;
}

/* --- a piece by itself --- */

static bool says_more(const struct trace *trace, const struct text_values *values)
{
    bool more = trace->provenance.simulated || values->thread != 0;
    for (int i = 0; i < TRACE_BUFFERS; i++) more = more || values->extents.of[i] != 0;
    for (int b = 0; b < BEFORE_COUNT; b++) more = more || values->before_ps[b] != TRACE_UNKNOWN_PS;
    return more;
}

static enum status keep_call(struct piece *piece, uint32_t rank, const struct text_values *values)
{
    struct err *err = piece->reader.err;
    struct record record = {.call = values->call, .rank = rank, .line = (uint32_t)piece->lines + 1};
    if (call_row(record.call.call)->needed & F_REQS) {
        const struct text_reader *reader = &piece->reader;
        size_t first = piece->list_count, count = reader->list_count;
        TRY(array_reserve((void **)&piece->lists, &piece->list_capacity, first + count + 1, sizeof *piece->lists,
                          reader->err));
        piece->lists[first] = (int64_t)count;
        if (count > 0) memcpy(piece->lists + first + 1, reader->list, count * sizeof *piece->lists);
        piece->list_count += count + 1;
        record.call.ref = (uint32_t)first;
    }
    if (says_more(&piece->shard.trace, values)) {
        ARRAY_PUSH(piece->mores, piece->more_count, piece->more_capacity, *values, err);
        record.more = (uint32_t)piece->more_count;
    }
    ARRAY_PUSH(piece->records, piece->count, piece->capacity, record, err);
    return STATUS_OK;
}

/* *good is false for a line that cannot be read without the lines before the piece, or at all. */
static enum status read_record(struct piece *piece, size_t length, bool *good)
{
    struct text_reader *reader = &piece->reader;
    struct text_values values;
    struct text_words words;
    int64_t rank;
    enum status status = text_split(reader, reader->copy.text, length, &words);
    *good = status == STATUS_OK && words.count == 0;
    if (*good || status != STATUS_OK || !text_is_call(reader, &words)) return STATUS_OK;
    status = text_read_id(reader, "rank", words.word[0], 0, (int64_t)piece->shard.trace.rank_count - 1, &rank);
    if (status == STATUS_OK) status = text_read_call(reader, &words, &values);
    if (status == STATUS_OK) status = keep_call(piece, (uint32_t)rank, &values);
    *good = status == STATUS_OK;
    return status == STATUS_DATA ? STATUS_OK : status;
}

/* --- its records in order --- */

/* values: of a call that says nothing but what the record holds. Names come into the trace as records use them first:
 * as by one thread, which reads nothing of a rank behind its fault. */
static enum status take_record(struct piece *piece, struct text_reader *reader, const struct record *record,
                               struct text_values *values)
{
    if (reader->ended[record->rank]) {
        trace_fault_of(reader->trace, record->rank)->left_out++;
        return STATUS_OK;
    }
    if (record->more > 0) values = &piece->mores[record->more - 1];
    values->call = record->call;
    TRY(builder_translate_call(&piece->shard, reader->trace, &values->call, reader->err));
    if (call_row(record->call.call)->needed & F_REQS) {
        size_t count = (size_t)piece->lists[record->call.completion.list];
        TRY(array_reserve((void **)&reader->list, &reader->list_capacity, count + 1, sizeof *reader->list,
                          reader->err));
        if (count > 0)
            memcpy(reader->list, piece->lists + record->call.completion.list + 1, count * sizeof *reader->list);
        reader->list_count = count;
    }
    enum status status = text_add_call(reader, record->rank, values);
    return status == STATUS_DATA ? text_place_fault(reader, record->rank, record->call.enter_ps) : status;
}

static enum status take_piece(struct piece *piece, struct text_reader *reader)
{
    struct text_values values = text_no_values;
    size_t lines = reader->line;
    if (piece->shard.trace.provenance.simulated != reader->trace->provenance.simulated) {
        /* With --keep-going "property simulated=" may follow calls if all of them were faulty. */
        piece->stop = piece->begin;
        piece->lines = piece->count = 0;
    }
    for (size_t i = 0; i < piece->count; i++) {
        reader->line = lines + piece->records[i].line;
        TRY(take_record(piece, reader, &piece->records[i], &values));
    }
    reader->line = lines + piece->lines;
    return read_lines(reader, &piece->stop, piece->end, false);
}

static enum status take_round(struct round *round, struct text_reader *reader, struct err *err)
{
    reader->err = err;
    for (size_t i = 0; i < round->count; i++) TRY(take_piece(&round->pieces[i], reader));
    round->count = 0;
    return STATUS_OK;
}

/* --- rounds --- */

/* Nothing of it is left to one thread, which might define something. */
static bool is_read(const struct round *round)
{
    for (size_t i = 0; i < round->count; i++)
        if (round->pieces[i].stop < round->pieces[i].end) return false;
    return true;
}

static enum status begin_round(struct reading *reading, struct round *round)
{
    const struct text_cut *cut = reading->cut;
    while (round->count < cut->pieces && reading->next < reading->end) {
        struct piece *piece = &round->pieces[round->count++];
        size_t left = (size_t)(reading->end - reading->next);
        piece->begin = reading->next;
        piece->end =
            left <= cut->piece_bytes ? reading->end : behind_line(reading->next + cut->piece_bytes - 1, reading->end);
        reading->next = piece->end;
        struct text_reader *reader = reading->reader;
        struct text_reader *own = &piece->reader;
        own->trace = &piece->shard.trace;
        own->file = reader->file;
        own->names = reader->names;
        own->comms = reader->comms;
        own->windows = reader->windows;
        own->memos = &piece->memos;
        text_forget(&piece->memos);
        piece->stop = piece->begin;
        piece->lines = piece->count = piece->more_count = piece->list_count = 0;
        TRY(builder_begin(&piece->shard, reader->trace, BUILDER_OWN_GROUPS | BUILDER_OWN_COUNTS | BUILDER_OWN_NAMES,
                          reader->err));
    }
    return STATUS_OK;
}

static enum status read_block(void *context, size_t block, struct err *err)
{
    const struct reading *reading = context;
    if (reading->takes && block == 0) return take_round(reading->before, reading->reader, err);
    struct piece *piece = &reading->now->pieces[block - reading->takes];
    const char *zero = memchr(piece->begin, '\0', (size_t)(piece->end - piece->begin)), *next;
    bool good = true;
    piece->reader.err = err;
    for (; piece->stop < piece->end; piece->stop = next) {
        size_t length;
        TRY(copy_line(&piece->reader.copy, piece->stop, piece->end, &next, &length, err));
        if (zero && next > zero) return STATUS_OK;
        TRY(read_record(piece, length, &good));
        if (!good) return STATUS_OK;
        piece->lines++;
    }
    return STATUS_OK;
}

static enum status read_rounds(struct reading *reading, struct err *err)
{
    do {
        reading->takes = reading->before->count > 0;
        TRY(begin_round(reading, reading->now));
        TRY(parallel_run(reading->now->count + reading->takes, reading->cut->threads, read_block, reading, err));
        struct round *taken = reading->before;
        reading->before = reading->now;
        reading->now = taken;
        if (!is_read(reading->before)) TRY(take_round(reading->before, reading->reader, err));
        reading->reader->err = err;
    } while (reading->before->count > 0 || reading->next < reading->end);
    return STATUS_OK;
}

static void clear_round(struct round *round, size_t pieces)
{
    for (size_t i = 0; round->pieces && i < pieces; i++) {
        struct piece *piece = &round->pieces[i];
        builder_clear(&piece->shard);
        text_reader_clear(&piece->reader);
        FREE_ALL(piece->records, piece->mores, piece->lists);
    }
    free(round->pieces);
}

enum status text_read_pieces(struct text_reader *reader, const char *text, size_t bytes, const struct text_cut *cut)
{
    struct err *err = reader->err;
    struct round rounds[2] = {{calloc(cut->pieces, sizeof *rounds->pieces), 0},
                              {calloc(cut->pieces, sizeof *rounds->pieces), 0}};
    struct reading reading = {reader, cut, text, text + bytes, &rounds[0], &rounds[1], false};
    enum status status = rounds[0].pieces && rounds[1].pieces ? STATUS_OK : err_memory(err);
    if (status == STATUS_OK) status = read_lines(reader, &reading.next, reading.end, true);
    if (status == STATUS_OK) status = read_rounds(&reading, err);
    reader->err = err;
    for (int i = 0; i < 2; i++) clear_round(&rounds[i], cut->pieces);
    return status;
}
