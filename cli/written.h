/* The --json of commands whose product is a file, schema rmacast.written/1 (docs/results.md): what was written, with counts.
 *
 * Order of calls, when the product is complete: written_begin, written_count, written_end. */
#ifndef CLI_WRITTEN_H
#define CLI_WRITTEN_H

#include <stdint.h>

#include "cli/cli.h"

struct written {
    const char *file; /* borrowed until written_end, as output; NULL: nothing is made */
    const char *output;
    cJSON *json;
    int cause; /* why the output's bytes are not known, a value of errno; 0: they are */
};

/* Begins with the bytes of the file or directory output; of "-" they are left out. file: of --json, as of cli_write_json();
 * NULL: it was not given, and these functions do nothing. */
void written_begin(struct written *written, const char *file, const char *command, const char *output);
void written_count(struct written *written, const char *key, uint64_t count);
/* Frees it in every case. */
enum status written_end(struct written *written, struct err *err);

#endif
