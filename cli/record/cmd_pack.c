/* rmacast pack: spool directories of several nodes as one archive. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "cli/record/packing.h"
#include "cli/terminal/activity.h"
#include "recording/join.h"
#include "recording/run.h"

enum { KEY_JSON = 1000 };

struct options {
    struct cli_strings spools;
    const char *output, *json;
};

static const struct argp_option rows[] = {
    {"output", 'o', "DIR.rma", 0, "directory of the archive", 0},
    {"json", KEY_JSON, "FILE", 0, "write what was written, with counts, as JSON; - is standard output", 0},
    {0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'o': options->output = argument; return 0;
    case KEY_JSON: options->json = argument; return 0;
    case ARGP_KEY_ARG: return cli_add_string(state, &options->spools, argument);
    case ARGP_KEY_END:
        if (!options->output) return cli_usage(state, "-o is missing, expected the directory of the archive");
        return cli_needs_argument(state, options->spools.count ? options->spools.items[0] : NULL, "DIR");
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse_option,
    "DIR...",
    "Packs what the recorder wrote to RMACAST_SPOOL=DIR, as 'rmacast record' does at the end of a run. Several directories, each "
    "with the files of some ranks, become one archive: those of nodes that share no file system (docs/recording.md). The "
    "directories stay as they are.",
    NULL,
    NULL,
    NULL,
};

static enum status pack_all(const struct options *options, struct err *err)
{
    char directory[RECORD_PATH_BYTES];
    struct packing sums = {0};
    struct record_observer observer = packing_observer(&sums);
    struct written written;
    observer.kept = NULL;
    TRY(record_directory(options->output, NULL, directory, err));
    const struct cli_output outputs[] = {{CLI_WRITES_ARCHIVE, "-o", directory}, {CLI_WRITES, "--json", options->json}};
    TRY(cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err));
    enum status status = record_join(options->spools.items, options->spools.count, directory, &observer, err);
    activity_end();
    TRY(status);
    written_begin(&written, options->json, "pack", directory);
    packing_count(&sums, &written);
    return written_end(&written, err);
}

enum status cmd_pack(int argc, char **argv, struct err *err)
{
    struct options options = {0};
    enum status status = cli_parse(&argp, argc, argv, 0, &options, err);
    if (status == STATUS_OK) status = pack_all(&options, err);
    free(options.spools.items);
    return status;
}
