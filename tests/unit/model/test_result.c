/* Results: what the analysis puts into them, and their way to JSON and back. */
#include "common/json/json_write.h"
#include "model_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "model/waits/properties.h"
#include "model/result/result.h"
#include "model/result/result_csv.h"

/* Two ranks from 100 us on; rank 0 ends at 1100, rank 1 at 900: 1000 and 800 us, 1800 in all.
 * Rank 0: start 110-210 waits for the post at 200 (90 us), put 220-230 of 1000 bytes, complete 250-260.
 * Rank 1: wait 240-300 until complete at 250 (10 us); a barrier 800-900, rank 0's 850-1100: rank 1 waits 50.
 * The put is bounded by 230 - 220 = 10 us and 300 - 220 = 80 us: 1e8 and 1.25e7 bytes per second. */
static const char *const text = "ranks 2\nwindow 0 comm=0\n"
                                "0 0.000100 enter main\n0 0.000105 enter exchange\n"
                                "0 0.000110 0.000210 MPI_Win_start win=0 group=1\n"
                                "0 0.000220 0.000230 MPI_Put win=0 target=1 bytes=1000\n"
                                "0 0.000250 0.000260 MPI_Win_complete win=0\n"
                                "0 0.000270 leave exchange\n"
                                "0 0.000850 0.001100 MPI_Barrier comm=0\n0 0.001100 leave main\n"
                                "1 0.000200 0.000201 MPI_Win_post win=0 group=0\n"
                                "1 0.000240 0.000300 MPI_Win_wait win=0\n1 0.000800 0.000900 MPI_Barrier comm=0\n";

/* As a reader of the file gets it. */
static cJSON *json_of(const struct result *result)
{
    struct err err;
    cJSON *json;
    assert_int_equal(result_to_json(result, &json, &err), STATUS_OK);
    char *printed = json_print(json, JSON_LINES);
    cJSON_Delete(json);
    json = cJSON_Parse(printed);
    free(printed);
    assert_non_null(json);
    return json;
}

static struct result *analyzed(const char *trace_text)
{
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(trace_text);
    if (model_analyze(trace, NULL, &result, &err) != STATUS_OK) fail_msg("%s", err.text);
    trace_free(trace);
    return result;
}

static const struct result_property *property(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->property_count; i++)
        if (strcmp(result->properties[i].name, name) == 0) return &result->properties[i];
    fail_msg("no property %s", name);
    return NULL;
}

static double property_s(const struct result *result, const char *name)
{
    return property(result, name)->inclusive_s;
}

#define NEAR(found, expected) assert_float_equal((float)((found)*1e6), (float)(expected), 1e-3f)

static void times_and_properties(void **state)
{
    (void)state;
    struct result *result = analyzed(text);
    NEAR(result->run_time_s, 1000);
    NEAR(result->rank_time_s[0], 1000);
    NEAR(result->rank_time_s[1], 800);
    NEAR(property_s(result, "time_s"), 1800);
    NEAR(property_s(result, "execution_s"), 1800);
    NEAR(property_s(result, "rma_active_target_s"), 100 + 10 + 1 + 60);
    NEAR(property_s(result, "rma_communication_s"), 10);
    NEAR(property_s(result, "barrier_s"), 250 + 100);
    NEAR(property_s(result, "rma_synchronization_s"), 171);
    NEAR(property_s(result, "synchronization_s"), 521);
    NEAR(property_s(result, "communication_s"), 10);
    NEAR(property_s(result, "mpi_s"), 531);
    NEAR(property_s(result, "user_s"), 1800 - 531);
    NEAR(property_s(result, "rma_fence_s"), 0);
    result_free(result);
}

/* The time of a wait counts as that of the functions that made its requests. One-sided are the first put, 2 us, its wait, 40 us,
 * and the second put, 1 us. Of messages are the receives, 1 us each, the wait for the first one, 10 us, the wait for a put and a
 * receive, 20 us, and the sends of rank 1, 3 + 4 us. The barrier takes 1 + 5 us, and rank 1 1 + 6 us. */
