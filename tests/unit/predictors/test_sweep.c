/* Which point of a sweep is next, and what of a file of results is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "predictors/sweep/digest.h"
#include "predictors/sweep/result_file.h"
#include "predictors/sweep/sweep.h"

static char directory[] = "/tmp/rmacast-test-sweep-XXXXXX", config[64], kept[64];

static void write_file(const char *name, const char *text, size_t bytes)
{
    FILE *out = fopen(name, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
}

/* Four points: a, b, c, d. */
static int make_config(void **state)
{
    static const char trace[] = "rmacast-trace 1\nranks 1\n0 0 0 MPI_Barrier comm=0\n";
    static const char text[] = "{\"traces\": [\"trace.txt\"], \"platforms\": [\"ideal\"]}";
    char name[64];
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(name, sizeof name, "%s/trace.txt", directory);
    snprintf(config, sizeof config, "%s/config.json", directory);
    snprintf(kept, sizeof kept, "%s/result.json", directory);
    write_file(name, trace, sizeof trace - 1);
    write_file(config, text, sizeof text - 1);
    return 0;
}

static int remove_config(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

static void open_sweep(struct sweep *sweep)
{
    struct err err;
    if (sweep_open(config, sweep, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(sweep->count, 4);
}

static void answer(struct sweep *sweep, size_t point, bool done)
{
    cJSON *json = sweep_point_json(sweep, point, 1);
    assert_non_null(json);
    cJSON_AddStringToObject(json, "state", "done");
    cJSON_AddNumberToObject(json, "run_time_s", (double)point);
    cJSON_AddNumberToObject(json, "transfers", 0);
    cJSON_AddNumberToObject(json, "bytes", 0);
    cJSON_AddBoolToObject(json, "incomplete", false);
    cJSON_AddObjectToObject(json, "wait_states_s");
    cJSON_AddObjectToObject(json, "properties");
    char *line = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    assert_int_equal(sweep_answer(sweep, point, done ? line : NULL, "why", NULL), STATUS_OK);
    cJSON_free(line);
}

static size_t next(struct sweep *sweep, size_t worker, size_t workers)
{
    size_t point;
    return sweep_next(sweep, worker, workers, &point) ? point : SIZE_MAX;
}

/* Point 0 fails on worker 0: worker 1 gets it again, behind those that have not begun. A second failure is the end of it. */
static void another_worker_gets_what_failed(void **state)
{
    struct sweep sweep;
    (void)state;
    open_sweep(&sweep);
    assert_int_equal(next(&sweep, 0, 2), 0);
    assert_int_equal(next(&sweep, 1, 2), 1);
    answer(&sweep, 0, false);
    assert_int_equal(next(&sweep, 0, 2), 2);
    answer(&sweep, 2, true);
    assert_int_equal(next(&sweep, 0, 2), 3);
    answer(&sweep, 3, true);
    assert_int_equal(next(&sweep, 0, 2), SIZE_MAX);
    answer(&sweep, 1, true);
    assert_int_equal(next(&sweep, 1, 2), 0);
    assert_false(sweep_finished(&sweep));
    answer(&sweep, 0, false);
    assert_true(sweep_finished(&sweep));
    assert_int_equal(sweep.points[0].state, SWEEP_FAILED);
    assert_non_null(strstr(sweep.points[0].line, "\"reason\":\"why\""));
    assert_int_equal(next(&sweep, 1, 2), SIZE_MAX);
    sweep_close(&sweep);
}

/* One worker alone gets it again itself. */
static void a_single_worker_tries_again(void **state)
{
    struct sweep sweep;
    (void)state;
    open_sweep(&sweep);
    assert_int_equal(next(&sweep, 0, 1), 0);
    answer(&sweep, 0, false);
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(next(&sweep, 0, 1), i);
        answer(&sweep, i, true);
    }
    assert_int_equal(next(&sweep, 0, 1), 0);
    answer(&sweep, 0, true);
    assert_int_equal(sweep.failed, 0);
    assert_true(sweep_finished(&sweep));
    sweep_close(&sweep);
}

static size_t read_kept(char *text, size_t room)
{
    FILE *in = fopen(kept, "r");
    assert_non_null(in);
    size_t bytes = fread(text, 1, room - 1, in);
    fclose(in);
    text[bytes] = '\0';
    return bytes;
}

/* A whole file, and one cut in its head, in the middle of a line, before and behind each end of a line: as many points
 * are taken as it has whole lines of them. */
static void what_breaks_off_keeps_its_whole_lines(void **state)
{
    struct sweep sweep;
    static char text[4096];
    bool cut;
    (void)state;
    open_sweep(&sweep);
    assert_int_equal(sweep_keep(&sweep, kept, &cut, NULL), STATUS_OK);
    for (size_t i = 0; i < 4; i++) {
        next(&sweep, 0, 1);
        answer(&sweep, i, true);
    }
    assert_int_equal(sweep_end(&sweep, NULL), STATUS_OK);
    sweep_close(&sweep);
    size_t bytes = read_kept(text, sizeof text);
    for (size_t length = 0; length <= bytes; length++) {
        size_t lines = 0;
        bool near_end = length == bytes || text[length] == '\n' || (length > 0 && text[length - 1] == '\n');
        if (!near_end && length % 61 != 0) continue;
        for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
        size_t points = lines == 0 ? 0 : lines > 5 ? 4 : lines - 1;
        write_file(kept, text, length);
        open_sweep(&sweep);
        assert_int_equal(sweep_keep(&sweep, kept, &cut, NULL), STATUS_OK);
        assert_int_equal(sweep.taken, points);
        assert_int_equal(cut, length < bytes);
        sweep_close(&sweep);
    }
}

/* A byte of any line of a point is another one: the point runs again, unless the line reads the same. */
static void a_changed_byte_is_found(void **state)
{
    struct sweep sweep;
    static char text[4096], changed[4096];
    bool cut;
    (void)state;
    unlink(kept);
    open_sweep(&sweep);
    assert_int_equal(sweep_keep(&sweep, kept, &cut, NULL), STATUS_OK);
    for (size_t i = 0; i < 4; i++) {
        next(&sweep, 0, 1);
        answer(&sweep, i, true);
    }
    assert_int_equal(sweep_end(&sweep, NULL), STATUS_OK);
    sweep_close(&sweep);
    size_t bytes = read_kept(text, sizeof text), begin = (size_t)(strchr(text, '\n') + 1 - text);
    size_t end = (size_t)(strchr(text + begin, '\n') - text) - 1; /* at the comma */
    for (size_t at = begin; at < end; at++) {
        memcpy(changed, text, bytes);
        changed[at] ^= 1;
        write_file(kept, changed, bytes);
        open_sweep(&sweep);
        assert_int_equal(sweep_keep(&sweep, kept, &cut, NULL), STATUS_OK);
        assert_int_equal(sweep.taken, 3);
        assert_int_equal(sweep.damaged, 1);
        assert_int_equal(sweep.damaged_line, 2);
        assert_false(cut);
        sweep_close(&sweep);
    }
}

/* The line of a point that was done, with another outcome and its sum. */
static char *line_with(const char *line, const char *key, const char *value)
{
    cJSON *json = cJSON_Parse(line);
    cJSON_DeleteItemFromObject(json, "sum");
    cJSON_ReplaceItemInObject(json, key, cJSON_Parse(value));
    char *plain = cJSON_PrintUnformatted(json), *sealed = result_file_seal(plain, strlen(plain));
    cJSON_Delete(json);
    cJSON_free(plain);
    return sealed;
}

/* A file may have several lines of one point, wherever a search finds the first of them: the first one that can be counts, and
 * each one that cannot be before it is damaged. P: a line that can be, X: one that cannot; the last one is of another point. */
static void of_several_lines_of_a_point_one_counts(void **state)
{
    static const char *const files[] = {"P", "PP", "PPP", "PPPPP", "XP", "XXP", "PX", "XPX", "X", "XXX", "XXXXXP"};
    static const size_t taken[] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1}, damaged[] = {0, 0, 0, 0, 1, 2, 0, 1, 1, 3, 5};
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct sweep sweep;
        bool cut;
        unlink(kept);
        open_sweep(&sweep);
        assert_int_equal(sweep_keep(&sweep, kept, &cut, NULL), STATUS_OK);
        for (size_t point = 0; point < 2; point++) {
            next(&sweep, 0, 1);
            answer(&sweep, point, true);
        }
        char *possible = line_with(sweep.points[0].line, "run_time_s", "1");
        char *impossible = line_with(sweep.points[0].line, "run_time_s", "-1"), text[8192] = "", *end = text;
        read_kept(text, sizeof text);
        end = strchr(text, '\n') + 1;
        for (const char *line = files[i]; *line; line++) end += sprintf(end, "%s,\n", *line == 'P' ? possible : impossible);
        end += sprintf(end, "%s\n", sweep.points[1].line);
        free(possible);
        free(impossible);
        sweep_close(&sweep);
        write_file(kept, text, (size_t)(end - text));
        open_sweep(&sweep);
        assert_int_equal(sweep_keep(&sweep, kept, &cut, NULL), STATUS_OK);
        if (sweep.taken != taken[i] + 1 || sweep.done != taken[i] + 1 || sweep.damaged != damaged[i])
            fail_msg("%s: %zu taken, %zu damaged", files[i], sweep.taken, sweep.damaged);
        assert_int_equal(sweep.points[0].line != NULL, taken[i]);
        if (taken[i]) assert_non_null(strstr(sweep.points[0].line, "\"run_time_s\":1,"));
        sweep_close(&sweep);
    }
}

