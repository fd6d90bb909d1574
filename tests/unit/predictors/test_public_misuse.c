/* Every function of include/rmacast with every kind of misuse: NULL, freed and foreign handles, ranks and indices beyond, sizes,
 * texts and numbers out of range. It refuses them with RMACAST_USAGE, or with the value that its header states, in one line, and
 * leaves its outputs alone. A function that has no row here fails the test. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <rmacast/rmacast.h>

#define TRACE "rmacast-trace 1\nranks 2\n0 0.0 0.010 MPI_Comm_group comm=0\n1 0.0 0.010 MPI_Comm_group comm=0\n"

/* Open handles, closed ones, and what an output has before: an address that no function may have set. */
static struct rmacast_trace *trace, *no_trace;
static struct rmacast_platform *platform, *no_platform;
static struct rmacast_result *result, *no_result;
static char trace_path[] = "/tmp/rmacast-misuse-XXXXXX", result_path[] = "/tmp/rmacast-misuse-XXXXXX", nothing;
#define UNSET ((void *)&nothing)

static struct rmacast_error error;

static void expect_status(enum rmacast_status found, enum rmacast_status expected, const char *call)
{
    if (found != expected || error.status != expected)
        fail_msg("%s: status %d, expected %d: %s", call, found, expected, error.text);
    if (!*error.text || strpbrk(error.text, "\n\r\033")) fail_msg("%s: the text is no line: '%s'", call, error.text);
    error = (struct rmacast_error){.status = RMACAST_OK};
}
#define USAGE(call) expect_status(call, RMACAST_USAGE, #call)
#define DATA(call) expect_status(call, RMACAST_DATA, #call)
#define IS_NAN(value) assert_true(isnan(value))

static void misuse_version(void)
{
    assert_non_null(rmacast_version());
}

static void misuse_trace_open(void)
{
    struct rmacast_trace *opened = UNSET;
    USAGE(rmacast_trace_open(NULL, &opened, &error));
    USAGE(rmacast_trace_open("", &opened, &error));
    USAGE(rmacast_trace_open(trace_path, NULL, &error));
    DATA(rmacast_trace_open("/nowhere/a\nb\033[31m", &opened, &error));
    assert_int_equal(rmacast_trace_open(NULL, &opened, NULL), RMACAST_USAGE);
    assert_ptr_equal(opened, UNSET);
}

static void misuse_trace_free(void)
{
    rmacast_trace_free(NULL);
    rmacast_trace_free(no_trace);
    rmacast_trace_free((struct rmacast_trace *)platform);
    assert_int_equal(rmacast_platform_node_count(platform), 2);
}

static void misuse_trace_save(void)
{
    USAGE(rmacast_trace_save(NULL, "t.txt", &error));
    USAGE(rmacast_trace_save(no_trace, "t.txt", &error));
    USAGE(rmacast_trace_save((struct rmacast_trace *)result, "t.txt", &error));
    USAGE(rmacast_trace_save(trace, NULL, &error));
    USAGE(rmacast_trace_save(trace, "", &error));
}

static void misuse_trace_rank_count(void)
{
    assert_int_equal(rmacast_trace_rank_count(NULL), 0);
    assert_int_equal(rmacast_trace_rank_count(no_trace), 0);
    assert_int_equal(rmacast_trace_rank_count((struct rmacast_trace *)platform), 0);
}

static void misuse_trace_call_count(void)
{
    assert_int_equal(rmacast_trace_call_count(NULL, 0), 0);
    assert_int_equal(rmacast_trace_call_count(no_trace, 0), 0);
    assert_int_equal(rmacast_trace_call_count(trace, 2), 0);
    assert_int_equal(rmacast_trace_call_count(trace, UINT32_MAX), 0);
}

static void misuse_trace_run_time_s(void)
{
    IS_NAN(rmacast_trace_run_time_s(NULL));
    IS_NAN(rmacast_trace_run_time_s(no_trace));
}

static void misuse_trace_is_simulated(void)
{
    assert_int_equal(rmacast_trace_is_simulated(NULL), 0);
    assert_int_equal(rmacast_trace_is_simulated(no_trace), 0);
}