static void waits_for_requests(void **state)
{
    struct result *result = analyzed("ranks 2\nwindow 0 comm=0\n0 0.000010 0.000011 MPI_Win_lock win=0 target=1 lock=shared\n"
                                     "0 0.000020 0.000022 MPI_Rput win=0 target=1 bytes=8 req=1\n"
                                     "0 0.000030 0.000070 MPI_Wait req=1\n"
                                     "0 0.000080 0.000081 MPI_Irecv comm=0 peer=1 tag=0 bytes=8 req=2\n"
                                     "0 0.000090 0.000100 MPI_Wait req=2\n"
                                     "0 0.000110 0.000111 MPI_Ibarrier comm=0 req=3\n0 0.000120 0.000125 MPI_Wait req=3\n"
                                     "0 0.000130 0.000131 MPI_Rput win=0 target=1 bytes=8 req=4\n"
                                     "0 0.000132 0.000133 MPI_Irecv comm=0 peer=1 tag=0 bytes=8 req=5\n"
                                     "0 0.000140 0.000160 MPI_Waitall reqs=4,5\n"
                                     "0 0.000170 0.000171 MPI_Win_unlock win=0 target=1\n"
                                     "1 0.000090 0.000093 MPI_Send comm=0 peer=0 tag=0 bytes=8\n"
                                     "1 0.000110 0.000111 MPI_Ibarrier comm=0 req=1\n1 0.000120 0.000126 MPI_Wait req=1\n"
                                     "1 0.000150 0.000154 MPI_Send comm=0 peer=0 tag=0 bytes=8\n");
    (void)state;
    NEAR(property_s(result, "rma_communication_s"), 2 + 40 + 1);
    NEAR(property_s(result, "point_to_point_s"), 1 + 10 + 1 + 20 + 3 + 4);
    NEAR(property_s(result, "barrier_s"), 1 + 5 + 1 + 6);
    NEAR(property_s(result, "rma_passive_target_s"), 1 + 1);
    result_free(result);
}

/* In the wait for a get and a receive, 70 us, the get's target was outside MPI for 50. These are one-sided, as the 1 us of the
 * get. The other 20 and the 1 us of the receive, which waits for nobody, are of messages. */
static void progress_in_waits_for_requests(void **state)
{
    struct result *result = analyzed("ranks 2\nproperty simulated=1\nwindow 0 comm=0\n"
                                     "0 0.000010 0.000011 MPI_Win_lock win=0 target=1 lock=shared\n"
                                     "0 0.000020 0.000021 MPI_Rget win=0 target=1 bytes=8 req=1\n"
                                     "0 0.000022 0.000023 MPI_Irecv comm=0 peer=- tag=0 bytes=0 req=2\n"
                                     "0 0.000030 0.000100 MPI_Waitall reqs=1,2 progress_from=0.000040 progress_until=0.000090\n"
                                     "0 0.000110 0.000111 MPI_Win_unlock win=0 target=1\n"
                                     "1 0.000090 0.000091 MPI_Comm_group comm=0\n");
    (void)state;
    NEAR(result->patterns[PATTERN_WAIT_FOR_PROGRESS].severity_s, 50);
    NEAR(property_s(result, "rma_communication_s"), 1 + 50);
    NEAR(property(result, "rma_communication_s")->exclusive_s, 1);
    NEAR(property_s(result, "point_to_point_s"), 1 + 20);
    NEAR(property(result, "point_to_point_s")->exclusive_s, 1 + 20);
    result_free(result);
}

/* The wait for a get and a receive, 30-100. The send begins at 45, its message is there at 60; the get's request waits for its
 * target from 40 to 90. Both are missing until 60: 30 of the 70 us are Wait for Progress, and 40 are the wait for the message. */
