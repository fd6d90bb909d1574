/* The public library (include/rmacast): sequences of calls with odd arguments on files with faults. The first part
 * (parts.h) has a call a line, the other parts are the files. Traces, platforms and results are in slots 0 to 3; a call
 * on an empty one is left out, and "-" is NULL. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <rmacast/rmacast.h>

#include "tests/fuzz/command.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "tests/fuzz/oracle.h"
#include "tests/fuzz/parts.h"

enum {
    SLOTS = 4,
    WORDS_MAX = 16,
    LINE_BYTES = 512,
    PATH_BYTES = 640,
    CALLS_MOST = 200,
    RANKS_MOST = 4096,
    RANKS_ASKED = 64
};

struct library {
    char place[64];
    void *handles[3][SLOTS];    /* open ones: traces, platforms, results */
    void *freed;                /* one that is open no longer */
    char *words[WORDS_MAX + 1]; /* of the current line; the ones behind its last are "" */
    size_t count;
};

/* --- arguments --- */

enum kind { TRACE, PLATFORM, RESULT, KINDS };

static size_t slot_of(const char *word)
{
    return *word >= '0' && *word < '0' + SLOTS ? (size_t)(*word - '0') : 0;
}

/* A word "2" is what slot 2 has of this kind, "p2", "r2" and "t2" have a kind of their own, "f" was freed, others are
 * NULL. */
static void *handle_of(const struct library *library, size_t word, enum kind kind)
{
    const char *text = library->words[word];
    for (int i = 0; i < KINDS; i++)
        if (*text == "tpr"[i]) return library->handles[i][slot_of(text + 1)];
    if (*text == 'f') return library->freed;
    return *text >= '0' && *text < '0' + SLOTS ? library->handles[kind][slot_of(text)] : NULL;
}

static bool is_open(const struct library *library, enum kind kind, const void *handle)
{
    for (size_t i = 0; i < SLOTS; i++)
        if (handle && library->handles[kind][i] == handle) return true;
    return false;
}

/* The handle of a slot gives way to another one, or to none. */
static void put_handle(struct library *library, size_t word, enum kind kind, void *handle)
{
    void **slot = &library->handles[kind][slot_of(library->words[word])];
    if (*slot) library->freed = *slot;
    if (kind == TRACE) rmacast_trace_free(*slot);
    if (kind == PLATFORM) rmacast_platform_free(*slot);
    if (kind == RESULT) rmacast_result_free(*slot);
    *slot = handle;
}

static bool has_word(const struct library *library, const char *word)
{
    for (size_t i = 1; i < library->count; i++)
        if (strcmp(library->words[i], word) == 0) return true;
    return false;
}

/* A file of the directory, names lead nowhere else; NULL or "" for a name that is none. */
static const char *path_of(const struct library *library, size_t word, char path[PATH_BYTES])
{
    const char *name = library->words[word];
    if (!*name || strcmp(name, "-") == 0) return NULL;
    if (strcmp(name, "empty") == 0) return "";
    if (strcmp(name, "ideal") == 0 || strcmp(name, "two-nodes") == 0) return name;
    snprintf(path, PATH_BYTES, "%s/%s", library->place, strstr(name, "..") ? "none" : name);
    return path;
}

/* What "KEY=VALUE" among the words says; "": none does. */
static const char *value_of(const struct library *library, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 1; i < library->count; i++)
        if (strncmp(library->words[i], key, length) == 0 && library->words[i][length] == '=')
            return library->words[i] + length + 1;
    return "";
}

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

/* --- what each call keeps --- */

static bool check_status(const char *what, enum rmacast_status status, const struct rmacast_error *error, bool set)
{
    const struct err err = {.status = (enum status)status};
    struct err copy = err;
    if (status != RMACAST_OK && error->status != status)
        fuzz_finding("%s: status %d, in its error %d", what, (int)status, (int)error->status);
    if (status != RMACAST_OK && set) fuzz_finding("%s sets its output and fails: %s", what, error->text);
    if (status == RMACAST_OK && !set) fuzz_finding("%s sets no output", what);
    snprintf(copy.text, sizeof copy.text, "%s", status == RMACAST_OK ? "" : error->text);
    if (status == RMACAST_USAGE) { /* which argument it is about */
        if (!copy.text[0] || strchr(copy.text, '\n')) fuzz_finding("%s: usage without one line: %s", what, copy.text);
        return false;
    }
    fuzz_check_error(what, (enum status)status, &copy);
    return status == RMACAST_OK;
}

