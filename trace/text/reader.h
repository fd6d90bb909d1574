/* State shared by the files of the text reader: lines (read.c), pieces of a file on several threads (pieces.c), names
 * (names.c), definitions (definitions.c), calls (calls.c), their values (values.c), values parsed before (memo.c).
 * Internal to trace/text/. */
#ifndef TRACE_TEXT_READER_H
#define TRACE_TEXT_READER_H

#include "common/map.h"
#include "trace/text/fields.h"

/* Request ids of one rank. A text may reuse an id after its completion; the trace's ids are unique. */
struct text_requests {
    struct map live; /* the text's id to the trace's; TEXT_REQUEST_DONE: completed */
    struct map used; /* the trace's ids */
    uint32_t next;   /* ids from here on are not in used */
};
#define TEXT_REQUEST_DONE UINT64_MAX

/* Names of calls and keys, by their hashes. */
enum { TEXT_CALL_SLOTS = 4096, TEXT_KEY_SLOTS = 512 };
struct text_names {
    uint16_t calls[TEXT_CALL_SLOTS]; /* enum mpi_call plus 1; 0: none */
    uint8_t keys[TEXT_KEY_SLOTS];    /* index of the field plus 1; 0: none */
    uint64_t packed[TEXT_KEY_SLOTS]; /* the key's last bytes */
};
void text_names_fill(struct text_names *names);

/* Finds a call by name; false: no such call. "enter" and "leave" are ID_region_enter and ID_region_leave. */
bool text_find_call(const struct text_names *names, const char *name, enum mpi_call *call);

/* The index of the key of "key=value", -1 for an unknown one. *length is that of the key, which ends at '=' or with the
 * word. */
int text_find_key(const struct text_names *names, const char *word, size_t *length);

/* The text after the times of a call's line, and the values parsed from it. Most definitions only add names, so memos
 * remain valid; a property changes the meaning of texts, so the reader forgets all memos. */
enum { TEXT_MEMOS = 128, TEXT_MEMO_LEAST = 8, TEXT_MEMO_BYTES = 112 };
struct text_memo {
    uint32_t length; /* 0: unused */
    char text[TEXT_MEMO_BYTES];
    struct text_values values; /* without the times */
};
struct text_memos {
    struct text_memo items[TEXT_MEMOS];
};

/* The memo of this text, or one in which it may be stored; NULL: none. Without a hit the memo has the text; the caller
 * sets the values and then the length, which makes it valid. */
struct text_memo *text_memo_slot(struct text_memos *memos, const char *text, size_t length, bool *hit);
void text_forget(struct text_memos *memos);

/* The words of a line; `word` ends with NULL. */
enum { TEXT_WORDS_MAX = 64 };
struct text_words {
    char *word[TEXT_WORDS_MAX + 2];
    size_t count;
    char *rest; /* the part that is not split yet, up to `end`, where there is a zero byte */
    const char *end;
    struct text_memo *memo;   /* for a call: the memo of the text after its times; NULL: not to be stored */
    bool hit;                 /* the memo is valid, so the text is not split */
    uint32_t memo_length;
};

struct text_line { /* a copy, since reading changes it */
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
    bool keep_going;                /* --keep-going: a fault ends its rank, not the reading */
    bool *ended;                    /* per rank: a fault has ended it */
    int64_t *list;                  /* the list read last; for a call's line: the requests that it completes */
    size_t list_count, list_capacity;
    int64_t *counts;                /* of the current line, as given */
    size_t counts_count, counts_capacity;
    int32_t *members;               /* of a group */
    size_t members_capacity;
    struct text_line copy;          /* of the current line */
    struct text_memos *memos;
    struct err *err;
};

#define TEXT_FAIL(reader, ...)                                                                                         \
    do {                                                                                                               \
        char fail_line_[24];                                                                                           \
        snprintf(fail_line_, sizeof fail_line_, "%zu", (reader)->line);                                                \
        return err_set((reader)->err, STATUS_DATA, (reader)->file, fail_line_, __VA_ARGS__);                           \
    } while (0)

/* Reads a whole number from low to high; it must be the whole text. */
bool text_integer(const char *text, int64_t low, int64_t high, int64_t *value);

/* Reads "1,2,3" into reader->list; "" and "-" are the empty list. Returns STATUS_DATA for other texts. */
enum status text_list(struct text_reader *reader, const char *key, char *text, int64_t low, int64_t high);

/* Reads a whole number; text NULL gives the error "missing". */
enum status text_read_id(const struct text_reader *reader, const char *what, const char *text, int64_t low,
                         int64_t high, int64_t *value);

/* Read lines with definitions. words ends with NULL; its strings are changed. */
enum status text_read_comm(struct text_reader *reader, char **words);
enum status text_read_window(struct text_reader *reader, char **words);
enum status text_read_property(struct text_reader *reader, char **words);
enum status text_read_incomplete(struct text_reader *reader, char **words);
enum status text_read_speed(struct text_reader *reader, char **words);
enum status text_read_memory_bound(struct text_reader *reader, char **words);
enum status text_read_node(struct text_reader *reader, char **words);
enum status text_read_note(struct text_reader *reader, char **words);

/* Reads "key=value key=value ..." after the call's name into values, which already has rank, call and times. keys ends
 * with NULL; its strings are changed. */
enum status text_read_values(struct text_reader *reader, char *const *keys, struct text_values *values);

/* A call's line is read in two steps. text_read_call() reads, from the second word on, what does not depend on the
 * rank's earlier calls; requests have the text's numbers, those of a list are in reader->list. text_add_call() then
 * adds the call to the trace. */
extern const struct text_values text_no_values;
enum status text_read_call(struct text_reader *reader, const struct text_words *words, struct text_values *values);
enum status text_add_call(struct text_reader *reader, uint32_t rank, struct text_values *values);

/* Adds rank, event and time (TRACE_UNKNOWN_PS: not known) to the current error. With --keep-going the rank is left out
 * from there on. */
enum status text_place_fault(struct text_reader *reader, uint32_t rank, int64_t time_ps);

/* Splits a line of this length in place; of a call's line with a valid memo only the first three words. Returns
 * STATUS_DATA for too many words. A zero byte follows the line, and the line has none. */
enum status text_split(const struct text_reader *reader, char *text, size_t length, struct text_words *words);

/* Whether the words, at least one, are a call's line. */
static inline bool text_is_call(const struct text_reader *reader, const struct text_words *words)
{
    return reader->trace && words->word[0][0] >= '0' && words->word[0][0] <= '9';
}

/* Reads a line, which is changed; a newline may be at its end. */
enum status text_read_line(struct text_reader *reader, char *text, size_t length);

/* Reads the whole text with several threads, in pieces of at least piece_bytes. The trace and the first error are the
 * same as when reading line by line. */
struct text_cut {
    unsigned threads;
    size_t piece_bytes, pieces; /* so many pieces at a time */
};
enum status text_read_pieces(struct text_reader *reader, const char *text, size_t bytes, const struct text_cut *cut);

/* Frees the reader's own memory, but not its trace. */
void text_reader_clear(struct text_reader *reader);

#endif
