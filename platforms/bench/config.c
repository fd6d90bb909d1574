#include "platforms/bench/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json.h"
#include "common/units.h"

const struct bench_function bench_functions[BENCH_FUNCTION_COUNT] = {
#define BENCH_TEST(NAME, IDENTIFIER, SIZES, RANKS, VALUE, WINDOW, SUMMARY) \
    {NAME, BENCH_##SIZES, RANKS, BENCH_##VALUE, BENCH_##WINDOW, SUMMARY},
#include "platforms/bench/tests.def"
#undef BENCH_TEST
};
const char *const bench_window_names[BENCH_WINDOW_COUNT + 1] = {"allocate", "create", "dynamic", NULL};
const char *const bench_epoch_names[BENCH_EPOCH_COUNT + 1] = {"flush", "flush_local", "lock", "lock_all", "pscw", "fence", NULL};

/* Names refer to lists, which may contain names. The depth is limited, so a cycle ends. */
enum { DEPTH_MOST = 16, VALUES_MOST = 4096, RANKS_MOST = 1 << 24 };

/* Values of one key of a test, references resolved. */
struct values {
    struct json_node *items;
    int count;
};

struct reader {
    struct json_node root;
    struct bench_config *config;
};

bool bench_function_is_signed(enum bench_function_id function)
{
    switch (function) {
    case BENCH_FUNCTION_clock_offset:
    case BENCH_FUNCTION_clock_drift:
    case BENCH_FUNCTION_put_opposed:
    case BENCH_FUNCTION_get_opposed:
    case BENCH_FUNCTION_accumulate_opposed: return true;
    default: return false;
    }
}

static int name_index(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

/* Whether it is a node configuration such as [2, 10], not a list of values. */
static bool is_pair(const struct json_node *node)
{
    return cJSON_GetArraySize(node->item) == 2 && cJSON_IsNumber(node->item->child) && cJSON_IsNumber(node->item->child->next);
}

/* Collects the values of a node. Lists are expanded (except pairs that are values), and names of the section are
 * replaced by their values. */
static enum status collect_values(const struct reader *reader, const struct json_node *node, const char *section, bool pairs,
                                  int depth, struct values *values, struct err *err)
{
    if (depth > DEPTH_MOST) return json_error(node, err, "names refer to names more than %d deep", DEPTH_MOST);
    if (cJSON_IsArray(node->item) && !(pairs && is_pair(node))) {
        if (json_count(node) == 0) return json_error(node, err, "an empty list, expected values");
        struct json_node element = json_element(node, 0);
        for (size_t i = 0; element.item; element = json_next(node, &element, ++i))
            TRY(collect_values(reader, &element, section, pairs, depth + 1, values, err));
        return STATUS_OK;
    }
    struct json_node names = json_member(&reader->root, section);
    if (cJSON_IsString(node->item)) {
        struct json_node named = json_member(&names, node->item->valuestring);
        if (named.item) return collect_values(reader, &named, section, pairs, depth + 1, values, err);
    }
    if (values->count == VALUES_MOST) return json_error(node, err, "more than %d values", VALUES_MOST);
    struct json_node *items = realloc(values->items, sizeof *items * ((size_t)values->count + 1));
    if (!items) return err_memory(err);
    values->items = items;
    values->items[values->count++] = *node;
    return STATUS_OK;
}

static enum status read_demand(const struct json_node *node, struct bench_demand *demand, struct err *err)
{
    if (cJSON_IsString(node->item))
        return json_error(node, err, "no node configuration '%s', expected a name of node_configurations or [NODES, RANKS]",
                          node->item->valuestring);
    if (!is_pair(node)) return json_error(node, err, "wrong type, expected [NODES, RANKS]");
    struct json_node first = json_element(node, 0), second = json_element(node, 1);
    int64_t nodes, ranks;
    char text[BENCH_DEMAND_BYTES];
    TRY(json_integer(&first, 1, RANKS_MOST, &nodes, err));
    TRY(json_integer(&second, 1, RANKS_MOST, &ranks, err));
    if (ranks < nodes)
        return json_error(node, err, "%s, expected one rank per node at least",
                          bench_demand_text((int)nodes, (int)ranks, text));
    *demand = (struct bench_demand){.nodes = (int)nodes, .ranks = (int)ranks};
    return STATUS_OK;
}

static enum status read_size(const struct json_node *node, int64_t *bytes, struct err *err)
{
    if (!cJSON_IsString(node->item)) return json_integer(node, 0, BENCH_BYTES_MOST, bytes, err);
    if (!units_parse_size(node->item->valuestring, bytes) || *bytes > BENCH_BYTES_MOST)
        return json_error(node, err, "no size '%s', expected bytes, as 64K or 1M, or a name of size_configurations",
                          node->item->valuestring);
    return STATUS_OK;
}

static int function_by_name(const char *name)
{
    for (int i = 0; i < BENCH_FUNCTION_COUNT; i++)
        if (strcmp(bench_functions[i].name, name) == 0) return i;
    return -1;
}

/* One option of a function: -w NAME or -s NAME. */
static enum status read_option(const struct json_node *node, const char *option, const char *value, struct bench_job *job,
                               struct err *err)
{
    const struct bench_function *function = &bench_functions[job->function];
    bool window = strcmp(option, "-w") == 0, epoch = strcmp(option, "-s") == 0;
    if (!window && !epoch) return json_error(node, err, "unknown option '%s', expected -w or -s", option);
    if (function->window == BENCH_PLAIN || (epoch && function->window != BENCH_EPOCHS))
        return json_error(node, err, "%s has no option %s", function->name, option);
    int index = value ? name_index(window ? bench_window_names : bench_epoch_names, value) : -1;
    if (index < 0)
        return json_error(node, err, "%s %s, expected %s", option, value ? value : "without a name",
                          window ? "allocate, create or dynamic" : "fence, pscw, lock, lock_all, flush or flush_local");
    if (window) job->window = (enum bench_window)index;
    if (epoch) job->epoch = (enum bench_epoch)index;
    return STATUS_OK;
}

/* "putLatency -w create -s fence" */
static enum status read_function(const struct json_node *node, struct bench_job *job, struct err *err)
{
    const char *text;
    char words[BENCH_SPEC_BYTES], *save = NULL;
    TRY(json_string(node, &text, err));
    if (strlen(text) >= sizeof words) return json_error(node, err, "a test of more than %d bytes", BENCH_SPEC_BYTES - 1);
    strcpy(words, text);
    const char *name = strtok_r(words, " ", &save);
    int function = name ? function_by_name(name) : -1;
    if (function < 0)
        return json_error(node, err,
                          "no test '%s', expected a name of test_collections or one that rmacast-bench --list shows",
                          text);
    job->function = (enum bench_function_id)function;
    strcpy(job->spec, text);
    for (const char *option; (option = strtok_r(NULL, " ", &save)) != NULL;)
        TRY(read_option(node, option, strtok_r(NULL, " ", &save), job, err));
    return STATUS_OK;
}

static enum status read_sizes(const struct values *values, struct bench_job *job, struct err *err)
{
    enum bench_sizes kind = bench_functions[job->function].sizes;
    job->size_count = kind == BENCH_SIZED ? values->count : 1;
    job->sizes = calloc((size_t)job->size_count, sizeof *job->sizes);
    if (!job->sizes) return err_memory(err);
    if (kind == BENCH_WORD) job->sizes[0] = 8;
    for (int i = 0; kind == BENCH_SIZED && i < values->count; i++) TRY(read_size(&values->items[i], &job->sizes[i], err));
    return STATUS_OK;
}

/* One job of a test: its function and its node configuration. */
static enum status add_job(const struct reader *reader, const struct bench_job *common, const struct json_node *function,
                           const struct json_node *conf, const struct values *sizes, struct err *err)
{
    struct bench_config *config = reader->config;
    struct bench_job *jobs = realloc(config->jobs, sizeof *jobs * ((size_t)config->count + 1));
    if (!jobs) return err_memory(err);
    config->jobs = jobs;
    struct bench_job *job = &jobs[config->count++];
    *job = *common;
    TRY(read_demand(conf, &job->demand, err));
    if (job->pairs && (job->demand.nodes != 2 || job->demand.ranks != 2))
        return json_error(conf, err, "a test of pairs, expected 2 nodes with 2 ranks in all");
    TRY(read_function(function, job, err));
    int least = bench_functions[job->function].ranks;
    if (job->demand.ranks < least)
        return json_error(conf, err, "%d rank%s, %s needs %d", job->demand.ranks,
                          units_plural((uint64_t)job->demand.ranks), bench_functions[job->function].name, least);
    return read_sizes(sizes, job, err);
}

static enum status read_limits(const struct json_node *test, struct bench_job *job, struct err *err)
{
    struct json_node repeats = json_member(test, "minRepeats"), duration = json_member(test, "maxDuration"),
                     confidence = json_member(test, "confidence"), pairs = json_member(test, "pairs"),
                     optional = json_member(test, "optional");
    int64_t count = 40;
    job->max_duration_s = 1;
    job->confidence = 0.02;
    if (repeats.item) TRY(json_integer(&repeats, 1, 1000000, &count, err));
    if (duration.item) TRY(json_number(&duration, 0, 86400, &job->max_duration_s, err));
    if (confidence.item) TRY(json_number(&confidence, 0, 1, &job->confidence, err));
    if (pairs.item) TRY(json_boolean(&pairs, &job->pairs, err));
    if (optional.item) TRY(json_boolean(&optional, &job->optional, err));
    job->min_repeats = (int)count;
    return STATUS_OK;
}

/* Finds the key or its synonym; only one of them may be present. */
static enum status member_of_two(const struct json_node *test, const char *key, const char *other, struct json_node *node,
                                 struct err *err)
{
    struct json_node second = json_member(test, other);
    *node = json_member(test, key);
    if (node->item && second.item) return json_error(&second, err, "beside %s, expected one of the two", key);
    if (second.item) *node = second;
    return STATUS_OK;
}

static enum status read_test(const struct reader *reader, const struct json_node *test, struct err *err)
{
    static const char *const keys[] = {"conf",        "sizes",      "sizeconf", "tests",    "minRepeats",
                                       "maxDuration", "confidence", "pairs",    "optional", NULL};
    struct json_node conf = json_member(test, "conf"), functions = json_member(test, "tests"), sizes;
    struct values confs = {0}, names = {0}, bytes = {0};
    struct bench_job common = {0};
    TRY(json_object(test, err));
    TRY(json_known_keys(test, keys, err));
    TRY(member_of_two(test, "sizes", "sizeconf", &sizes, err));
    if (!conf.item) return json_error(&conf, err, "missing, expected a node configuration");
    if (!sizes.item) return json_error(&sizes, err, "missing, expected sizes");
    if (!functions.item) return json_error(&functions, err, "missing, expected test functions");
    if (strlen(test->item->string) >= sizeof common.test || strpbrk(test->item->string, ",\"\n\r"))
        return json_error(test, err, "a name of up to %d bytes without comma, quote or newline is expected",
                          BENCH_NAME_BYTES - 1);
    strcpy(common.test, test->item->string);
    TRY(read_limits(test, &common, err));
    enum status status = collect_values(reader, &conf, "node_configurations", true, 0, &confs, err);
    if (status == STATUS_OK) status = collect_values(reader, &sizes, "size_configurations", false, 0, &bytes, err);
    if (status == STATUS_OK) status = collect_values(reader, &functions, "test_collections", false, 0, &names, err);
    for (int i = 0; i < names.count && status == STATUS_OK; i++)
        for (int k = 0; k < confs.count && status == STATUS_OK; k++)
            status = add_job(reader, &common, &names.items[i], &confs.items[k], &bytes, err);
    FREE_ALL(confs.items, names.items, bytes.items);
    return status;
}

static enum status read_config(const struct json_document *document, struct bench_config *config, struct err *err)
{
    static const char *const keys[] = {"node_configurations", "size_configurations", "test_collections", "tests", NULL};
    struct reader reader = {json_root(document), config};
    TRY(json_object(&reader.root, err));
    TRY(json_known_keys(&reader.root, keys, err));
    for (int i = 0; keys[i]; i++) {
        struct json_node section = json_member(&reader.root, keys[i]);
        if (section.item || strcmp(keys[i], "tests") == 0) TRY(json_object(&section, err));
    }
    struct json_node tests = json_member(&reader.root, "tests");
    for (cJSON *item = tests.item->child; item; item = item->next) {
        if (json_key_ignored(item->string)) continue;
        struct json_node test = json_member(&tests, item->string);
        if (test.item != item) return json_error(&test, err, "a second test of this name");
        TRY(read_test(&reader, &test, err));
    }
    return config->count ? STATUS_OK : json_error(&tests, err, "no tests, expected at least one");
}

static enum status take_document(struct json_document *document, struct bench_config *config, struct err *err)
{
    struct bench_config made = {0};
    enum status status = read_config(document, &made, err);
    json_close(document);
    GIVE(status, *config = made, bench_config_clear(&made));
}

enum status bench_config_parse(const char *text, const char *file, struct bench_config *config, struct err *err)
{
    struct json_document document;
    TRY(json_parse(text, file, &document, err));
    return take_document(&document, config, err);
}

enum status bench_config_open(const char *file, struct bench_config *config, struct err *err)
{
    struct json_document document;
    if (file) {
        TRY(json_open(file, &document, err));
        return take_document(&document, config, err);
    }
    TRY(bench_config_parse(bench_config_default, "(default)", config, err));
    for (int i = 0; i < config->count; i++) config->jobs[i].optional = true;
    return STATUS_OK;
}

static enum status copy_job(const struct bench_job *job, struct bench_job *copy, struct err *err)
{
    *copy = *job;
    copy->sizes = malloc(sizeof *copy->sizes * (size_t)job->size_count);
    if (!copy->sizes) return err_memory(err);
    memcpy(copy->sizes, job->sizes, sizeof *copy->sizes * (size_t)job->size_count);
    return STATUS_OK;
}

/* The i-th of a ring's pairs: neighbours, there and back. Two nodes have one pair. */
static struct bench_demand pair_of(int i, int node_count)
{
    int node = i / 2, next = (node + 1) % node_count;
    return i % 2 == 0 ? (struct bench_demand){2, 2, true, {node, next}} : (struct bench_demand){2, 2, true, {next, node}};
}

enum status bench_config_place_pairs(struct bench_config *config, int node_count, struct err *err)
{
    struct bench_config made = {0};
    int pairs = node_count < 2 ? 0 : node_count == 2 ? 2 : 2 * node_count;
    enum status status = STATUS_OK;
    made.jobs = calloc((size_t)config->count * (size_t)(pairs + 1) + 1, sizeof *made.jobs);
    if (!made.jobs) return err_memory(err);
    for (int i = 0; i < config->count; i++) {
        const struct bench_job *job = &config->jobs[i];
        const bool places = job->pairs && pairs > 0;
        for (int k = 0; k < (places ? pairs : 1) && status == STATUS_OK; k++) {
            status = copy_job(job, &made.jobs[made.count], err);
            if (places) made.jobs[made.count].demand = pair_of(k, node_count);
            made.count++;
        }
    }
    bench_config_clear(status == STATUS_OK ? config : &made);
    if (status == STATUS_OK) *config = made;
    return status;
}

void bench_config_share(struct bench_config *config, int rounds)
{
    for (int i = 0; i < config->count; i++) {
        struct bench_job *job = &config->jobs[i];
        int part = (job->min_repeats + rounds - 1) / rounds;
        if (part < BENCH_SHARE_LEAST) part = BENCH_SHARE_LEAST;
        if (part < job->min_repeats) job->min_repeats = part;
        job->max_duration_s /= rounds;
    }
}

void bench_config_clear(struct bench_config *config)
{
    for (int i = 0; i < config->count; i++) free(config->jobs[i].sizes);
    free(config->jobs);
    *config = (struct bench_config){0};
}