static char *json_of(const struct rmacast_result *result)
{
    struct rmacast_error error;
    char *json = NULL;
    enum rmacast_status status = rmacast_result_to_json(result, &json, &error);
    if (!check_status("to_json", status, &error, json != NULL))
        fuzz_finding("a result that has no JSON: %s", error.text);
    return json;
}

/* summed: severities are sums over the ranks, as in all results that are made here. */
static void check_result(const struct library *library, const struct rmacast_result *result, bool summed)
{
    char path[PATH_BYTES];
    struct rmacast_error error;
    struct rmacast_result *again = NULL;
    uint32_t ranks = rmacast_result_rank_count(result);
    double run_s = rmacast_result_run_time_s(result);
    if (!isfinite(run_s) || run_s < 0) fuzz_finding("a run time of %g s", run_s);
    for (uint32_t rank = 0; rank < ranks && rank < RANKS_ASKED; rank++)
        if (!(rmacast_result_rank_time_s(result, rank) >= 0))
            fuzz_finding("rank %u takes %g s", rank, rmacast_result_rank_time_s(result, rank));
    if (!isnan(rmacast_result_rank_time_s(result, ranks))) fuzz_finding("rank %u of %u has a time", ranks, ranks);
    for (size_t i = 0; i < rmacast_wait_state_count(); i++) {
        const char *name = rmacast_wait_state_name(i);
        double all_s = rmacast_result_severity_s(result, name), sum_s = 0;
        for (uint32_t rank = 0; rank < ranks; rank++) sum_s += rmacast_result_rank_severity_s(result, name, rank);
        if (!isfinite(all_s) || all_s < 0 || (summed && fabs(all_s - sum_s) > 1e-9 * fabs(all_s) + 1e-11))
            fuzz_finding("%s of all ranks is %.12g s, of each together %.12g s", name, all_s, sum_s);
    }
    if (!fuzz_once_in(3)) return;
    char *json = json_of(result);
    command_write(library->place, "again.json", json, strlen(json));
    snprintf(path, sizeof path, "%s/again.json", library->place);
    if (rmacast_result_open(path, &again, &error) != RMACAST_OK)
        fuzz_finding("a result of ours does not read back: %s", error.text);
    char *second = json_of(again);
    cJSON *one = cJSON_Parse(json), *two = cJSON_Parse(second); /* a character may be written in two ways */
    if (strcmp(json, second) != 0 && !cJSON_Compare(one, two, true))
        fuzz_finding("a result differs when it is read back: %s became %s", json, second);
    cJSON_Delete(one);
    cJSON_Delete(two);
    rmacast_result_print(result, oracle_nowhere());
    rmacast_result_free(again);
    free(json);
    free(second);
}

static void check_trace(const struct rmacast_trace *trace)
{
    uint32_t ranks = rmacast_trace_rank_count(trace);
    double run_s = rmacast_trace_run_time_s(trace);
    if (ranks == 0 || !isfinite(run_s) || run_s < 0) fuzz_finding("a trace of %u ranks, %g s", ranks, run_s);
    if (rmacast_trace_call_count(trace, ranks) != 0) fuzz_finding("rank %u of %u has calls", ranks, ranks);
    for (uint32_t rank = 0; rank < ranks && rank < RANKS_ASKED; rank++)
        for (size_t i = 0; i < rmacast_trace_call_count(trace, rank) && i < CALLS_MOST; i++) {
            struct rmacast_call call = {.name = NULL};
            struct rmacast_error error;
            enum rmacast_status status = rmacast_trace_call(trace, rank, i, &call, &error);
            if (!check_status("call", status, &error, call.name != NULL))
                fuzz_finding("no call %zu of rank %u", i, rank);
            if (!(call.exit_s >= call.enter_s) || !isfinite(call.exit_s - call.enter_s))
                fuzz_finding("%s from %g to %g s", call.name, call.enter_s, call.exit_s);
        }
}

/* --- calls --- */