static void misuse_trace_is_complete(void)
{
    assert_int_equal(rmacast_trace_is_complete(NULL), 0);
    assert_int_equal(rmacast_trace_is_complete(no_trace), 0);
}

static void misuse_trace_call(void)
{
    struct rmacast_call call = {.name = UNSET};
    USAGE(rmacast_trace_call(NULL, 0, 0, &call, &error));
    USAGE(rmacast_trace_call(no_trace, 0, 0, &call, &error));
    USAGE(rmacast_trace_call(trace, 0, 0, NULL, &error));
    USAGE(rmacast_trace_call(trace, 0, 1, &call, &error));
    USAGE(rmacast_trace_call(trace, 0, SIZE_MAX, &call, &error));
    USAGE(rmacast_trace_call(trace, 2, 0, &call, &error));
    USAGE(rmacast_trace_call(trace, UINT32_MAX, 0, &call, &error));
    assert_ptr_equal(call.name, UNSET);
}

static void misuse_platform_open(void)
{
    struct rmacast_platform *opened = UNSET;
    static const char *const settings[] = {"nodes.count=2", NULL}, *const empty[] = {""}, *const bare[] = {"nodes.count"},
                             *const lines[] = {"nodes.count=a\nb"}, *const below[] = {"network.latency_s=-1"};
    USAGE(rmacast_platform_open(NULL, NULL, 0, &opened, &error));
    USAGE(rmacast_platform_open("", NULL, 0, &opened, &error));
    USAGE(rmacast_platform_open("ideal", NULL, 0, NULL, &error));
    USAGE(rmacast_platform_open("ideal", NULL, 1, &opened, &error));
    USAGE(rmacast_platform_open("ideal", settings, 2, &opened, &error));
    USAGE(rmacast_platform_open("ideal", settings, SIZE_MAX, &opened, &error));
    USAGE(rmacast_platform_open("ideal", empty, 1, &opened, &error));
    USAGE(rmacast_platform_open("ideal", bare, 1, &opened, &error));
    USAGE(rmacast_platform_open("ideal", lines, 1, &opened, &error));
    USAGE(rmacast_platform_open("ideal", below, 1, &opened, &error));
    DATA(rmacast_platform_open("no\nplatform", NULL, 0, &opened, &error));
    assert_ptr_equal(opened, UNSET);
}

static void misuse_platform_free(void)
{
    rmacast_platform_free(NULL);
    rmacast_platform_free(no_platform);
    rmacast_platform_free((struct rmacast_platform *)trace);
    assert_int_equal(rmacast_trace_rank_count(trace), 2);
}

static void misuse_platform_name(void)
{
    assert_null(rmacast_platform_name(NULL));
    assert_null(rmacast_platform_name(no_platform));
}

static void misuse_platform_node_count(void)
{
    assert_int_equal(rmacast_platform_node_count(NULL), 0);
    assert_int_equal(rmacast_platform_node_count(no_platform), 0);
}

static void misuse_platform_check_ranks(void)
{
    USAGE(rmacast_platform_check_ranks(NULL, 1, &error));
    USAGE(rmacast_platform_check_ranks(no_platform, 1, &error));
    USAGE(rmacast_platform_check_ranks(platform, 0, &error));
    DATA(rmacast_platform_check_ranks(platform, UINT32_MAX, &error));
}

static void misuse_analyze(void)
{
    static const struct rmacast_analyze_options wrong[] = {
        {.size = 0},
        {.size = sizeof *wrong + 8},
        {.size = SIZE_MAX},
        {.size = sizeof *wrong, .epsilon_s = -1},
        {.size = sizeof *wrong, .epsilon_s = (double)NAN},
        {.size = sizeof *wrong, .epsilon_s = (double)INFINITY},
        {.size = sizeof *wrong, .epsilon_s = -(double)INFINITY},
        {.size = sizeof *wrong, .epsilon_s = 1e7},
        {.size = sizeof *wrong, .eager_bytes = -1},
        {.size = sizeof *wrong, .eager_bytes = INT64_MIN},
        {.size = sizeof *wrong, .eager_bytes = INT64_MAX},
    };
    struct rmacast_result *made = UNSET;
    USAGE(rmacast_analyze(NULL, NULL, &made, &error));
    USAGE(rmacast_analyze(no_trace, NULL, &made, &error));
    USAGE(rmacast_analyze((struct rmacast_trace *)result, NULL, &made, &error));
    USAGE(rmacast_analyze(trace, NULL, NULL, &error));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) USAGE(rmacast_analyze(trace, &wrong[i], &made, &error));
    assert_ptr_equal(made, UNSET);
}

