/* The limits of what a page's time lines hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "report/timeline.h"

#define US INT64_C(1000000)

/* Two ranks of three calls each: from 11 to 12, 13 to 14 and 15 to 16 us. */
static struct trace *make_trace(void)
{
    struct trace *trace;
    struct err err;
    assert_int_equal(trace_new("t", 2, &trace, &err), STATUS_OK);
    for (uint32_t r = 0; r < 2; r++)
        for (int i = 0; i < 3; i++) {
            const struct trace_call call = {.call = ID_Comm_group,
                                            .any = TRACE_NO_MEMBERS,
                                            .peer = TRACE_NONE,
                                            .enter_ps = (11 + 2 * i) * US,
                                            .exit_ps = (12 + 2 * i) * US};
            assert_int_equal(trace_add_call(trace, r, &call, &err), STATUS_OK);
        }
    return trace;
}

static cJSON *write(const struct trace *trace, const struct analyze_found *found, struct timeline_options options)
{
    char *text;
    size_t size;
    struct err err;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    enum status status = timeline_write(trace, found, &options, out, &err);
    fclose(out);
    cJSON *json = status == STATUS_OK ? cJSON_Parse(text) : NULL;
    free(text);
    return json;
}

/* The run is from 11 to 16 us, 5 us long. A window that begins at its end has nothing in it; calls that end as it
 * begins or begin as it ends are in it. */
static void windows_have_their_limits(void **state)
{
    static const struct {
        int64_t from_ps, until_ps;
        int calls; /* of a rank; -1: refused */
    } rows[] = {{0, 0, 3},           {5 * US, 0, -1},         {5 * US - 1, 0, 1},      {5 * US - 1, 6 * US, 1},
                {1 * US, 2 * US, 2}, {1 * US + 1, 2 * US, 1}, {1 * US, 2 * US - 1, 1}, {1 * US + 1, 2 * US - 1, 0}};
    struct trace *trace = make_trace();
    const struct analyze_found found = {.waits = {.count = 0}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cJSON *json = write(trace, &found, (struct timeline_options){rows[i].from_ps, rows[i].until_ps, 6});
        int calls = -1;
        if (json) calls = cJSON_GetArraySize(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "calls"), 0));
        if (calls != rows[i].calls) fail_msg("row %zu: %d calls", i, calls);
        cJSON_Delete(json);
    }
    trace_free(trace);
}

/* Six calls are shown one by one if so many may be, else as levels of detail. */
static void more_calls_become_levels(void **state)
{
    struct trace *trace = make_trace();
    const struct analyze_found found = {.waits = {.count = 0}};
    (void)state;
    for (uint64_t most = 5; most <= 6; most++) {
        cJSON *json = write(trace, &found, (struct timeline_options){0, 0, most});
        assert_non_null(json);
        assert_int_equal(cJSON_HasObjectItem(json, "calls"), most == 6);
        assert_int_equal(cJSON_HasObjectItem(json, "levels"), most == 5);
        cJSON_Delete(json);
    }
    trace_free(trace);
}

/* 5000 transfers of the second call are the most; those without a true end, which only simulated traces have, are no
 * part of them, nor those outside the window. */
static void transfers_are_limited(void **state)
{
    static const struct {
        size_t transfers;
        int64_t from_ps;
        int written;
        bool open; /* without an upper bound of their end: they are in the window up to the lower one, 14 us */
    } rows[] = {{1, 0, 1, false},      {4999, 0, 4999, false},    {5000, 0, 5000, false},   {5001, 0, 5000, false},
                {1, 4 * US, 1, false}, {1, 4 * US + 1, 0, false}, {1, 3 * US, 1, true},     {1, 3 * US + 1, 0, true}};
    struct trace *trace = make_trace();
    struct trace_sim sim[3] = {{.xfer_end_ps = 14 * US}, {.xfer_end_ps = 14 * US}, {.xfer_end_ps = 14 * US}},
                     *none = trace->ranks[0].sim;
    struct transfer *items = calloc(5001, sizeof *items);
    (void)state;
    assert_non_null(items);
    for (size_t i = 0; i < 5001; i++)
        items[i] = (struct transfer){
            .origin = 0, .target = 1, .call = 1, .start_ps = 13 * US, .lower_end_ps = 14 * US, .upper_end_ps = 15 * US};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int simulated = 0; simulated < 2; simulated++) {
            const struct analyze_found found = {.transfers = {.items = items, .count = rows[i].transfers}};
            items[0].upper_end_ps = rows[i].open ? TRACE_UNKNOWN_PS : 15 * US;
            trace->ranks[0].sim = simulated ? sim : none;
            cJSON *json = write(trace, &found, (struct timeline_options){rows[i].from_ps, 0, 6});
            trace->ranks[0].sim = none;
            assert_non_null(json);
            const int written = cJSON_GetArraySize(cJSON_GetObjectItem(json, "transfers"));
            if (written != (simulated ? rows[i].written : 0)) fail_msg("row %zu: %d transfers", i, written);
            const cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "transfers"), 0);
            if (first)
                assert_true(rows[i].open ? cJSON_IsNull(cJSON_GetArrayItem(first, 4))
                                         : cJSON_GetArrayItem(first, 4)->valuedouble == 2 * US); /* since 13 us */
            cJSON_Delete(json);
        }
    free(items);
    trace_free(trace);
}

/* The first thread's waits and calls are in the levels, those of others are not: the second call of rank 0, from 13 to
 * 14 us, shows only if the first thread makes it. Letters: the activity, its share, that of waiting. */
static void levels_show_the_first_thread(void **state)
{
    (void)state;
    for (uint16_t thread = 0; thread < 2; thread++) {
        struct trace *trace = make_trace();
        uint16_t threads[3] = {0, thread, 0};
        struct wait wait = {.rank = 0,
                            .call = 0,
                            .thread = thread,
                            .from_ps = 11 * US,
                            .until_ps = 12 * US,
                            .severity_ps = US,
                            .cause_rank = 1,
                            .cause_call = 0};
        const struct analyze_found found = {.waits = {.items = &wait, .count = 1}};
        trace->ranks[0].thread = threads;
        cJSON *json = write(trace, &found, (struct timeline_options){0, 0, 0});
        trace->ranks[0].thread = NULL;
        assert_non_null(json);
        const cJSON *level = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "levels"), 0);
        const double piece_ps = cJSON_GetObjectItem(level, "piece_ps")->valuedouble;
        const char *row = cJSON_GetArrayItem(cJSON_GetObjectItem(level, "rows"), 0)->valuestring;
        const size_t call = (size_t)(2.5 * US / piece_ps), gap = (size_t)(1.5 * US / piece_ps); /* since 11 us */
        int waits = 0; /* pieces that wait: their third letter is above A */
        for (size_t i = 2; i < strlen(row); i += 3) waits += row[i] > 'A';
        assert_int_equal(waits > 0, thread == 0);
        assert_int_equal(row[3 * call] == row[3 * gap], thread == 1);
        cJSON_Delete(json);
        trace_free(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_have_their_limits),
        cmocka_unit_test(more_calls_become_levels),
        cmocka_unit_test(transfers_are_limited),
        cmocka_unit_test(levels_show_the_first_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