/* What is no open handle, and no place for an output, is refused. True: it was. */
static bool check_misuse(const char *what, enum rmacast_status status, const struct rmacast_error *error, bool misused)
{
    if (misused && status != RMACAST_USAGE)
        fuzz_finding("%s: a misuse gives status %d: %s", what, (int)status, error->text);
    return misused;
}

/* open TRACE FILE */
static void run_open(struct library *library)
{
    char path[PATH_BYTES];
    struct rmacast_trace *trace = NULL;
    struct rmacast_error error;
    const char *file = path_of(library, 2, path);
    const bool nowhere = has_word(library, "nowhere");
    enum rmacast_status status = rmacast_trace_open(file, nowhere ? NULL : &trace, &error);
    bool good = check_status("open", status, &error, trace != NULL);
    if (check_misuse("open", status, &error, nowhere || !file || !*file) || !good) return;
    check_trace(trace);
    if (rmacast_trace_rank_count(trace) > RANKS_MOST)
        rmacast_trace_free(trace);
    else
        put_handle(library, 1, TRACE, trace);
}

/* save TRACE FILE */
static void run_save(struct library *library)
{
    char path[PATH_BYTES];
    struct rmacast_trace *trace = handle_of(library, 1, TRACE), *again = NULL;
    struct rmacast_error error;
    const char *file = path_of(library, 2, path);
    const bool misused = !is_open(library, TRACE, trace) || !file || !*file;
    if (!misused && !strstr(file, ".txt") && !fuzz_once_in(16)) return; /* an archive takes its time */
    enum rmacast_status status = rmacast_trace_save(trace, file, &error);
    if (check_misuse("save", status, &error, misused) || status == RMACAST_SYSTEM) return; /* a directory is missing */
    if (!check_status("save", status, &error, status == RMACAST_OK)) return;
    status = rmacast_trace_open(path, &again, &error);
    if (!check_status("open", status, &error, again != NULL)) fuzz_finding("what is saved is no trace: %s", error.text);
    oracle_same("saved", (const struct trace *)trace, (const struct trace *)again);
    rmacast_trace_free(again);
}

/* call TRACE RANK INDEX */
static void run_call(struct library *library)
{
    const struct rmacast_trace *trace = handle_of(library, 1, TRACE);
    const bool nowhere = has_word(library, "nowhere");
    struct rmacast_call call = {.name = NULL};
    struct rmacast_error error;
    enum rmacast_status status =
        rmacast_trace_call(trace, (uint32_t)strtoull(library->words[2], NULL, 10),
                           (size_t)strtoull(library->words[3], NULL, 10), nowhere ? NULL : &call, &error);
    check_status("call", status, &error, call.name != NULL);
    check_misuse("call", status, &error, nowhere || !is_open(library, TRACE, trace));
    if (!is_open(library, TRACE, trace) && (rmacast_trace_rank_count(trace) != 0 || rmacast_trace_is_complete(trace)))
        fuzz_finding("what is no trace has ranks");
}

/* platform PLATFORM FILE [SETTING...] */
static void run_platform(struct library *library)
{
    char path[PATH_BYTES];
    struct rmacast_platform *platform = NULL;
    struct rmacast_error error;
    const char *file = path_of(library, 2, path);
    const bool nowhere = has_word(library, "nowhere");
    size_t count = library->count > 3 ? library->count - 3 : 0;
    enum rmacast_status status = rmacast_platform_open(file, count > 0 ? (const char *const *)library->words + 3 : NULL,
                                                       count, nowhere ? NULL : &platform, &error);
    bool good = check_status("platform", status, &error, platform != NULL);
    if (check_misuse("platform", status, &error, nowhere || !file || !*file) || !good) return;
    if (!rmacast_platform_name(platform) || rmacast_platform_node_count(platform) < 1)
        fuzz_finding("a platform without name or nodes");
    put_handle(library, 1, PLATFORM, platform);
}

/* ranks PLATFORM COUNT */
static void run_ranks(struct library *library)
{
    const struct rmacast_platform *platform = handle_of(library, 1, PLATFORM);
    struct rmacast_error error;
    const uint32_t ranks = (uint32_t)strtoull(library->words[2], NULL, 10);
    enum rmacast_status status = rmacast_platform_check_ranks(platform, ranks, &error);
    check_status("ranks", status, &error, status == RMACAST_OK);
    check_misuse("ranks", status, &error, !is_open(library, PLATFORM, platform));
    if (!is_open(library, PLATFORM, platform) &&
        (rmacast_platform_name(platform) || rmacast_platform_node_count(platform) != 0))
        fuzz_finding("what is no platform has a name or nodes");
}

