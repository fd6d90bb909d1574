/* rmacast platform: the values of platform files, and the profiles of MPI libraries that they may name. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/schemas.h"
#include "cli/cli.h"
#include "cli/files.h"
#include "cli/output_set.h"
#include "cli/prediction_options.h"
#include "common/array.h"
#include "common/files/output_file.h"
#include "common/json/field_rows.h"
#include "common/json/json_write.h"
#include "common/text/text.h"
#include "common/units.h"
#include "platforms/fit/plot.h"
#include "platforms/fit/values.h"
#include "platforms/nodes.h"
#include "platforms/platform_file.h"
#include "platforms/profile.h"
#include "platforms/simgrid_file.h"
#include "platforms/simgrid_inputs.h"
#include "predictors/crowding.h"
#include "predictors/profile_differences.h"
#include "trace/open.h"

enum { VERB_SHOW, VERB_CHECK, VERB_PROFILES, VERB_PLOT, VERB_DIFF, VERB_EXPORT, VALUE_COLUMNS = 40, OPTION_CSV = 3100 };
static const char *const verbs[] = {"show", "check", "profiles", "plot", "diff", "export", NULL};
/* The number of files of each subcommand, and its options. */
static const struct {
    size_t least, most;
    const char *files;
    bool set, json, csv, output;
} verb_takes[] = {[VERB_SHOW] = {1, 1, "one platform file", .set = true, .json = true, .csv = true},
                  [VERB_CHECK] = {1, SIZE_MAX, "platform files and traces", .set = true},
                  [VERB_PROFILES] = {0, 1, "one name or none", .json = true, .csv = true},
                  [VERB_PLOT] = {1, 1, "one platform file", .output = true},
                  [VERB_DIFF] = {2, 2, "two platform files", .set = true, .json = true, .csv = true},
                  [VERB_EXPORT] = {1, 1, "one platform file", .set = true, .output = true}};

struct options {
    size_t verb;
    bool has_verb;
    struct cli_strings arguments, settings;
    const char *json, *csv, *output;
};

static const struct argp_option rows[] = {
    {"set", OPTION_SET, "KEY=VALUE", 0, "show, check, diff, export: overrides one key of the file; may be repeated", 0},
    {"output", 'o', "FILE", 0, "plot, export: the picture (SVG), or SimGrid's platform file (XML); - is standard output", 0},
    {"json", 'j', "FILE", 0, "show, diff, profiles: write JSON to FILE, - is standard output", 0},
    {"csv", OPTION_CSV, "FILE", 0, "show, diff, profiles: write the rows as comma-separated values, - is standard output", 0},
    {0},
};

static error_t check_arguments(const struct argp_state *state, const struct options *options)
{
    if (!options->has_verb) return cli_usage(state, "nothing to do, expected show, check, profiles, plot, diff or export");
    const size_t verb = options->verb;
    if (options->arguments.count < verb_takes[verb].least || options->arguments.count > verb_takes[verb].most)
        return cli_usage(state, "%s takes %s", verbs[verb], verb_takes[verb].files);
    if (options->settings.count > 0 && !verb_takes[verb].set) return cli_usage(state, "%s takes no --set", verbs[verb]);
    if (options->json && !verb_takes[verb].json) return cli_usage(state, "%s takes no --json", verbs[verb]);
    if (options->csv && !verb_takes[verb].csv) return cli_usage(state, "%s takes no --csv", verbs[verb]);
    if (options->output && !verb_takes[verb].output) return cli_usage(state, "%s takes no --output", verbs[verb]);
    if (!options->output && verb_takes[verb].output)
        return cli_usage(state, "%s: the output is missing, expected -o FILE", verbs[verb]);
    return 0;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'j': options->json = argument; return 0;
    case 'o': options->output = argument; return 0;
    case OPTION_CSV: options->csv = argument; return 0;
    case OPTION_SET: return cli_add_string(state, &options->settings, argument);
    case ARGP_KEY_ARG:
        if (options->has_verb) return cli_add_string(state, &options->arguments, argument);
        options->has_verb = true;
        return cli_choice(state, "platform", argument, verbs, &options->verb);
    case ARGP_KEY_END: return check_arguments(state, options);
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    rows,
    parse_option,
    "show FILE\ncheck FILE... [TRACE...]\nprofiles [NAME]\nplot FILE -o SVG\ndiff FILE FILE\nexport FILE -o XML",
    "show: the values of the platform file as it holds, with the values of its MPI profile and of --set. "
    "check: whether files are platforms, and whether traces can be replayed on each of them: room for the ranks, windows, "
    "what a recording contradicts. "
    "profiles: the MPI libraries whose behaviour is known, or every value of one. plot: "
    "what calibrate measured and the lines through it. diff: what two files say differently. export: a SimGrid "
    "platform.",
    NULL,
    NULL,
    NULL,
};

