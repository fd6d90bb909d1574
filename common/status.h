/* Status codes and the error record that every fallible function of rmacast fills.
 *
 * A function that can fail returns enum status and takes a struct err * last. The first function that knows the cause
 * writes the record with err_set(); callers hand the status on with TRY(). Outputs are set on success only. */
#ifndef COMMON_STATUS_H
#define COMMON_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum status {
    STATUS_OK = 0,
    STATUS_DATA = 1,   /* the input is at fault, or a stated tolerance does not hold; the program exits 1 */
    STATUS_USAGE = 2,  /* the call or the command line is at fault; the program exits 2 */
    STATUS_SYSTEM = 3, /* memory, files or processes failed; the program exits 1 */
};

enum { ERR_TEXT_BYTES = 1024 };

/* An error about one item of a list of the input (an event of a rank) names list and item, for callers that continue
 * without that item. */
enum { ERR_NOWHERE = -1 };

struct err {
    enum status status;
    int64_t list, item;        /* from 0; ERR_NOWHERE: it is about no single one */
    char text[ERR_TEXT_BYTES]; /* one line "FILE:PLACE: what is wrong, what was expected", without newline */
};

/* Fills err and returns status. file and place may be NULL; they are then left out with their colon. Newlines in the
 * message become spaces, other control characters question marks. err may be NULL. */
enum status err_set(struct err *err, enum status status, const char *file, const char *place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Whether the cause, a value of errno, says that the machine refuses for the moment (a fault of the device, no descriptor, no
 * memory), and nothing about the file. */
bool err_refused(int cause);

/* STATUS_SYSTEM with "out of memory". */
enum status err_memory(struct err *err);

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        enum status try_status_ = (call);                                                                              \
        if (try_status_ != STATUS_OK) return try_status_;                                                              \
    } while (0)

/* Ends a function that makes something: hands it over, or frees what there is of it. The status is returned.
 *   GIVE(status, *log = made, log_free(made)); */
#define GIVE(status, gives, frees)                                                                                     \
    do {                                                                                                               \
        if ((status) == STATUS_OK)                                                                                     \
            gives;                                                                                                     \
        else                                                                                                           \
            frees;                                                                                                     \
        return (status);                                                                                               \
    } while (0)

#endif