static void progress_behind_a_message(void **state)
{
    (void)state;
    struct result *result = analyzed("ranks 3\nproperty simulated=1\nwindow 0 comm=0\n"
                                     "0 0.000010 0.000011 MPI_Win_lock win=0 target=1 lock=shared\n"
                                     "0 0.000020 0.000021 MPI_Rget win=0 target=1 bytes=8 req=1\n"
                                     "0 0.000022 0.000023 MPI_Irecv comm=0 peer=2 tag=0 bytes=8 req=2\n"
                                     "0 0.000030 0.000100 MPI_Waitall reqs=1,2 progress_from=0.000060 progress_until=0.000090\n"
                                     "0 0.000110 0.000111 MPI_Win_unlock win=0 target=1\n"
                                     "1 0.000090 0.000091 MPI_Comm_group comm=0\n"
                                     "2 0.000045 0.000046 MPI_Send comm=0 peer=0 tag=0 bytes=8\n");
    NEAR(result->patterns[PATTERN_WAIT_FOR_PROGRESS].severity_s, 30);
    NEAR(result->patterns[PATTERN_WAIT_IN_RECEIVER_COMPLETION].severity_s, 40);
    NEAR(property(result, "rma_communication_s")->exclusive_s, 1);
    NEAR(property(result, "point_to_point_s")->exclusive_s, 1 + 1);
    for (size_t i = 0; i < result->check_count; i++) assert_true(result->checks[i].holds);
    result_free(result);
}

static void exclusive_times(void **state)
{
    (void)state;
    struct result *result = analyzed(text);
    double exclusive_s = 0, waits_s = 0;
    for (size_t i = 0; i < result->property_count; i++) exclusive_s += result->properties[i].exclusive_s;
    for (int p = 0; p < PATTERN_COUNT; p++)
        if (pattern_whole((enum pattern)p) == (enum pattern)p) waits_s += result->patterns[p].severity_s;
    NEAR(exclusive_s + waits_s, 1800);
    /* 171 without Late Post 90 and Early Wait 10. */
    NEAR(result->properties[PROPERTY_RMA_ACTIVE_TARGET].exclusive_s, 71);
    result_free(result);
}

static void places_of_waits(void **state)
{
    (void)state;
    struct result *result = analyzed(text);
    const struct result_pattern *late_post = &result->patterns[PATTERN_LATE_POST];
    NEAR(late_post->severity_s, 90);
    NEAR(late_post->rank_severity_s[0], 90);
    assert_int_equal(late_post->count, 1);
    assert_int_equal(late_post->place_count, 1);
    assert_string_equal(late_post->places[0].callpath, "main/exchange/MPI_Win_start");
    assert_null(late_post->places[0].file);
    assert_string_equal(result->patterns[PATTERN_EARLY_WAIT].places[0].callpath, "MPI_Win_wait");
    result_free(result);
}

/* Three ranks wait in one line for rank 0's sends: rank 1 once for 30 us, rank 2 20 + 20, rank 3 10; the longest single
 * wait is rank 1's, the worst rank of the place 2. At the second line rank 3 waits 90: the worst place is its. */
