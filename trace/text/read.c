/* The text form's lines. */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "common/array.h"
#include "common/files/input_file.h"
#include "common/units.h"
#include "trace/faults.h"
#include "trace/limits.h"
#include "common/parallel.h"
#include "trace/text/text.h"
#include "trace/text/reader.h"

enum { TIMES_END = 3 /* words: rank, enter, exit */ };

/* --- one line --- */

static enum status read_ranks(struct text_reader *reader, char **words)
{
    int64_t count;
    uint64_t *slot;
    if (reader->trace) TEXT_FAIL(reader, "a second line \"ranks\", expected one");
    TRY(text_read_id(reader, "ranks", words[1], 1, TRACE_RANKS_MAX, &count));
    TRY(trace_new(reader->file, (uint32_t)count, &reader->trace, reader->err));
    reader->requests = calloc((size_t)count, sizeof *reader->requests);
    reader->ended = calloc((size_t)count, sizeof *reader->ended);
    if (!reader->requests || !reader->ended) return err_memory(reader->err);
    return map_put(&reader->comms, 0, 0, &slot, reader->err);
}

/* The time that a call's line says, for an error about it. */
static int64_t time_of(const char *text)
{
    const char *end;
    int64_t time_ps;
    return text && units_parse_ps(text, &end, &time_ps) && *end == '\0' ? time_ps : TRACE_UNKNOWN_PS;
}

static enum status read_call(struct text_reader *reader, const struct text_words *words)
{
    struct text_values values;
    int64_t rank;
    TRY(text_read_id(reader, "rank", words->word[0], 0, (int64_t)reader->trace->rank_count - 1, &rank));
    if (reader->ended[rank]) {
        trace_fault_of(reader->trace, (uint32_t)rank)->left_out++;
        return STATUS_OK;
    }
    enum status status = text_read_call(reader, words, &values);
    if (status == STATUS_OK) status = text_add_call(reader, (uint32_t)rank, &values);
    return status == STATUS_DATA ? text_place_fault(reader, (uint32_t)rank, time_of(words->word[1])) : status;
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

static enum status read_words(struct text_reader *reader, struct text_words *all)
{
    char **words = all->word;
    static const struct {
        const char *name;
        enum status (*read)(struct text_reader *reader, char **words);
    } lines[] = {{"comm", text_read_comm},         {"window", text_read_window},
                 {"property", text_read_property}, {"incomplete", text_read_incomplete},
                 {"speed", text_read_speed},       {"memory_bound", text_read_memory_bound},
                 {"note", text_read_note},         {"node", text_read_node}};
    if (text_is_call(reader, all)) return read_call(reader, all);
    text_forget(reader->memos);
    if (strcmp(words[0], "rmacast-trace") == 0) TEXT_FAIL(reader, "a second line \"rmacast-trace\", expected one");
    if (strcmp(words[0], "ranks") == 0) return read_ranks(reader, words);
    if (!reader->trace) TEXT_FAIL(reader, "'%s', expected \"ranks N\" as the second line", words[0]);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strcmp(words[0], lines[i].name) == 0) return lines[i].read(reader, words);
    TEXT_FAIL(reader, "'%s', expected a rank number, comm, window, node, property, speed, memory_bound, incomplete "
                      "or note", words[0]);
}

/* --- words --- */

static char *trim_spaces(char *text)
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

/* The first byte from c on that is below '!', as all that ends a word is, at `end` at the latest. Of eight bytes
 * together the first one below '!' is the lowest that borrows in the subtraction; those from 0x80 on never count. */
static char *pass_letters(char *c, const char *end)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    for (uint64_t eight; end - c >= (ptrdiff_t)sizeof eight; c += sizeof eight) {
        memcpy(&eight, c, sizeof eight);
        eight = le64toh(eight);
        uint64_t below = (eight - each * '!') & ~eight & each * 0x80;
        if (below != 0) return c + __builtin_ctzll(below) / 8;
    }
    while (c < end && (unsigned char)*c >= '!') c++;
    return c;
}

/* The next word of *rest, which moves behind it; NULL: there is none. There is a zero byte at end. */
static char *next_word(char **rest, const char *end)
{
    char *word = *rest;
    while (is_blank(*word)) word++;
    char *stop = pass_letters(word, end);
    while (stop < end && !is_blank(*stop)) stop = pass_letters(stop + 1, end);
    *rest = stop < end ? stop + 1 : stop;
    *stop = '\0';
    return *word != '\0' ? word : NULL;
}

/* The next words, but no more than `most` in all; a word that starts with # ends the line. */
static void split_on(struct text_words *words, size_t most)
{
    size_t count = words->count;
    char *rest = words->rest, *word = NULL;
    while (count < most && (word = next_word(&rest, words->end)) != NULL && *word != '#') words->word[count++] = word;
    if (word && *word == '#') rest += words->end - rest;
    words->word[count] = NULL;
    words->count = count;
    words->rest = rest;
}

/* Behind a call's two times. */
static void look_up(const struct text_reader *reader, struct text_words *words)
{
    size_t length = (size_t)(words->end - words->rest);
    char time = words->word[TIMES_END - 1][0];
    if (!((time >= '0' && time <= '9') || time == '-' || time == '.')) return;
    words->memo = text_memo_slot(reader->memos, words->rest, length, &words->hit);
    words->memo_length = (uint32_t)length;
}

