/* State shared by the files of the text reader: lines (read.c), pieces of a file on several threads
 * (pieces.c), names (names.c), definitions (definitions.c), a call's line (calls.c), its values
 * (values.c), those read before (memo.c). Internal to trace/text/. */
#ifndef TRACE_TEXT_READER_H
#define TRACE_TEXT_READER_H

#include "common/map.h"
#include "trace/text/fields.h"

/* Request ids of one rank. A text may use an id again after its completion; the trace's ids are unique. */
struct text_requests {
    struct map live; /* the text's id to the trace's, TEXT_REQUEST_DONE when completed */
    struct map used; /* the trace's ids */
    uint32_t next;   /* no id from here on is in used */
};
#define TEXT_REQUEST_DONE UINT64_MAX

/* Names of calls and keys, by their hashes. */
enum { TEXT_CALL_SLOTS = 4096, TEXT_KEY_SLOTS = 512 };
struct text_names {
    uint16_t calls[TEXT_CALL_SLOTS]; /* enum mpi_call plus 1; 0: none */
    uint8_t keys[TEXT_KEY_SLOTS];    /* index of the field plus 1; 0: none */
    uint64_t packed[TEXT_KEY_SLOTS]; /* the key's last bytes, all of them if it has no more */
};
void text_names_fill(struct text_names *names);

/* False: no such call. "enter" and "leave" are ID_region_enter and ID_region_leave. */
bool text_find_call(const struct text_names *names, const char *name, enum mpi_call *call);

/* Index of the key of "key=value", -1 if there is none; *length: of the key, which ends at '=' or with the word. */
int text_find_key(const struct text_names *names, const char *word, size_t *length);

/* What was read behind the times of a call's line, and that text. Definitions only add to what a text may say, but for
 * properties: a reader forgets all when it meets one. */
enum { TEXT_MEMO = 128, TEXT_MEMO_LEAST = 8, TEXT_MEMO_BYTES = 112 };
struct text_memo {
    uint32_t length; /* 0: nothing is known here */
    char text[TEXT_MEMO_BYTES];
    struct text_values values; /* but for the times */
};
struct text_memory {
    struct text_memo known[TEXT_MEMO];
};

/* Where this text is known or may be kept, NULL: nowhere. Without a hit it is there, but its length, which makes it
 * known, is the caller's to set, with the values. */
struct text_memo *text_memo_slot(struct text_memory *memory, const char *text, size_t length, bool *hit);
void text_forget(struct text_memory *memory);

/* The words of a line; `word` ends with NULL. */
enum { TEXT_WORDS_MAX = 64 };
struct text_words {
    char *word[TEXT_WORDS_MAX + 2];
    size_t count;
    char *rest; /* what is not yet split, up to `end`, where there is a zero byte */
    const char *end;
    struct text_memo *known;  /* of a call: for the text behind its times, NULL: not to be kept */
    bool hit;                 /* it is known, and not split */
    uint32_t known_length;
};

struct text_line { /* a copy, for reading takes it apart */
    char *text;
    size_t capacity;
};

struct text_reader {
    struct trace *trace; /* NULL before the line "ranks" */
    const char *file;
    size_t line;
    bool header;                    /* the first line has been read */
    struct map comms, windows;      /* the text's id to the trace's */
    const struct text_names *names;
    struct text_requests *requests; /* per rank */
    bool keep_going;                /* a fault ends its rank, not the reading */
    size_t *ended;                  /* per rank: the fault that ended it, plus 1 */
    int64_t *list;                  /* the list read last; of a call's line: the requests that it completes */
    size_t list_count, list_capacity;
    int64_t *counts;                /* of the line in hand, as given */
    size_t counts_count, counts_capacity;
    int32_t *members;               /* of a group */
    size_t members_capacity;
    struct text_line copy;          /* of the line in hand */
    struct text_memory *memory;
    struct err *err;
};

#define TEXT_FAIL(reader, ...)                                                                                         \
    do {                                                                                                               \
        char fail_line_[24];                                                                                           \
        snprintf(fail_line_, sizeof fail_line_, "%zu", (reader)->line);                                                \
        return err_set((reader)->err, STATUS_DATA, (reader)->file, fail_line_, __VA_ARGS__);                           \
    } while (0)

/* A whole number from low to high; the whole text must be one. */
bool text_integer(const char *text, int64_t low, int64_t high, int64_t *value);

/* "1,2,3" into reader->list; "" and "-" are the empty list. False on anything else. */
enum status text_list(struct text_reader *reader, const char *key, char *text, int64_t low, int64_t high);

/* A whole number that is one word; text NULL is the error "missing". */
enum status text_read_id(const struct text_reader *reader, const char *what, const char *text, int64_t low,
                         int64_t high, int64_t *value);

/* Lines that define something. words ends with NULL; its strings are changed. */
enum status text_read_comm(struct text_reader *reader, char **words);
enum status text_read_window(struct text_reader *reader, char **words);
enum status text_read_property(struct text_reader *reader, char **words);
enum status text_read_incomplete(struct text_reader *reader, char **words);
enum status text_read_speed(struct text_reader *reader, char **words);
enum status text_read_node(struct text_reader *reader, char **words);
enum status text_read_note(struct text_reader *reader, char **words);

/* Reads "key=value key=value ..." behind the call's name into values; rank, call and times are set. keys ends with
 * NULL; its strings are changed. */
enum status text_read_values(struct text_reader *reader, char *const *keys, struct text_values *values);

/* A call's line in two steps. What can be read without knowing the rank's calls before: from the second word on, into
 * *values; requests have the text's numbers, those of a list are in reader->list. Then the call itself into the
 * trace. */
extern const struct text_values text_no_values;
enum status text_read_call(struct text_reader *reader, const struct text_words *words, struct text_values *values);
enum status text_add_call(struct text_reader *reader, uint32_t rank, struct text_values *values);

/* Says which event of which rank, and when (TRACE_UNKNOWN_PS: not known), the error in hand is about; who keeps going
 * leaves out the rank from there on. */
enum status text_place_fault(struct text_reader *reader, uint32_t rank, int64_t time_ps);

/* Splits a line of this length in place (STATUS_DATA: too many words), of a call's line that is known the first three
 * words only. A zero byte follows the line, and none is in it. */
enum status text_split(const struct text_reader *reader, char *text, size_t length, struct text_words *words);

/* Whether the words, of which there is one at least, are a call's line. */
static inline bool text_is_call(const struct text_reader *reader, const struct text_words *words)
{
    return reader->trace && words->word[0][0] >= '0' && words->word[0][0] <= '9';
}

/* Reads a line, which is changed; a newline may be at its end. */
enum status text_read_line(struct text_reader *reader, char *text, size_t length);

/* The line at `from` without its newline in line->text; *next: where the one behind it begins. */
enum status text_copy_line(struct text_line *line, const char *from, const char *end, const char **next,
                           size_t *length, struct err *err);

/* The whole text on so many threads, in pieces of so many bytes at least. The trace and the first error are those of
 * one that reads line by line. */
struct text_cut {
    unsigned threads;
    size_t piece_bytes, pieces; /* so many pieces at a time */
};
enum status text_read_pieces(struct text_reader *reader, const char *text, size_t bytes, const struct text_cut *cut);

/* The reader's own memory, but not its trace. */
void text_reader_clear(struct text_reader *reader);

#endif