/* --- show, check --- */

/* The values are what the file has and an empty one has not. */
static enum status write_values(const cJSON *platform, const char *file, struct err *err)
{
    const struct csv_rows lines = {file, "values", "key,value"};
    cJSON *document = cJSON_CreateObject(), *nothing = cJSON_CreateObject(), *values = NULL, *row;
    enum status status = document && nothing ? platform_differences(nothing, platform, &values, err) : err_memory(err);
    cJSON_ArrayForEach (row, values) json_put(row, "value", cJSON_DetachItemFromObject(row, "second"));
    if (status == STATUS_OK) json_put(document, "values", values);
    if (status == STATUS_OK) status = csv_rows_write(&lines, document, err);
    cJSON_Delete(document);
    cJSON_Delete(nothing);
    return status;
}

static enum status show_platform(const struct options *options, struct err *err)
{
    char path[PLATFORM_PATH_BYTES];
    cJSON *json;
    TRY(platform_file_find(options->arguments.items[0], path, err));
    TRY(platform_effective(path, options->settings.items, options->settings.count, &json, err));
    enum status status = options->csv ? write_values(json, options->csv, err) : STATUS_OK;
    if (status == STATUS_OK && options->json) status = cli_write_json(json, options->json, err);
    if (status == STATUS_OK && !options->json && !cli_is_output(options->csv))
        status = platform_print_values(json, false, cli_table(), err);
    cJSON_Delete(json);
    return status == STATUS_OK ? cli_flush(err) : status;
}

static enum status print_line(void *unused, const char *line, struct err *err)
{
    (void)unused, (void)err;
    text_print(stdout, "Note: %s\n", line);
    return STATUS_OK;
}

static enum status check_platform(const struct options *options, const char *name, struct err *err)
{
    char path[PLATFORM_PATH_BYTES];
    struct platform *platform;
    TRY(platform_file_find(name, path, err));
    TRY(platform_open(path, options->settings.items, options->settings.count, &platform, err));
    text_print(stdout, "%s: %s, %d node%s, semantics %s%s%s\n", name, platform->name, platform->node_count,
               units_plural((uint64_t)platform->node_count), platform->semantics.name, platform->profile ? ", MPI " : "",
               platform->profile ? platform->profile : "");
    enum status status = platform->simgrid_xml ? simgrid_inputs_tell(platform->simgrid_xml, print_line, NULL, err) : STATUS_OK;
    platform_free(platform);
    return status;
}

/* Whether the trace can be replayed on the platform. */
static enum status check_trace(const struct options *options, const char *name, const char *file, struct err *err)
{
    struct prediction_options prediction = {.platform = name,
                                            .overrides = (char **)options->settings.items,
                                            .override_count = options->settings.count};
    struct trace *trace;
    struct warnings warnings;
    struct platform *platform;
    TRY(prediction_options_trace(&prediction, file, &trace, &warnings, err));
    enum status status = prediction_options_open(&prediction, NULL, trace, &platform, err);
    if (status == STATUS_OK) {
        text_print(stdout, "%s on %s: room for its %" PRIu32 " rank%s\n", file, name, trace->rank_count,
                   units_plural(trace->rank_count));
        warnings_print_contradictions(&warnings, stdout);
        struct profile_differences differences;
        profile_compare(trace, platform, &differences);
        for (size_t i = 0; i < differences.count; i++) text_print(stdout, "Warning: %s\n", differences.text[i]);
        char parted[CROWDING_TEXT_BYTES];
        if (crowding_parts_window(trace, platform, parted)) text_print(stdout, "Warning: %s\n", parted);
        platform_free(platform);
    }
    warnings_clear(&warnings);
    trace_free(trace);
    return status;
}

static enum status check_file_is_trace(const char *file, bool *is, struct err *err)
{
    enum trace_form form = TRACE_FORM_OTHER;
    if (strcmp(file, "-") != 0) TRY(trace_recognise(file, &form, err));
    *is = form != TRACE_FORM_OTHER;
    return STATUS_OK;
}