static void misuse_simulate(void)
{
    static const struct rmacast_simulate_options wrong[] = {
        {.size = 0},
        {.size = SIZE_MAX},
        {.size = sizeof *wrong, .engine = ""},
        {.size = sizeof *wrong, .engine = "log\ngp"},
        {.size = sizeof *wrong, .semantics = ""},
        {.size = sizeof *wrong, .memory_bound = 1.5},
        {.size = sizeof *wrong, .memory_bound = NAN},
        {.size = sizeof *wrong, .semantics = "e"},
        {.size = sizeof *wrong, .semantics = "ab"},
        {.size = sizeof *wrong, .compute = ""},
        {.size = sizeof *wrong, .compute = "all"},
    };
    struct rmacast_trace *predicted = UNSET;
    struct rmacast_result *made = UNSET;
    USAGE(rmacast_simulate(NULL, platform, NULL, &predicted, &made, &error));
    USAGE(rmacast_simulate(no_trace, platform, NULL, &predicted, &made, &error));
    USAGE(rmacast_simulate(trace, NULL, NULL, &predicted, &made, &error));
    USAGE(rmacast_simulate(trace, no_platform, NULL, &predicted, &made, &error));
    USAGE(rmacast_simulate((struct rmacast_trace *)platform, (struct rmacast_platform *)trace, NULL, &predicted, &made, &error));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        USAGE(rmacast_simulate(trace, platform, &wrong[i], &predicted, &made, &error));
    assert_ptr_equal(predicted, UNSET);
    assert_ptr_equal(made, UNSET);
    assert_int_equal(rmacast_simulate(trace, platform, NULL, NULL, NULL, &error), RMACAST_OK);
}

static void misuse_record(void)
{
    static char program[] = "/bin/true", none[] = "", missing[] = "/nowhere/a\nb";
    char *const command[] = {program, NULL}, *const nobody[] = {NULL}, *const empty[] = {none, NULL},
                *const gone[] = {missing, NULL};
    static const struct rmacast_record_options wrong[] = {
        {.size = 0},
        {.size = SIZE_MAX},
        {.size = sizeof *wrong, .calls = ""},
        {.size = sizeof *wrong, .calls = "rma,"},
        {.size = sizeof *wrong, .calls = "rma,all"},
        {.size = sizeof *wrong, .limit_bytes = -1},
        {.size = sizeof *wrong, .limit_bytes = INT64_MIN},
    };
    char directory[] = "/tmp/rmacast-misuse-XXXXXX";
    int exit_status = 77;
    assert_non_null(mkdtemp(directory));
    USAGE(rmacast_record(NULL, directory, NULL, &exit_status, &error));
    USAGE(rmacast_record(nobody, directory, NULL, &exit_status, &error));
    USAGE(rmacast_record(empty, directory, NULL, &exit_status, &error));
    USAGE(rmacast_record(command, "", NULL, &exit_status, &error));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        USAGE(rmacast_record(command, directory, &wrong[i], &exit_status, &error));
    if (getenv("RMACAST_RECORDER")) USAGE(rmacast_record(gone, directory, NULL, &exit_status, &error));
    assert_int_equal(exit_status, 77);
    rmdir(directory);
}

static void misuse_result_open(void)
{
    struct rmacast_result *opened = UNSET;
    USAGE(rmacast_result_open(NULL, &opened, &error));
    USAGE(rmacast_result_open("", &opened, &error));
    USAGE(rmacast_result_open(result_path, NULL, &error));
    DATA(rmacast_result_open("/nowhere/a\nb", &opened, &error));
    assert_ptr_equal(opened, UNSET);
}

