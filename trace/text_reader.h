/* State shared by the parts of the text reader: lines (text_read.c), definitions (text_definitions.c), values of calls
 * (text_values.c). Internal to trace/text_*.c. */
#ifndef TRACE_TEXT_READER_H
#define TRACE_TEXT_READER_H

#include "trace/text_fields.h"

/* Request ids of one rank. A text may use an id again after its completion; the trace's ids are unique. */
struct text_requests {
    struct map live; /* the text's id to the trace's, TEXT_REQUEST_DONE when completed */
    struct map used; /* the trace's ids */
    uint32_t next;   /* no id from here on is in used */
};
#define TEXT_REQUEST_DONE UINT64_MAX

struct text_reader {
    struct trace *trace;
    const char *file;
    size_t line;
    struct map comms, windows;      /* the text's id to the trace's */
    struct map calls;               /* hash of a name to enum mpi_call */
    struct text_requests *requests; /* per rank */
    bool keep_going;                /* a fault ends its rank, not the reading */
    size_t *ended;                  /* per rank: the fault that ended it, plus 1 */
    int64_t *list;                  /* the list read last */
    size_t list_count, list_capacity;
    int64_t *counts;                /* of the line in hand, as given */
    size_t counts_count, counts_capacity;
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
enum status text_read_note(struct text_reader *reader, char **words);

/* Reads "key=value key=value ..." behind the call's name into values->call and ->sim; rank, call and times stand. keys
 * ends with NULL; its strings are changed. */
enum status text_read_values(struct text_reader *reader, uint32_t rank, char **keys, struct text_values *values);

#endif