static void who_waits(void **state)
{
    (void)state;
    struct err err;
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    options.per_rank = true;
    struct trace *trace = trace_of(
        "ranks 4\n0 0.000100 0.000100 MPI_Send comm=0 peer=1 tag=1 bytes=8\n"
        "0 0.000100 0.000100 MPI_Send comm=0 peer=2 tag=1 bytes=8\n"
        "0 0.000100 0.000100 MPI_Send comm=0 peer=3 tag=1 bytes=8\n"
        "0 0.000200 0.000200 MPI_Send comm=0 peer=2 tag=1 bytes=8\n"
        "0 0.000200 0.000200 MPI_Send comm=0 peer=3 tag=1 bytes=8\n"
        "1 0.000070 0.000101 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"
        "2 0.000080 0.000101 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"
        "2 0.000180 0.000201 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"
        "3 0.000090 0.000101 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n"
        "3 0.000110 enter late\n3 0.000110 0.000201 MPI_Recv comm=0 peer=0 tag=1 bytes=8\n3 0.000201 leave late\n");
    assert_int_equal(trace_set_node(trace, 2, "n1", &err), STATUS_OK);
    assert_int_equal(model_analyze(trace, &options, &result, &err), STATUS_OK);
    for (int again = 0; again < 2; again++) { /* as analysed, then as read back */
        const struct result_place *places = result->patterns[PATTERN_LATE_SENDER].places;
        assert_int_equal(result->patterns[PATTERN_LATE_SENDER].place_count, 2);
        assert_string_equal(places[0].callpath, "late/MPI_Recv");
        assert_int_equal(places[0].who.rank, 3);
        assert_null(places[0].who.node);
        assert_int_equal(places[1].who.rank, 2);
        assert_int_equal(places[1].who.thread, -1);
        assert_string_equal(places[1].who.node, "n1");
        assert_int_equal(places[1].rank_count, 3);
        const double us[] = {30, 40, 10};
        for (int i = 0; i < 3; i++) {
            assert_int_equal(places[1].ranks[i].who.rank, i + 1);
            assert_int_equal(places[1].ranks[i].count, i == 1 ? 2 : 1);
            NEAR(places[1].ranks[i].severity_s, us[i]);
        }
        cJSON *json = json_of(result);
        result_free(result);
        assert_int_equal(result_from_json(json, "result.json", &result, &err), STATUS_OK);
        cJSON_Delete(json);
    }
    result_free(result);
    trace_free(trace);
}

static void sites_in_places(void **state)
{
    (void)state;
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(text);
    uint32_t site, other;
    assert_int_equal(trace_add_site(trace, "exchange", "halo.c", 40, &site, &err), STATUS_OK);
    assert_int_equal(trace_add_site(trace, "solve", "solve.c", 7, &other, &err), STATUS_OK);
    for (size_t i = 0; i < trace->ranks[0].count; i++) trace->ranks[0].calls[i].site = site;
    for (size_t i = 0; i < trace->ranks[1].count; i++) trace->ranks[1].calls[i].site = other;
    assert_int_equal(model_analyze(trace, NULL, &result, &err), STATUS_OK);
    const struct result_place *place = &result->patterns[PATTERN_LATE_POST].places[0];
    assert_string_equal(place->callpath, "main/exchange");
    assert_string_equal(place->file, "halo.c");
    assert_int_equal(place->line, 40);
    assert_string_equal(result->patterns[PATTERN_EARLY_WAIT].places[0].callpath, "solve");
    result_free(result);
    trace_free(trace);
}

static void transfers_of_a_run(void **state)
{
    (void)state;
    struct result *result = analyzed(text);
    assert_int_equal(result->transfer_count, 1);
    assert_int_equal(result->transfer_bytes, 1000);
    assert_float_equal(result->lower_bound_Bps.median, 1.25e7f, 1.0f);
    assert_float_equal(result->upper_bound_Bps.median, 1e8f, 10.0f);
    assert_false(result->within_known);
    assert_int_equal(result->transfer_groups[TRANSFERS_OF_PAIR].count, 1);
    assert_string_equal(result->transfer_groups[TRANSFERS_OF_PAIR].items[0].kind, "put");
    result_free(result);
}