static enum status check_files(const struct options *options, struct err *err)
{
    const struct cli_strings *files = &options->arguments;
    size_t platforms = 0;
    cli_table();
    for (size_t i = 0; i < files->count; i++) {
        bool is_trace;
        TRY(check_file_is_trace(files->items[i], &is_trace, err));
        if (is_trace) continue;
        platforms++;
        TRY(check_platform(options, files->items[i], err));
        for (size_t k = 0; k < files->count; k++) {
            TRY(check_file_is_trace(files->items[k], &is_trace, err));
            if (is_trace) TRY(check_trace(options, files->items[i], files->items[k], err));
        }
    }
    if (platforms == 0) return err_set(err, STATUS_USAGE, NULL, NULL, "check: only traces, expected a platform file, too");
    return cli_flush(err);
}

/* --- plot, diff, export --- */

static enum status plot_platform(const struct options *options, struct err *err)
{
    char path[PLATFORM_PATH_BYTES];
    struct json_document document;
    FILE *out;
    TRY(platform_file_find(options->arguments.items[0], path, err));
    if (strcmp(path, "ideal") == 0)
        return err_set(err, STATUS_DATA, path, NULL, "no measured points, expected a file that rmacast calibrate wrote");
    TRY(json_open(path, &document, err));
    enum status status = output_set_open(options->output, &out, err);
    if (status == STATUS_OK) status = output_set_close(options->output, out, platform_plot(document.root, path, out, err), err);
    json_close(&document);
    return status;
}

struct document {
    const char *first, *second;
    cJSON *items;
};

#define S struct document
static const struct field difference_fields[] = {{.key = "key", .kind = FIELD_TEXT},
                                                 {.key = "first", .kind = FIELD_TREE, LEFT_OUT},
                                                 {.key = "second", .kind = FIELD_TREE, LEFT_OUT}, {0}};
const struct field platform_difference_fields[] = {SCHEMA("rmacast.platform-difference/1"), SAME(first), SAME(second),
                                                   FIELD("differences", items, .rows = difference_fields, .array = true), {0}};
const struct field mpi_profiles_fields[] = {SCHEMA("rmacast.mpi-profiles/1"), FIELD("profiles", items, .array = true), {0}};
#undef S

static enum status write_differences(const struct options *options, cJSON *differences, struct err *err)
{
    const struct document document = {options->arguments.items[0], options->arguments.items[1], differences};
    const struct csv_rows lines = {options->csv, "differences", "key,first,second"};
    if (options->json) TRY(cli_write_fields(platform_difference_fields, &document, 0, options->json, err));
    TRY(csv_rows_write_fields(&lines, platform_difference_fields, &document, err));
    if (options->json || cli_is_output(options->csv)) return STATUS_OK;
    TRY(platform_print_differences(differences, cli_table(), err));
    if (cJSON_GetArraySize(differences) == 0) puts("both say the same");
    return cli_flush(err);
}

static enum status diff_platforms(const struct options *options, struct err *err)
{
    cJSON *sides[2] = {NULL, NULL}, *differences = NULL;
    char paths[2][PLATFORM_PATH_BYTES];
    enum status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        status = platform_file_find(options->arguments.items[i], paths[i], err);
        if (status == STATUS_OK)
            status = platform_effective(paths[i], options->settings.items, options->settings.count, &sides[i], err);
    }
    if (status == STATUS_OK) status = nodes_align(sides[0], sides[1], err);
    if (status == STATUS_OK) status = platform_differences(sides[0], sides[1], &differences, err);
    if (status == STATUS_OK) status = write_differences(options, differences, err);
    cJSON_Delete(differences);
    cJSON_Delete(sides[0]);
    cJSON_Delete(sides[1]);
    return status;
}

static enum status export_simgrid(const struct options *options, struct err *err)
{
    char path[PLATFORM_PATH_BYTES];
    struct platform *platform;
    FILE *out;
    TRY(platform_file_find(options->arguments.items[0], path, err));
    TRY(platform_open(path, options->settings.items, options->settings.count, &platform, err));
    enum status status = output_set_open(options->output, &out, err);
    if (status == STATUS_OK) status = output_set_close(options->output, out, platform_write_simgrid(platform, out, err), err);
    platform_free(platform);
    return status;
}

/* --- profiles --- */

static const char *text_of(const cJSON *object, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
    return text ? text : "";
}

static enum status open_profile(const char *name, struct json_document *profile, struct err *err)
{
    char path[PROFILE_PATH_BYTES];
    TRY(profile_find(name, NULL, path, err));
    return profile_open(path, profile, err);
}