/* Lines with sums that fit and outcomes that cannot be are not taken. The longest run has 2^63 ps, 9,223,372 s; a wait state has
 * as much of each rank, here of one. */
static void impossible_outcomes_are_not_taken(void **state)
{
    static const char *const outcomes[][2] = {{"run_time_s", "-1"}, {"run_time_s", "1e300"}, {"ranks", "0"},
                                              {"transfers", "0.5"}, {"bytes", "-8"}, {"semantics", "\"c\""},
                                              {"wait_states_s", "{\"late_post\":-1}"}, {"properties", "[]"},
                                              {"run_time_s", "9223373"}, {"wait_states_s", "{\"late_post\":9223373}"},
                                              {"properties", "{\"time\":-9223373}"}, {"bytes", "9e18"}, {"transfers", "1e16"},
                                              {"run_time_s", "9223372"}, {"wait_states_s", "{\"late_post\":9223372}"},
                                              {"properties", "{\"time\":-9223372}"}, {"bytes", "4e18"}, {"transfers", "9e15"}};
    enum { OUTCOMES = sizeof outcomes / sizeof *outcomes, POSSIBLE = 5 }; /* the last ones */
    struct sweep sweep;
    bool cut;
    (void)state;
    for (size_t i = 0; i < OUTCOMES; i++) {
        bool possible = i >= OUTCOMES - POSSIBLE;
        unlink(kept);
        open_sweep(&sweep);
        assert_int_equal(sweep_keep(&sweep, kept, &cut, NULL), STATUS_OK);
        next(&sweep, 0, 1);
        answer(&sweep, 0, true);
        char *changed = line_with(sweep.points[0].line, outcomes[i][0], outcomes[i][1]);
        free(sweep.points[0].line);
        sweep.points[0].line = changed;
        assert_int_equal(sweep_end(&sweep, NULL), STATUS_OK);
        sweep_close(&sweep);
        open_sweep(&sweep);
        assert_int_equal(sweep_keep(&sweep, kept, &cut, NULL), STATUS_OK);
        assert_int_equal(sweep.taken, possible);
        assert_int_equal(sweep.damaged, !possible);
        sweep_close(&sweep);
    }
}