static void misuse_result_free(void)
{
    rmacast_result_free(NULL);
    rmacast_result_free(no_result);
    rmacast_result_free((struct rmacast_result *)trace);
    assert_int_equal(rmacast_trace_rank_count(trace), 2);
}

static void misuse_result_rank_count(void)
{
    assert_int_equal(rmacast_result_rank_count(NULL), 0);
    assert_int_equal(rmacast_result_rank_count(no_result), 0);
}

static void misuse_result_run_time_s(void)
{
    IS_NAN(rmacast_result_run_time_s(NULL));
    IS_NAN(rmacast_result_run_time_s(no_result));
}

static void misuse_result_rank_time_s(void)
{
    IS_NAN(rmacast_result_rank_time_s(NULL, 0));
    IS_NAN(rmacast_result_rank_time_s(no_result, 0));
    IS_NAN(rmacast_result_rank_time_s(result, 2));
    IS_NAN(rmacast_result_rank_time_s(result, UINT32_MAX));
}

static void misuse_wait_state_count(void)
{
    assert_true(rmacast_wait_state_count() > 0);
}

static void misuse_wait_state_name(void)
{
    assert_null(rmacast_wait_state_name(rmacast_wait_state_count()));
    assert_null(rmacast_wait_state_name(SIZE_MAX));
}

static void misuse_result_severity_s(void)
{
    IS_NAN(rmacast_result_severity_s(NULL, "late_post"));
    IS_NAN(rmacast_result_severity_s(no_result, "late_post"));
    IS_NAN(rmacast_result_severity_s(result, NULL));
    IS_NAN(rmacast_result_severity_s(result, ""));
    IS_NAN(rmacast_result_severity_s(result, "late_post\n"));
}

static void misuse_result_occurrences(void)
{
    assert_int_equal(rmacast_result_occurrences(NULL, "late_post"), 0);
    assert_int_equal(rmacast_result_occurrences(no_result, "late_post"), 0);
    assert_int_equal(rmacast_result_occurrences(result, NULL), 0);
    assert_int_equal(rmacast_result_occurrences(result, ""), 0);
}

static void misuse_result_rank_severity_s(void)
{
    IS_NAN(rmacast_result_rank_severity_s(NULL, "late_post", 0));
    IS_NAN(rmacast_result_rank_severity_s(no_result, "late_post", 0));
    IS_NAN(rmacast_result_rank_severity_s(result, NULL, 0));
    IS_NAN(rmacast_result_rank_severity_s(result, "late_post", 2));
    IS_NAN(rmacast_result_rank_severity_s(result, "late_post", UINT32_MAX));
}

static void misuse_result_transfer_count(void)
{
    assert_int_equal(rmacast_result_transfer_count(NULL), 0);
    assert_int_equal(rmacast_result_transfer_count(no_result), 0);
}

static void misuse_result_transfer_bytes(void)
{
    assert_int_equal(rmacast_result_transfer_bytes(NULL), 0);
    assert_int_equal(rmacast_result_transfer_bytes(no_result), 0);
}

static void misuse_result_to_json(void)
{
    char *json = UNSET;
    USAGE(rmacast_result_to_json(NULL, &json, &error));
    USAGE(rmacast_result_to_json(no_result, &json, &error));
    USAGE(rmacast_result_to_json((struct rmacast_result *)platform, &json, &error));
    USAGE(rmacast_result_to_json(result, NULL, &error));
    assert_ptr_equal(json, UNSET);
}

static void misuse_result_print(void)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    rmacast_result_print(NULL, out);
    rmacast_result_print(no_result, out);
    rmacast_result_print(result, NULL);
    fclose(out);
    assert_int_equal(size, 0);
    free(text);
}