static enum status list_profiles(const char *output, cJSON *list, struct err *err)
{
    char names[PROFILE_NAMES_BYTES], *save;
    TRY(profile_list(NULL, names, sizeof names, err));
    for (char *name = strtok_r(names, ", ", &save); name; name = strtok_r(NULL, ", ", &save)) {
        struct json_document profile;
        TRY(open_profile(name, &profile, err));
        if (!cli_is_output(output))
            text_print(stdout, "%-24s %s, %s: %s\n", name, text_of(profile.root, "library"), text_of(profile.root, "transport"),
               text_of(profile.root, "summary"));
        cJSON *copy = cJSON_Duplicate(profile.root, true);
        json_close(&profile);
        if (!copy || !json_append(list, copy)) return err_memory(err);
    }
    return STATUS_OK;
}

/* "mpi.rma.issue = deferred    its comment": the comment of KEY is that of comment_KEY, others follow. */
static enum status explain_values(const cJSON *object, const char *path, struct err *err)
{
    for (const cJSON *item = object->child; item; item = item->next) {
        char below[256], key[256];
        if (json_key_ignored(item->string)) continue;
        snprintf(below, sizeof below, "%.120s.%.120s", path, item->string);
        if (cJSON_IsObject(item) && strcmp(item->string, "semantics") != 0) {
            TRY(explain_values(item, below, err));
            continue;
        }
        char *value = json_print(item, JSON_LINE);
        if (!value) return err_memory(err);
        snprintf(key, sizeof key, "comment_%.200s", item->string);
        const char *comment = text_of(object, key);
        text_print(stdout, "  %-38s %-*s%s%s\n", below, *comment ? VALUE_COLUMNS / 2 : 0, value, *comment ? " " : "",
                   comment);
        free(value);
    }
    for (const cJSON *item = object->child; item; item = item->next) {
        const char *rest = strncmp(item->string, "comment_", 8) == 0 ? item->string + 8 : NULL;
        if (rest && !cJSON_GetObjectItemCaseSensitive(object, rest))
            text_print(stdout, "  %s (%s): %s\n", path, rest, cJSON_IsString(item) ? item->valuestring : "");
    }
    return STATUS_OK;
}

static enum status explain_profile(const char *name, const char *output, cJSON *list, struct err *err)
{
    struct json_document profile;
    TRY(open_profile(name, &profile, err));
    bool table = !cli_is_output(output);
    if (table)
        text_print(stdout, "%s: %s, %s\n%s\n", text_of(profile.root, "name"), text_of(profile.root, "library"),
           text_of(profile.root, "transport"), text_of(profile.root, "summary"));
    if (table && *text_of(profile.root, "comment")) text_print(stdout, "%s\n", text_of(profile.root, "comment"));
    enum status status = STATUS_OK;
    if (table) status = explain_values(cJSON_GetObjectItemCaseSensitive(profile.root, "mpi"), "mpi", err);
    if (status == STATUS_OK && !json_append(list, cJSON_Duplicate(profile.root, true))) status = err_memory(err);
    json_close(&profile);
    return status;
}

static enum status show_profiles(const struct options *options, struct err *err)
{
    cJSON *list = cJSON_CreateArray();
    if (!list) return err_memory(err);
    bool one = options->arguments.count == 1;
    const char *shown = cli_is_output(options->csv) ? options->csv : options->json;
    if (!cli_is_output(shown)) cli_table();
    enum status status = one ? explain_profile(options->arguments.items[0], shown, list, err)
                             : list_profiles(shown, list, err);
    const struct document document = {.items = list};
    const struct csv_rows lines = {options->csv, "profiles", "name,library,transport,summary"};
    if (status == STATUS_OK && options->json) status = cli_write_fields(mpi_profiles_fields, &document, 0, options->json, err);
    if (status == STATUS_OK) status = csv_rows_write_fields(&lines, mpi_profiles_fields, &document, err);
    cJSON_Delete(list);
    return status == STATUS_OK ? cli_flush(err) : status;
}

enum status cmd_platform(int argc, char **argv, struct err *err)
{
    struct options options = {0};
    enum status status = cli_parse(&argp, argc, argv, 0, &options, err);
    if (status == STATUS_OK) {
        static enum status (*const act[])(const struct options *, struct err *) = {
            show_platform, check_files, show_profiles, plot_platform, diff_platforms, export_simgrid};
        const struct cli_output outputs[] = {{CLI_WRITES, "--output", options.output}, {CLI_WRITES, "--json", options.json},
                                             {CLI_WRITES, "--csv", options.csv}};
        status = cli_claim_outputs(outputs, sizeof outputs / sizeof *outputs, err);
        if (status == STATUS_OK) status = act[options.verb](&options, err);
    }
    FREE_ALL(options.arguments.items, options.settings.items);
    return status;
}