/* A second sweep may not write the same file; a file of anything else stays. */
static void a_foreign_file_is_refused(void **state)
{
    struct sweep first, second;
    struct err err;
    char text[64];
    bool cut;
    (void)state;
    unlink(kept);
    open_sweep(&first);
    open_sweep(&second);
    assert_int_equal(sweep_keep(&first, kept, &cut, NULL), STATUS_OK);
    assert_int_equal(sweep_keep(&second, kept, &cut, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "is written by another sweep"));
    sweep_close(&first);
    sweep_close(&second);
    write_file(kept, "{}", 2);
    open_sweep(&first);
    assert_int_equal(sweep_keep(&first, kept, &cut, &err), STATUS_DATA);
    assert_non_null(strstr(err.text, "is no result of a sweep"));
    sweep_close(&first);
    assert_int_equal(read_kept(text, sizeof text), 2);
}

/* A point of other inputs is another one: what a configuration says beyond the values of a point counts, too. */
static void points_have_the_digest_of_their_inputs(void **state)
{
    static const char *const more[] = {"",
                                       ", \"keep_going\": true",
                                       ", \"grow\": true",
                                       ", \"seed\": 7",
                                       ", \"engine\": \"loggp\"",
                                       ", \"transforms\": [\"post-early\"]",
                                       ", \"mappings\": [{\"ranks\": [0]}]"};
    enum { CONFIGS = sizeof more / sizeof *more };
    uint64_t inputs[CONFIGS];
    char name[80], text[256];
    (void)state;
    snprintf(name, sizeof name, "%s/other.json", directory);
    for (size_t i = 0; i < CONFIGS; i++) {
        struct sweep sweep;
        struct err err;
        snprintf(text, sizeof text, "{\"traces\": [\"trace.txt\"], \"platforms\": [\"ideal\"]%s}", more[i]);
        write_file(name, text, strlen(text));
        if (sweep_open(name, &sweep, &err) != STATUS_OK) fail_msg("%s", err.text);
        inputs[i] = sweep.points[0].inputs;
        for (size_t k = 0; k < i; k++)
            if (inputs[k] == inputs[i]) fail_msg("'%s' and '%s' are the same point", more[k], more[i]);
        assert_true(sweep.points[0].inputs != sweep.points[1].inputs); /* a and b */
        sweep_close(&sweep);
    }
}