#define ROW(NAME) {"rmacast_" #NAME, misuse_##NAME}
static const struct {
    const char *function;
    void (*misuse)(void);
} rows[] = {
    ROW(version), ROW(trace_open), ROW(trace_free), ROW(trace_save), ROW(trace_rank_count), ROW(trace_call_count),
    ROW(trace_run_time_s), ROW(trace_is_simulated), ROW(trace_is_complete), ROW(trace_call), ROW(platform_open),
    ROW(platform_free), ROW(platform_name), ROW(platform_node_count), ROW(platform_check_ranks), ROW(analyze), ROW(simulate),
    ROW(record), ROW(result_open), ROW(result_free), ROW(result_rank_count), ROW(result_run_time_s), ROW(result_rank_time_s),
    ROW(wait_state_count), ROW(wait_state_name), ROW(result_severity_s), ROW(result_occurrences), ROW(result_rank_severity_s),
    ROW(result_transfer_count), ROW(result_transfer_bytes), ROW(result_to_json), ROW(result_print),
};
enum { ROWS = sizeof rows / sizeof *rows };

static void misuse_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) rows[i].misuse();
}

/* What the headers declare: a name and its parenthesis, outside comments. */
static void each_function_has_a_row(void **state)
{
    static const char command[] = "cat include/rmacast/*.h | tr '\\n' ' ' | sed 's,/\\*[^*]*\\*\\+\\([^/*][^*]*\\*\\+\\)*/,,g' | "
                                  "grep -oE 'rmacast_[a-z0-9_]+ *\\(' | tr -d ' (' | sort -u";
    FILE *names = popen(command, "r");
    char name[128];
    size_t count = 0;
    (void)state;
    assert_non_null(names);
    for (; fgets(name, sizeof name, names); count++) {
        size_t i = 0;
        name[strcspn(name, "\n")] = '\0';
        while (i < ROWS && strcmp(rows[i].function, name) != 0) i++;
        if (i == ROWS) fail_msg("%s has no row of misuse", name);
    }
    pclose(names);
    assert_int_equal(count, ROWS);
}

static void write_file(char *path, const char *text)
{
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
}

static int open_handles(void **state)
{
    static const char *const two[] = {"nodes.count=2"};
    char *json;
    (void)state;
    write_file(trace_path, TRACE);
    for (int i = 0; i < 2; i++) {
        no_trace = trace;
        no_platform = platform;
        no_result = result;
        if (rmacast_trace_open(trace_path, &trace, &error) != RMACAST_OK) fail_msg("%s", error.text);
        if (rmacast_platform_open("ideal", two, 1, &platform, &error) != RMACAST_OK) fail_msg("%s", error.text);
        assert_int_equal(rmacast_analyze(trace, NULL, &result, &error), RMACAST_OK);
    }
    rmacast_trace_free(no_trace);
    rmacast_platform_free(no_platform);
    rmacast_result_free(no_result);
    assert_int_equal(rmacast_result_to_json(result, &json, &error), RMACAST_OK);
    write_file(result_path, json);
    free(json);
    return 0;
}

static int free_handles(void **state)
{
    (void)state;
    rmacast_trace_free(trace);
    rmacast_platform_free(platform);
    rmacast_result_free(result);
    unlink(trace_path);
    unlink(result_path);
    return 0;
}

/* What --epsilon takes is taken here, and a result with it is read again. */
static void limits_are_taken(void **state)
{
    const struct rmacast_analyze_options most = {.size = sizeof most,
                                                 .epsilon_s = 9e6,
                                                 .eager_bytes = INT64_C(8000000000000000000),
                                                 .earliest_post = -1,
                                                 .intervals = INT_MAX};
    struct rmacast_result *made, *again;
    char path[] = "/tmp/rmacast-misuse-XXXXXX", *json;
    (void)state;
    assert_int_equal(rmacast_analyze(trace, &most, &made, &error), RMACAST_OK);
    assert_int_equal(rmacast_result_to_json(made, &json, &error), RMACAST_OK);
    write_file(path, json);
    if (rmacast_result_open(path, &again, &error) != RMACAST_OK) fail_msg("%s", error.text);
    rmacast_result_free(again);
    rmacast_result_free(made);
    free(json);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(misuse_is_refused), cmocka_unit_test(each_function_has_a_row),
                                       cmocka_unit_test(limits_are_taken)};
    return cmocka_run_group_tests(tests, open_handles, free_handles);
}