enum status text_split(const struct text_reader *reader, char *text, size_t length, struct text_words *words)
{
    words->count = 0;
    words->rest = text;
    words->end = text + length;
    words->memo = NULL;
    words->hit = false;
    split_on(words, 1);
    if (words->count == 0) return STATUS_OK;
    /* The number of words behind which a line is free text, as one word; SIZE_MAX: it is none. */
    size_t before_text = strcmp(words->word[0], "note") == 0         ? 1
                         : strcmp(words->word[0], "incomplete") == 0 ? 2
                                                                     : SIZE_MAX;
    if (before_text <= TEXT_WORDS_MAX) {
        split_on(words, before_text);
        if (words->count < before_text) return STATUS_OK;
        words->word[words->count++] = trim_spaces(words->rest);
        words->word[words->count] = NULL;
        return STATUS_OK;
    }
    if (text_is_call(reader, words)) {
        split_on(words, TIMES_END);
        if (words->count == TIMES_END) look_up(reader, words);
        if (words->hit) return STATUS_OK;
    }
    split_on(words, TEXT_WORDS_MAX + 1);
    if (words->count <= TEXT_WORDS_MAX) return STATUS_OK;
    TEXT_FAIL(reader, "more than %d words, expected RANK ENTER EXIT NAME key=value ...", TEXT_WORDS_MAX);
}

static enum status read_words_of(struct text_reader *reader, char *text, size_t length)
{
    struct text_words words;
    if (strlen(text) != length) TEXT_FAIL(reader, "a zero byte, expected text");
    TRY(text_split(reader, text, length, &words));
    if (words.count == 0) return STATUS_OK;
    TRY(reader->header ? read_words(reader, &words) : read_header(reader, words.word));
    reader->header = true;
    return STATUS_OK;
}

enum status text_read_line(struct text_reader *reader, char *text, size_t length)
{
    reader->line++;
    enum status status = read_words_of(reader, text, length);
    if (status != STATUS_DATA) return status;
    /* A line that is no event of a rank, or not even words. */
    char *end;
    unsigned long rank = strtoul(text, &end, 10);
    if (!reader->keep_going || !reader->trace) return STATUS_DATA;
    if (end == text || rank >= reader->trace->rank_count)
        return trace_add_fault(reader->trace, TRACE_FAULT_NO_RANK, 0, TRACE_UNKNOWN_PS, TRACE_FAULT_UNCOUNTED,
                               reader->err->text, reader->err);
    return reader->ended[rank] ? STATUS_OK : text_place_fault(reader, (uint32_t)rank, TRACE_UNKNOWN_PS);
}

/* --- files --- */

static enum status read_lines(struct text_reader *reader, struct input_file *in)
{
    for (char *line; (line = input_file_line(in)) != NULL;) TRY(text_read_line(reader, line, in->length));
    return STATUS_OK;
}

/* How to divide a file of so many bytes. threads 0: chosen by the size. A requested number of threads gets small
 * pieces, so that tests cover many boundaries. */
static struct text_cut cut_of(size_t bytes, unsigned threads)
{
    enum { THREAD_BYTES = 1 << 19, PIECE_BYTES = 1 << 17, PIECES = 12, FEW_BYTES = 100, FEW_PIECES = 3 };
    if (threads > 0) return (struct text_cut){threads, FEW_BYTES, FEW_PIECES * (size_t)threads};
    threads = parallel_threads(bytes, THREAD_BYTES);
    return (struct text_cut){threads, PIECE_BYTES, PIECES * (size_t)threads};
}

/* A pipe can only be read line by line; what cannot be mapped is, too. */
static enum status read_open_file(struct text_reader *reader, struct input_file *in, unsigned threads)
{
    struct stat about;
    int descriptor = fileno(in->file);
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0 || ftello(in->file) != 0)
        return read_lines(reader, in);
    size_t bytes = (size_t)about.st_size;
    const struct text_cut cut = cut_of(bytes, threads);
    if (cut.threads == 1) return read_lines(reader, in);
    void *text = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (text == MAP_FAILED) return read_lines(reader, in);
    enum status status = text_read_pieces(reader, text, bytes, &cut);
    munmap(text, bytes);
    return status;
}

static enum status read_all(struct text_reader *reader, struct input_file *in, unsigned threads)
{
    TRY(read_open_file(reader, in, threads));
    if (reader->line == 0) reader->line = 1;
    if (!reader->trace)
        TEXT_FAIL(reader, "the file ends, expected \"%s\"", reader->header ? "ranks N" : "rmacast-trace 1");
    return trace_sort_threads(reader->trace, reader->err);
}

void text_reader_clear(struct text_reader *reader)
{
    FREE_ALL(reader->list, reader->counts, reader->members, reader->copy.text);
}

enum status text_read_by(unsigned threads, const char *file, bool keep_going, struct trace **trace, struct err *err)
{
    struct err own; /* messages are taken apart */
    struct text_names names;
    struct text_memos memos;
    struct text_reader reader = {
        .file = file, .names = &names, .memos = &memos, .keep_going = keep_going, .err = err ? err : &own};
    struct input_file in;
    TRY(input_file_open(file, &in, err));
    text_names_fill(&names);
    text_forget(&memos);
    enum status status = input_file_close(&in, read_all(&reader, &in, threads), err);
    for (uint32_t i = 0; reader.requests && i < reader.trace->rank_count; i++) {
        map_clear(&reader.requests[i].live);
        map_clear(&reader.requests[i].used);
    }
    FREE_ALL(reader.requests, reader.ended);
    map_clear(&reader.comms);
    map_clear(&reader.windows);
    text_reader_clear(&reader);
    if (status != STATUS_OK) {
        trace_free(reader.trace);
        return status;
    }
    *trace = reader.trace;
    return STATUS_OK;
}
