/* Status and error text of every rmacast function that can fail.
 *
 * Such a function returns enum rmacast_status and takes a struct rmacast_error * last, which may be NULL. Outputs are set
 * only where the status is RMACAST_OK. No function prints, and none ends the process.
 *
 * RMACAST_USAGE, of every function with a status: a handle that is NULL, of another kind, or freed; a text, or an address for an
 * output, that is NULL where nothing else is said; an empty text; a number out of its range; options->size of another version.
 * Functions without a status return for a handle that is none what their comment says of it: 0, NAN or NULL; those that free or
 * print do nothing. */
#ifndef RMACAST_ERROR_H
#define RMACAST_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum rmacast_status {
    RMACAST_OK = 0,
    RMACAST_DATA = 1,   /* the input is at fault */
    RMACAST_USAGE = 2,  /* an argument is at fault */
    RMACAST_SYSTEM = 3, /* memory, a file or a process failed */
};

enum { RMACAST_ERROR_BYTES = 1024 };

struct rmacast_error {
    enum rmacast_status status;
    char text[RMACAST_ERROR_BYTES]; /* one line "FILE:PLACE: what is wrong, what was expected", no newline */
};

/* The version of the library that is loaded, as "0.1.0". Static memory. */
const char *rmacast_version(void);

#ifdef __cplusplus
}
#endif
#endif