static void true_ends(void **state)
{
    (void)state;
    struct err err;
    struct result *result;
    struct trace *trace = trace_of(text);
    struct trace_sim sim[8] = {{.xfer_end_ps = TRACE_UNKNOWN_PS}};
    trace->provenance.simulated = true; /* as a simulated trace in text, which holds no true ends */
    assert_int_equal(model_analyze(trace, NULL, &result, &err), STATUS_OK);
    assert_false(result->within_known);
    result_free(result);
    trace->ranks[0].sim = sim;
    sim[3].xfer_end_ps = 230 * US; /* event 4 is the put, 220-230 */
    assert_int_equal(model_analyze(trace, NULL, &result, &err), STATUS_OK);
    assert_true(result->within_known);
    assert_int_equal(result->within_bounds, 1);
    result_free(result);
    trace->ranks[0].sim = NULL;
    trace_free(trace);
}

static void empty_intervals(void **state)
{
    (void)state;
    /* Calls without duration; of four rates 1, 2, 4, 8 MB/s the median is 3. */
    struct result *result = analyzed("ranks 1\nwindow 0 comm=0\n0 0.0 0.0 MPI_Win_lock win=0 target=0 lock=shared\n"
                                     "0 0.000007 0.000007 MPI_Put win=0 target=0 bytes=1\n"
                                     "0 0.000007 0.000007 MPI_Put win=0 target=0 bytes=2\n"
                                     "0 0.000007 0.000007 MPI_Put win=0 target=0 bytes=4\n"
                                     "0 0.000007 0.000007 MPI_Put win=0 target=0 bytes=8\n"
                                     "0 0.000008 0.000008 MPI_Win_unlock win=0 target=0\n");
    assert_int_equal(result->upper_bound_Bps.count, 0);
    assert_int_equal(result->upper_bound_Bps.unbounded, 4);
    assert_int_equal(result->lower_bound_Bps.count, 4);
    assert_float_equal(result->lower_bound_Bps.median, 3e6f, 1.0f);
    assert_float_equal(result->lower_bound_Bps.mean, 3.75e6f, 1.0f);
    assert_float_equal(result->lower_bound_Bps.max, 8e6f, 1.0f);
    result_free(result);
}

static void notes_of_a_run(void **state)
{
    (void)state;
    struct result *result = analyzed("ranks 2\nwindow 0 comm=0\n0 0.0 0.1 MPI_Win_start win=0 group=1\n"
                                     "0 0.2 0.3 MPI_Send comm=0 peer=1 tag=0 bytes=8\n0 0.4 0.5 MPI_Barrier comm=0\n"
                                     "1 0.0 0.1 MPI_Win_post win=0 group=0\n1 0.2 0.3 MPI_Win_wait win=0\n"
                                     "1 0.4 0.5 MPI_Win_post win=0 group=0\n");
    const char *const expected[] = {"rank 0, event 1 (MPI_Win_start): the access epoch has no end",
                                    "rank 1, event 3 (MPI_Win_post): the exposure epoch has no end",
                                    "rank 1, event 3 (MPI_Win_post): an origin of the group never starts an epoch for "
                                    "this post",
                                    "rank 0, event 3 (MPI_Barrier): not all members finish this collective call, "
                                    "rank 1 does not",
                                    "1 sends are not received in the trace, first rank 0, event 2 (MPI_Send) to rank 1 "
                                    "(tag 0)"};
    assert_int_equal(result->note_count, 5);
    for (size_t i = 0; i < 5; i++) assert_string_equal(result->notes[i], expected[i]);
    result_free(result);
}

static void json_round_trip(void **state)
{
    (void)state;
    struct err err;
    struct result *first = analyzed(text), *second;
    first->origin = TRACE_SIMULATED;
    first->within_known = true;
    first->platform = strdup("two nodes");
    first->events = 12;
    first->wall_s = 1.5;
    cJSON *json = json_of(first);
    if (result_from_json(json, "r.json", &second, &err) != STATUS_OK) fail_msg("%s", err.text);
    cJSON *again = json_of(second);
    assert_true(cJSON_Compare(json, again, 1));
    assert_true(second->wall_s == 1.5);
    cJSON_Delete(json);
    cJSON_Delete(again);
    result_free(first);
    result_free(second);
}