static size_t size_option(const struct library *library, size_t size)
{
    const char *text = value_of(library, "size");
    return *text ? (size_t)strtoull(text, NULL, 10) : size;
}

/* analyze TRACE RESULT [epsilon=S] [earliest=N] [eager=BYTES] [intervals=N] [size=N] */
static void run_analyze(struct library *library)
{
    const struct rmacast_analyze_options options = {.size = size_option(library, sizeof options),
                                                    .epsilon_s = strtod(value_of(library, "epsilon"), NULL),
                                                    .earliest_post = atoi(value_of(library, "earliest")),
                                                    .eager_bytes = strtoll(value_of(library, "eager"), NULL, 10),
                                                    .intervals = atoi(value_of(library, "intervals"))};
    struct rmacast_result *result = NULL;
    struct rmacast_error error;
    const struct rmacast_trace *trace = handle_of(library, 1, TRACE);
    const bool nowhere = has_word(library, "nowhere");
    const bool wrong =
        library->count > 3 && (options.size != sizeof options || !(options.epsilon_s >= 0) || options.eager_bytes < 0);
    enum rmacast_status status =
        rmacast_analyze(trace, library->count > 3 ? &options : NULL, nowhere ? NULL : &result, &error);
    bool good = check_status("analyze", status, &error, result != NULL);
    if (check_misuse("analyze", status, &error, nowhere || wrong || !is_open(library, TRACE, trace)) || !good) return;
    check_result(library, result, true);
    put_handle(library, 2, RESULT, result);
}

static void check_prediction(const struct rmacast_trace *predicted, const struct rmacast_result *result)
{
    if (rmacast_trace_is_simulated(predicted) != 1) fuzz_finding("a predicted trace does not say so");
    if (fabs(rmacast_trace_run_time_s(predicted) - rmacast_result_run_time_s(result)) > 1e-11)
        fuzz_finding("a predicted trace of %.12g s has a result of %.12g s", rmacast_trace_run_time_s(predicted),
                     rmacast_result_run_time_s(result));
}

/* simulate TRACE PLATFORM PREDICTED RESULT [engine=NAME] [semantics=X] [compute=NAME] [size=N] */
static void run_simulate(struct library *library)
{
    const struct rmacast_simulate_options options = {.size = size_option(library, sizeof options),
                                                     .engine = text_or_null(value_of(library, "engine")),
                                                     .semantics = text_or_null(value_of(library, "semantics")),
                                                     .compute = text_or_null(value_of(library, "compute")),
                                                     .memory_bound = strtod(value_of(library, "memory_bound"), NULL)};
    struct rmacast_trace *predicted = NULL;
    struct rmacast_result *result = NULL, *alone = NULL;
    struct rmacast_error error;
    const struct rmacast_trace *trace = handle_of(library, 1, TRACE);
    const struct rmacast_platform *platform = handle_of(library, 2, PLATFORM);
    const bool misused = !is_open(library, TRACE, trace) || !is_open(library, PLATFORM, platform);
    if (options.engine && strcmp(options.engine, "simgrid") == 0 && !fuzz_once_in(200)) return;
    enum rmacast_status status =
        rmacast_simulate(trace, platform, library->count > 5 ? &options : NULL, &predicted, &result, &error);
    bool good = check_status("simulate", status, &error, predicted && result);
    if (check_misuse("simulate", status, &error, misused) || !good) return;
    check_prediction(predicted, result);
    check_result(library, result, true);
    if (fuzz_once_in(8)) { /* the same again, without the trace */
        if (rmacast_simulate(trace, platform, library->count > 5 ? &options : NULL, NULL, &alone, &error) != RMACAST_OK)
            fuzz_finding("a second simulation fails: %s", error.text);
        if (rmacast_result_run_time_s(alone) != rmacast_result_run_time_s(result))
            fuzz_finding("a second simulation differs");
        rmacast_result_free(alone);
    }
    put_handle(library, 3, TRACE, predicted);
    put_handle(library, 4, RESULT, result);
}

