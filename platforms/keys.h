/* The keys of platform files as rows (platforms/keys.def), for all that treats every key: the reader, --set, profiles, changes
 * that are tried. They say what a value is and where it goes, and nothing about what it costs. */
#ifndef PLATFORMS_KEYS_H
#define PLATFORMS_KEYS_H

#include "platforms/platform.h"

enum key_kind {
    KEY_SECTION, /* an object; of a profile each of its keys counts by itself */
    KEY_WHOLE,   /* an object that belongs together */
    KEY_OTHER,   /* a text, a list, or a form of its own */
    KEY_CHOICE,  /* one of several names */
    KEY_SWITCH,  /* true or false */
    KEY_STEPS,   /* a list of steps; standard is the call (enum steps_call) */
    KEY_COUNT,   /* a whole number */
    KEY_LIMIT,   /* bytes from which on, or up to which, something happens */
    KEY_SIZE,    /* bytes of a message */
    KEY_TIME,    /* seconds that make others slower */
    KEY_PAUSE,   /* seconds from which on something takes longer */
    KEY_COST,    /* seconds per byte */
    KEY_RATE,    /* bytes per second, or "infinite" */
    KEY_SPEED,   /* a factor that makes others faster */
    KEY_SHARE,   /* of a message's time; it makes others slower */
    KEY_SLOWDOWN, /* rows by ranks, whose factors from 1 on make others slower */
};

/* Rows by size: {"upto_bytes", "VALUE"}, and before VALUE perhaps a time. The struct of a row begins with upto_bytes. */
struct key_rows {
    size_t bytes;           /* of the struct */
    int most;               /* rows */
    const char *value;      /* its limits, and its names, are the key's */
    size_t offset;          /* of the value in the struct */
    const char *time;       /* NULL: none */
    size_t time_offset;
};

struct platform_key {
    const char *path; /* "mpi.rma.issue" */
    enum key_kind kind;
    size_t offset;               /* of the member in struct platform */
    double standard;             /* the number, or the index of the name, where the file says nothing; NAN: required, or its
                                    reader knows */
    double least, most;          /* of numbers */
    const char *const *names;    /* of a choice or a switch, NULL-terminated */
    const struct key_rows *rows; /* NULL: one value for all sizes */
};

/* Ends with a row whose path is NULL. */
extern const struct platform_key platform_keys[];

/* The row of this path. NULL: there is none. */
const struct platform_key *platform_key_find(const char *path);
/* The row that says what a value at this path is: "network.segments[1].latency_s" is network.latency_s, and
 * "mpi.call_s.MPI_Put" is mpi.call_s. NULL: it is no value of a platform file. */
const struct platform_key *platform_key_of(const char *path);
/* Whether it is one of several names or lists of steps, or true or false, of the library or an engine: not of the mapping. */
bool platform_key_chooses(const struct platform_key *key);

/* Writes value number index (from 0) of a key that chooses: a name, or a list of steps as JSON. The default of a list is the
 * first one. false: there are no more. */
enum { KEY_VALUE_BYTES = 160 };
bool platform_key_value(const struct platform_key *key, int index, char value[KEY_VALUE_BYTES]);

/* Sets what the members have where no file says anything. */
void platform_keys_default(struct platform *platform);

#endif