static void json_carries_what_is_not_read(void **state)
{
    (void)state;
    struct err err;
    struct result *first, *second;
    struct trace *trace = trace_of(text);
    const struct analyze_options options = {.intervals = true, .per_rank = true};
    assert_int_equal(model_analyze(trace, &options, &first, &err), STATUS_OK);
    trace_free(trace);
    cJSON *json = json_of(first);
    assert_true(cJSON_IsObject(cJSON_GetObjectItem(json, "efficiency")));
    assert_true(cJSON_IsObject(cJSON_GetObjectItem(json, "causes")));
    if (result_from_json(json, "r.json", &second, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_null(second->efficiency);
    cJSON *again = json_of(second);
    assert_true(cJSON_Compare(json, again, 1));
    cJSON_Delete(json);
    cJSON_Delete(again);
    result_free(first);
    result_free(second);
}

static void json_keys(void **state)
{
    (void)state;
    static const char *const keys[] = {"schema",     "trace",     "origin",     "platform",    "semantics",
                                       "engine",     "ranks",     "run_time_s", "rank_time_s", "patterns",
                                       "properties", "transfers", "efficiency", "engine_stats"};
    struct result *result = analyzed(text);
    cJSON *json = json_of(result);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) assert_true(cJSON_HasObjectItem(json, keys[i]));
    assert_string_equal(cJSON_GetObjectItem(json, "schema")->valuestring, "rmacast.result/1");
    assert_string_equal(cJSON_GetObjectItem(json, "origin")->valuestring, "recorded");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "platform")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "transfers"), "within_bounds")));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "patterns")), PATTERN_COUNT);
    const cJSON *pattern;
    cJSON_ArrayForEach(pattern, cJSON_GetObjectItem(json, "patterns"))
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(pattern, "rank_severity_s")), 2);
    cJSON_Delete(json);
    result_free(result);
}

static void expect_json_fault(const char *json_text, const char *const *words)
{
    struct err err;
    struct json_document document;
    struct result *result;
    assert_int_equal(json_parse(json_text, "r.json", &document, &err), STATUS_OK);
    assert_int_equal(result_from_json(document.root, document.file, &result, &err), STATUS_DATA);
    for (; *words; words++)
        if (!strstr(err.text, *words)) fail_msg("\"%s\" does not hold \"%s\"", err.text, *words);
    json_close(&document);
}

#define JSON_FAULT(text, ...) expect_json_fault(text, (const char *const[]){"r.json:", __VA_ARGS__, NULL})

#define HEAD "{\"schema\": \"rmacast.result/1\", \"origin\": \"recorded\", \"run_time_s\": 1, "

static void json_faults(void **state)
{
    (void)state;
    JSON_FAULT("[]", "expected an object");
    JSON_FAULT("{}", "schema", "missing");
    JSON_FAULT("{\"schema\": \"rmacast.comparison/1\", \"results\": []}", "schema", "comparison",
               "expected one result");
    JSON_FAULT("{\"schema\": \"rmacast.platform/1\"}", "schema", "rmacast.result/1");
    JSON_FAULT("{\"schema\": \"rmacast.result/1\"}", "ranks", "missing");
    JSON_FAULT("{\"schema\": \"rmacast.result/1\", \"ranks\": 1, \"origin\": \"guessed\"}", "origin",
               "recorded, simulated, generated or described");
    JSON_FAULT(HEAD "\"ranks\": 2, \"rank_time_s\": [1]}", "rank_time_s", "2 ranks");
    JSON_FAULT(HEAD "\"ranks\": 1, \"rank_time_s\": [1], \"patterns\": [{\"name\": \"late_post\", \"severity_s\": 0,"
                    "\"count\": 0, \"at_most\": false, \"rank_severity_s\": [\"x\"]}]}",
               "patterns[0].rank_severity_s[0]", "number");
    JSON_FAULT(HEAD "\"ranks\": 1, \"rank_time_s\": [1], \"patterns\": [{\"name\": \"late_pots\"}]}",
               "patterns[0].name", "late_pots");
}