/* result RESULT FILE */
static void run_result(struct library *library)
{
    char path[PATH_BYTES];
    struct rmacast_result *result = NULL;
    struct rmacast_error error;
    const char *file = path_of(library, 2, path);
    const bool nowhere = has_word(library, "nowhere");
    enum rmacast_status status = rmacast_result_open(file, nowhere ? NULL : &result, &error);
    bool good = check_status("result", status, &error, result != NULL);
    if (check_misuse("result", status, &error, nowhere || !file || !*file) || !good) return;
    put_handle(library, 1, RESULT, result);
    if (rmacast_result_rank_count(result) <= RANKS_MOST) check_result(library, result, false);
}

/* severity RESULT NAME RANK */
static void run_severity(struct library *library)
{
    const struct rmacast_result *result = handle_of(library, 1, RESULT);
    const char *name = strcmp(library->words[2], "-") == 0 ? NULL : library->words[2];
    bool known = false;
    for (size_t i = 0; i < rmacast_wait_state_count(); i++)
        known = known || (name && is_open(library, RESULT, result) && strcmp(rmacast_wait_state_name(i), name) == 0);
    if (isnan(rmacast_result_severity_s(result, name)) == known)
        fuzz_finding("the severity of '%s'", library->words[2]);
    if (!known && rmacast_result_occurrences(result, name) != 0)
        fuzz_finding("the occurrences of '%s'", library->words[2]);
    uint32_t rank = (uint32_t)strtoull(library->words[3], NULL, 10);
    bool has = known && rank < rmacast_result_rank_count(result);
    if (isnan(rmacast_result_rank_severity_s(result, name, rank)) == has)
        fuzz_finding("the severity of '%s' on rank %u", library->words[2], rank);
}

/* free trace|platform|result SLOT, or with a handle of another kind, or a freed one, nothing */
static void run_free(struct library *library)
{
    static const char *const kinds[KINDS] = {"trace", "platform", "result"};
    void *handle;
    for (enum kind kind = TRACE; kind < KINDS; kind++) {
        if (strcmp(library->words[1], kinds[kind]) != 0) continue;
        handle = handle_of(library, 2, kind);
        if (is_open(library, kind, handle) && *library->words[2] >= '0' && *library->words[2] <= '9')
            put_handle(library, 2, kind, NULL);
        if (is_open(library, kind, handle)) return;
        if (kind == TRACE) rmacast_trace_free(handle);
        if (kind == PLATFORM) rmacast_platform_free(handle);
        if (kind == RESULT) rmacast_result_free(handle);
    }
}

/* print RESULT */
static void run_print(struct library *library)
{
    char *json = NULL;
    struct rmacast_error error;
    const struct rmacast_result *result = handle_of(library, 1, RESULT);
    const bool nowhere = has_word(library, "nowhere");
    enum rmacast_status status = rmacast_result_to_json(result, nowhere ? NULL : &json, &error);
    check_status("to_json", status, &error, json != NULL);
    check_misuse("to_json", status, &error, nowhere || !is_open(library, RESULT, result));
    rmacast_result_print(result, nowhere ? NULL : oracle_nowhere());
    free(json);
}

static void run_line(struct library *library, const char *line, size_t length)
{
    static const struct {
        const char *name;
        void (*run)(struct library *library);
    } calls[] = {{"open", run_open},         {"save", run_save},     {"call", run_call},
                 {"platform", run_platform}, {"ranks", run_ranks},   {"analyze", run_analyze},
                 {"simulate", run_simulate}, {"result", run_result}, {"severity", run_severity},
                 {"free", run_free},         {"print", run_print}};
    char text[LINE_BYTES], *rest;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), line);
    library->count = 0;
    for (char *word = strtok_r(text, " \t\r\n", &rest); word && library->count < WORDS_MAX;
         word = strtok_r(NULL, " \t\r\n", &rest))
        library->words[library->count++] = word;
    static char nothing[] = "";
    for (size_t i = library->count; i <= WORDS_MAX; i++) library->words[i] = nothing;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, library->words[0]) == 0) calls[i].run(library);
}