/* The test vectors of FNV-1a, 64 bits: "" and "foobar" (draft-eastlake-fnv, appendix C). */
static void the_digest_is_the_known_one(void **state)
{
    uint64_t digest = DIGEST_BEGIN, expected = DIGEST_BEGIN;
    (void)state;
    assert_true(digest == UINT64_C(0xcbf29ce484222325));
    write_file(kept, "foobar", 6);
    assert_int_equal(digest_add_file(&digest, kept, NULL), STATUS_OK);
    expected = UINT64_C(0x85944171f73967e8); /* of "foobar"; behind it the number of bytes */
    digest_add_number(&expected, 6);
    assert_true(digest == expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_worker_gets_what_failed),
        cmocka_unit_test(a_single_worker_tries_again),
        cmocka_unit_test(what_breaks_off_keeps_its_whole_lines),
        cmocka_unit_test(a_foreign_file_is_refused),
        cmocka_unit_test(a_changed_byte_is_found),
        cmocka_unit_test(of_several_lines_of_a_point_one_counts),
        cmocka_unit_test(impossible_outcomes_are_not_taken),
        cmocka_unit_test(the_digest_is_the_known_one),
        cmocka_unit_test(points_have_the_digest_of_their_inputs),
    };
    return cmocka_run_group_tests(tests, make_config, remove_config);
}