static void table_of_a_run(void **state)
{
    (void)state;
    char *table = NULL;
    size_t bytes = 0;
    struct result *result = analyzed(text);
    FILE *out = open_memstream(&table, &bytes);
    result_print(result, out);
    fclose(out);
    assert_non_null(strstr(table, "Late Post"));
    assert_non_null(strstr(table, "main/exchange/MPI_Win_start"));
    assert_non_null(strstr(table, "latest post"));
    assert_non_null(strstr(table, "5.0 %")); /* 90 of 1800 us */
    free(table);
    result_free(result);
}

static void expect_csv(const char *expected, void (*write)(const struct result *, FILE *), const struct result *result)
{
    char *table = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&table, &bytes);
    write(result, out);
    fclose(out);
    if (!strstr(table, expected)) fail_msg("\"%s\" does not hold \"%s\"", table, expected);
    free(table);
}

static void csv(void **state)
{
    (void)state;
    struct result *result = analyzed(text);
    expect_csv("pattern,rank,severity_s,at_most\nlate_post,0,9e-05,0\nlate_post,1,0,0\n", csv_write_patterns, result);
    expect_csv("property,parent,inclusive_s,exclusive_s\ntime_s,,0.0018,0\n", csv_write_properties, result);
    expect_csv("pattern,callpath,file,line,severity_s,count,rank,thread,node,"
               "other_earlier_s,own_later_s,distance_s,advised_s\n",
               csv_write_places, result);
    expect_csv("\nlate_post,main/exchange/MPI_Win_start,,,9e-05,1,0,,,9e-05,", csv_write_places, result);
    free(result->patterns[PATTERN_LATE_POST].places[0].callpath);
    result->patterns[PATTERN_LATE_POST].places[0].callpath = strdup("f(a, \"b\")");
    expect_csv("\nlate_post,\"f(a, \"\"b\"\")\",,,9e-05,1,0,,,9e-05,", csv_write_places, result);
    result_free(result);
}

static void transfers_csv(void **state)
{
    (void)state;
    struct err err;
    struct result *result;
    struct analyze_options options = ANALYZE_DEFAULTS;
    struct trace *trace = trace_of(text);
    char *table = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&table, &bytes);
    assert_int_equal(transfer_log_new(&options.transfers, &err), STATUS_OK);
    assert_int_equal(model_analyze(trace, &options, &result, &err), STATUS_OK);
    assert_int_equal(csv_write_transfers(options.transfers, trace_begin_ps(trace), out, &err), STATUS_OK);
    fclose(out);
    /* Since the first event at 100 us: put 220-230, the target's wait ends at 300; the true end is not known. */
    assert_non_null(strstr(table, "\n0,1,0,put,1000,0.000120000000,0.000130000000,0.000200000000,\n"));
    free(table);
    result_free(result);
    transfer_log_free(options.transfers);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_and_properties),
        cmocka_unit_test(waits_for_requests),
        cmocka_unit_test(progress_in_waits_for_requests),
        cmocka_unit_test(progress_behind_a_message),
        cmocka_unit_test(exclusive_times),
        cmocka_unit_test(places_of_waits),
        cmocka_unit_test(who_waits),
        cmocka_unit_test(sites_in_places),
        cmocka_unit_test(transfers_of_a_run),
        cmocka_unit_test(true_ends),
        cmocka_unit_test(empty_intervals),
        cmocka_unit_test(notes_of_a_run),
        cmocka_unit_test(json_round_trip),
        cmocka_unit_test(json_carries_what_is_not_read),
        cmocka_unit_test(json_keys),
        cmocka_unit_test(json_faults),
        cmocka_unit_test(table_of_a_run),
        cmocka_unit_test(csv),
        cmocka_unit_test(transfers_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