static void check_command(const struct library *library)
{
    char path[PATH_BYTES];
    char *words[] = {(char *)command_program, "analyze", path, NULL};
    struct rmacast_trace *trace = NULL;
    struct rmacast_result *result = NULL;
    struct rmacast_error error;
    struct err err = {.text = ""};
    snprintf(path, sizeof path, "%s/t.txt", library->place);
    enum rmacast_status status = rmacast_trace_open(path, &trace, &error);
    if (status == RMACAST_OK) status = rmacast_analyze(trace, NULL, &result, &error);
    if (status == RMACAST_OK) rmacast_result_free(result);
    rmacast_trace_free(trace);
    if (status != RMACAST_OK) snprintf(err.text, sizeof err.text, "%s", error.text);
    command_check_same(library->place, words, (enum status)status, &err);
}

static void run(const uint8_t *data, size_t size)
{
    enum { COMMAND_ONCE_IN = 4000, LINES_MOST = 40 };
    struct library library = {.place = ""};
    struct part parts[PARTS_MAX];
    parts_place(data, size, parts, library.place, sizeof library.place);
    const char *end = parts[0].body + parts[0].size, *line = parts[0].body;
    if (fuzz_once_in(COMMAND_ONCE_IN)) check_command(&library);
    for (int i = 0; line < end && i < LINES_MOST; i++, line += parts_line_length(line, end))
        run_line(&library, line, parts_line_length(line, end));
    for (int i = 0; i < SLOTS; i++) {
        rmacast_trace_free(library.handles[TRACE][i]);
        rmacast_platform_free(library.handles[PLATFORM][i]);
        rmacast_result_free(library.handles[RESULT][i]);
    }
    fuzz_remove(library.place);
}

static size_t mutate(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const lines[] = {"open 0 t.txt",
                                        "open 1 saved.rma",
                                        "open 0 none",
                                        "save 0 saved.txt",
                                        "save 0 saved.rma",
                                        "save 1 t.txt",
                                        "save 0 none/deep.txt",
                                        "call 0 0 0",
                                        "call 0 4294967295 18446744073709551615",
                                        "platform 0 p.json network.latency_s=1us",
                                        "platform 0 ideal nodes.count=3",
                                        "platform 1 p.json =",
                                        "platform 1 p.json mpi.rma.semantics=c mapping.ranks=[0,0]",
                                        "platform 1 two-nodes",
                                        "ranks 0 4294967295",
                                        "analyze 0 0",
                                        "analyze 0 1 epsilon=1e-6 intervals=1",
                                        "analyze 0 1 epsilon=-1",
                                        "analyze 0 1 epsilon=nan eager=-5",
                                        "analyze 0 1 size=7",
                                        "simulate 0 0 1 1",
                                        "simulate 1 0 1 2 semantics=d",
                                        "simulate 0 0 2 1 semantics=e",
                                        "simulate 0 0 2 1 engine=none",
                                        "simulate 0 0 2 1 engine=simgrid",
                                        "simulate 0 0 2 1 compute=cpu size=0",
                                        "result 0 r.json",
                                        "result 0 again.json",
                                        "severity 0 late_post 0",
                                        "severity 0 none 99",
                                        "free trace 0",
                                        "free platform 0",
                                        "free result 0",
                                        "free trace r0",
                                        "free platform f",
                                        "free result -",
                                        "open 0 -",
                                        "open 0 empty",
                                        "open 1 t.txt nowhere",
                                        "save - saved.txt",
                                        "save 0 -",
                                        "call p0 0 0",
                                        "call 0 0 0 nowhere",
                                        "platform 0 -",
                                        "ranks r0 2",
                                        "ranks 0 0",
                                        "analyze f 0",
                                        "analyze - 0",
                                        "analyze 0 0 nowhere",
                                        "simulate p0 0 1 1",
                                        "simulate 0 - 1 1",
                                        "simulate 0 f 1 1",
                                        "result 0 empty",
                                        "result 0 r.json nowhere",
                                        "severity - late_post 0",
                                        "severity 0 - 0",
                                        "print 0",
                                        "print f",
                                        "print 0 nowhere"};
    if (random_chance(random, 30)) return mutate_digits(random, data, size, room);
    if (random_chance(random, 40)) return mutate_any(random, lines, sizeof lines / sizeof *lines, data, size, room);
    return parts_mutate(random, lines, sizeof lines / sizeof *lines, data, size, room);
}

const struct fuzz_harness harness_library = {
    .name = "library",
    .summary = "calls of the public library with odd arguments on files with faults",
    .run = run,
    .mutate = mutate,
    .splices = true,
};
