/* Verdicts and platform sections from a mock of measured delays, for each value that a platform file knows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platforms/platform.h"
#include "probe_test.h"

static const char *const operations[] = {"put", "get", "accumulate"};

static struct platform *platform_of(struct probe_record *record)
{
    struct platform *platform = probe_platform(record);
    probe_record_clear(record);
    return platform;
}

/* --- a, b, c, d --- */

/* Under d puts and accumulates wait nowhere; complete waits for the data of gets. */
static void letters(void **state)
{
    (void)state;
    static const int gets[] = {0, 1, 2, 2};
    for (int letter = 0; letter < 4; letter++) {
        struct probe_record record = {0};
        const char name[] = {(char)('a' + letter), '\0'};
        for (int i = 0; i < 3; i++)
            for (int64_t bytes = 8; bytes <= 65536; bytes *= 64)
                probe_say_tries(&record, "epoch", operations[i], bytes,
                                strcmp(operations[i], "get") == 0 ? gets[letter] : letter, 9);
        struct platform *platform = platform_of(&record);
        assert_string_equal(platform->semantics.name, name);
        platform_free(platform);
    }
}

/* Open MPI's osc/pt2pt: small puts in complete, large ones in the call, gets in complete; start returns. The limit was looked
 * for and found between 8176 and 8192 bytes. */
static void mixed_by_size(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say_tries(&record, "epoch", "none", 0, 2, 9);
    probe_say_tries(&record, "epoch", "put", 8, 2, 9);
    probe_say_tries(&record, "epoch", "put", 1024, 2, 9);
    probe_say_tries(&record, "epoch", "put", 65536, 1, 9);
    probe_say_tries(&record, "epoch", "get", 8, 2, 9);
    probe_say(&record, "rmacast-probe limit epoch put 8176 8192");
    struct platform *platform = platform_of(&record);
    assert_string_equal(platform->semantics.name, "table");
    assert_false(platform->semantics.start_waits);
    assert_int_equal(semantics_waits(&platform->semantics, RMA_PUT, 8176), WAITS_COMPLETE);
    assert_int_equal(semantics_waits(&platform->semantics, RMA_PUT, 8177), WAITS_CALL);
    assert_int_equal(semantics_waits(&platform->semantics, RMA_GET, 1 << 20), WAITS_COMPLETE);
    platform_free(platform);
}

/* Open MPI's osc/pt2pt with a third rank: what waits for its target's post waits for those of the group. Gets were not asked. */
static void posts_of_a_group(void **state)
{
    (void)state;
    for (int group = 0; group < 2; group++) {
        struct probe_record record = {0};
        probe_say_tries(&record, "epoch", "put", 8, 2, 9);
        probe_say_tries(&record, "epoch", "put", 65536, 1, 9);
        probe_say(&record, "rmacast-probe limit epoch put 8176 8192");
        probe_say_tries(&record, "epoch", "get", 8, 2, 9);
        probe_say_tries(&record, "group", "put", 65536, group ? 1 : 3, 9);
        probe_say_tries(&record, "group_queued", "put", 8, group ? 0 : 1, 9);
        struct platform *platform = platform_of(&record);
        assert_int_equal(semantics_waits(&platform->semantics, RMA_PUT, 8176), WAITS_COMPLETE);
        assert_int_equal(semantics_waits(&platform->semantics, RMA_PUT, 8177), WAITS_CALL);
        assert_int_equal(semantics_waits_for_group(&platform->semantics, RMA_PUT, 8), group);
        assert_int_equal(semantics_waits_for_group(&platform->semantics, RMA_PUT, 8177), group);
        assert_false(semantics_waits_for_group(&platform->semantics, RMA_GET, 8));
        platform_free(platform);
    }
}

/* b and c for one target are letters; b for the group needs a table, also where all sizes wait alike. */
static void a_letter_waits_for_one_target(void **state)
{
    (void)state;
    for (int waits = 1; waits <= 2; waits++)
        for (int group = 0; group < 2; group++) {
            struct probe_record record = {0};
            for (int i = 0; i < 3; i++) probe_say_tries(&record, "epoch", operations[i], 8, waits, 9);
            if (waits == 1)
                probe_say_tries(&record, "group", "put", 8, group ? 1 : 3, 9);
            else
                probe_say_tries(&record, "group_queued", "put", 8, group ? 0 : 1, 9);
            struct platform *platform = platform_of(&record);
            assert_string_equal(platform->semantics.name, group ? "table" : waits == 1 ? "b" : "c");
            assert_int_equal(semantics_waits_for_group(&platform->semantics, RMA_PUT, 1 << 20), group);
            assert_false(semantics_waits_for_group(&platform->semantics, RMA_ACCUMULATE, 8));
            platform_free(platform);
        }
}

static void say_d(struct probe_record *record)
{
    for (int i = 0; i < 3; i++) probe_say_tries(record, "epoch", operations[i], 8, i == 1 ? 2 : 3, 9);
}

/* The second, the fourth, or none of 65 epochs waits for the first post. */
static void epochs_ahead(void **state)
{
    (void)state;
    static const int64_t epochs[] = {2, 3, 5, 65};
    static const struct {
        int returning; /* of the numbers of epochs */
        int64_t ahead;
    } rows[] = {{0, 1}, {2, 3}, {4, INT64_MAX}};
    for (int row = 0; row < 3; row++) {
        struct probe_record record = {0};
        say_d(&record);
        for (int i = 0; i < 4; i++)
            probe_say_tries(&record, "ahead", "none", epochs[i], i < rows[row].returning ? 2 : i == 3 ? 0 : 1, 9);
        if (row == 1) probe_say(&record, "rmacast-probe limit ahead none 3 4");
        struct platform *platform = platform_of(&record);
        assert_string_equal(platform->semantics.name, "d");
        assert_int_equal(platform->epochs_ahead, rows[row].ahead);
        platform_free(platform);
    }
}

/* Puts of 100000 bytes in all are copied. A single one that is larger waits in its call, as d says of it; one that is far smaller
 * and waits has a limit of its own. Not even 1 MB fills the second buffer. */
static void room_of_the_buffer(void **state)
{
    (void)state;
    static const struct {
        const char *limit; /* of a single put */
        int64_t waiting;   /* the tried size above it */
        const char *name;
    } rows[] = {{"rmacast-probe limit epoch put 99616 100384", 1 << 20, "d"},
                {"rmacast-probe limit epoch put 16384 16512", 65536, "table"},
                /* a sixteenth of 99616 less, 93390, is as large */
                {"rmacast-probe limit epoch put 93000 93390", 1 << 20, "d"},
                {"rmacast-probe limit epoch put 93000 93389", 1 << 20, "table"}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct probe_record record = {0};
        say_d(&record);
        probe_say_tries(&record, "epoch", "put", rows[row].waiting, 1, 9);
        probe_say(&record, "%s", rows[row].limit);
        probe_say_tries(&record, "buffer", "put", 65536, 2, 9);
        probe_say_tries(&record, "buffer", "put", 1 << 20, 0, 9);
        probe_say(&record, "rmacast-probe limit buffer put 99616 100384");
        struct platform *platform = platform_of(&record);
        assert_string_equal(platform->semantics.name, rows[row].name);
        assert_int_equal(platform->semantics.buffer_bytes, 99616);
        platform_free(platform);
    }
    struct probe_record record = {0};
    say_d(&record);
    probe_say_tries(&record, "buffer", "put", 1024, 2, 9);
    probe_say_tries(&record, "buffer", "put", 1 << 20, 2, 9);
    struct platform *platform = platform_of(&record);
    assert_true(platform->semantics.buffer_bytes == INT64_MAX);
    platform_free(platform);
    /* 64 KB that fit are taken for no limit, less says nothing: the section has no such key. */
    for (int64_t most = 65535; most <= 65536; most++) {
        say_d(&record);
        probe_say_tries(&record, "buffer", "put", most, 2, 9);
        struct probe_findings findings = probe_evaluated(&record);
        struct err err;
        cJSON *mpi;
        assert_int_equal(probe_section(&findings, &mpi, &err), STATUS_OK);
        assert_int_equal(cJSON_HasObjectItem(cJSON_GetObjectItem(mpi, "rma"), "buffer_bytes"), most == 65536);
        cJSON_Delete(mpi);
        probe_findings_clear(&findings);
        probe_record_clear(&record);
    }
}

/* Start waits, though an empty epoch is all that was asked of it: operations that never wait beside it. */
static void start_that_waits_beside_operations_that_do_not(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say_tries(&record, "epoch", "none", 0, 0, 9);
    probe_say_tries(&record, "epoch", "put", 8, 0, 9);
    probe_say_tries(&record, "epoch", "get", 8, 2, 9);
    struct platform *platform = platform_of(&record);
    assert_true(platform->semantics.start_waits);
    assert_int_equal(semantics_waits(&platform->semantics, RMA_PUT, 8), WAITS_START);
    assert_int_equal(semantics_waits(&platform->semantics, RMA_GET, 8), WAITS_COMPLETE);
    platform_free(platform);
}

/* --- the protocol's entries, each of both values --- */

/* Calls wait for a partner outside MPI (0), or not. */
static struct platform *protocol(bool waits)
{
    struct probe_record record = {0};
    for (int i = 0; i < 3; i++) {
        probe_say_tries(&record, "served", operations[i], 8, waits ? 1 : 3, 9);
        probe_say_tries(&record, "complete", operations[i], 8, waits ? 1 : 2, 9);
    }
    probe_say_tries(&record, "served", "fetch_and_op", 8, waits ? 2 : 3, 9);
    probe_say_tries(&record, "lock_held", "put", 8, waits ? 0 : 2, 9);
    probe_say_tries(&record, "lock_asleep", "none", 0, waits ? 0 : 2, 9);
    probe_say_tries(&record, "unlock_asleep", "none", 0, waits ? 1 : 2, 9);
    probe_say_tries(&record, "relock", "none", 0, waits ? 0 : 2, 9);
    probe_say_tries(&record, "flush_later", "put", 8, waits ? 0 : 1, 9);
    probe_say_tries(&record, "fence", "noprecede|nosucceed", 0, waits ? 0 : 1, 9);
    probe_say_tries(&record, "send_posted", "none", 65536, waits ? 0 : 1, 9);
    probe_say_tries(&record, "send_left", "none", 65536, waits ? 0 : 1, 9);
    probe_say_tries(&record, "issue", "put", 8, waits ? 0 : 1, 9);
    probe_say_tries(&record, "issue", "put", 1 << 20, waits ? 0 : 1, 9);
    return platform_of(&record);
}

static void assert_steps(const struct rma_protocol *found, enum steps_call call, const char *expected)
{
    char text[STEPS_TEXT_BYTES];
    assert_string_equal(steps_text(&found->calls[call], text), expected);
}

static void all_wait(void **state)
{
    (void)state;
    struct platform *platform = protocol(true);
    const struct rma_protocol *found = &platform->protocol;
    for (int service = 0; service < SERVICE_COUNT; service++)
        assert_int_equal(protocol_serves(found, (enum service)service, 8), PROGRESS_CALL);
    assert_steps(found, STEPS_COMPLETE, "issue,query,answer,notify");
    assert_int_equal(found->local[RMA_PUT], LOCAL_ACKNOWLEDGED);
    assert_steps(found, STEPS_UNLOCK, "issue,query,answer,release,answer");
    assert_steps(found, STEPS_FLUSH, "issue,query,answer");
    assert_steps(found, STEPS_FENCE, "issue,query,answer,barrier");
    assert_steps(found, STEPS_LOCK, "ask,grant");
    assert_int_equal(platform->progress, PROGRESS_CALL);
    assert_int_equal(platform->issue, ISSUE_DEFERRED);
    assert_int_equal(platform->rendezvous, RENDEZVOUS_DIRECT);
    platform_free(platform);
}

/* A message that is received while its sender is outside MPI is read by its receiver, if that one's calls serve requests to send.
 * In none_waits hardware serves them. */
static void messages_that_are_read(void **state)
{
    (void)state;
    for (int read = 0; read < 2; read++) {
        struct probe_record record = {0};
        probe_say_tries(&record, "send_posted", "none", 65536, 0, 9);
        probe_say_tries(&record, "send_left", "none", 65536, read, 9);
        /* round trips of 4 L and of 10 ns for each byte, where L is 1 ms; without the verdict they would say "direct" */
        probe_say_time(&record, "put_flush", 8, 2e-3);
        for (int64_t bytes = 65536; bytes <= 262144; bytes *= 4)
            probe_say_time(&record, "round_trip", bytes, (read ? 6e-3 : 4e-3) + 10e-9 * (double)bytes);
        struct platform *platform = platform_of(&record);
        assert_int_equal(platform->rendezvous, read ? RENDEZVOUS_READ : RENDEZVOUS_DIRECT);
        platform_free(platform);
    }
}

/* A third rank that is no target shows whether a flush of all waits for it, whatever the library's name. */
static void flush_of_others(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct probe_record record = {.library = "MPICH Version:\t4.0.2"};
        probe_say_tries(&record, "served", "put", 8, 1, 9);
        probe_say_tries(&record, "flush_later", "put", 8, 0, 9);
        probe_say_tries(&record, "flush_others", "put", 8, waits ? 0 : 1, 9);
        struct platform *platform = platform_of(&record);
        assert_steps(&platform->protocol, STEPS_FLUSH, waits ? "issue,query_connected,answer" : "issue,query,answer");
        platform_free(platform);
    }
}

/* Two ranks do not show that UCX asks others, too; its library is known by how its flush asks. */
static void flush_of_mpich(void **state)
{
    (void)state;
    static const char *const found[2] = {"issue,acknowledged", "issue,query_connected,answer"};
    for (int waits = 0; waits < 2; waits++) {
        struct probe_record record = {.library = "MPICH Version:\t4.0.2"};
        probe_say_tries(&record, "served", "put", 8, 1, 9);
        probe_say_tries(&record, "flush_later", "put", 8, waits ? 0 : 1, 9);
        struct platform *platform = platform_of(&record);
        assert_steps(&platform->protocol, STEPS_FLUSH, found[waits]);
        platform_free(platform);
    }
}

static void none_waits(void **state)
{
    (void)state;
    struct platform *platform = protocol(false);
    const struct rma_protocol *found = &platform->protocol;
    assert_true(protocol_is_hardware(found));
    assert_steps(found, STEPS_COMPLETE, "issue,notify,left");
    assert_int_equal(found->local[RMA_PUT], LOCAL_COPIED);
    assert_steps(found, STEPS_UNLOCK, "issue,acknowledged,release");
    assert_steps(found, STEPS_FLUSH, "issue,acknowledged");
    assert_steps(found, STEPS_FENCE, "asserted,issue,acknowledged,barrier");
    assert_steps(found, STEPS_LOCK, "");
    assert_int_equal(platform->progress, PROGRESS_HARDWARE);
    assert_int_equal(platform->issue, ISSUE_IMMEDIATE);
    assert_int_equal(platform->rendezvous, RENDEZVOUS_DIRECT);
    platform_free(platform);
}

/* A second event 3 ms behind the first: the last call returned with the one or the other. Who serves nothing visits nobody. */
static void order_of_locks_and_visits(void **state)
{
    (void)state;
    for (int second = 0; second < 2; second++) {
        struct probe_record record = {0};
        const char *end = second ? "0.00301" : "0.00001";
        probe_say_tries(&record, "served", "put", 8, 2, 9);
        for (int i = 0; i < 9; i++) {
            probe_say(&record, "rmacast-probe delay lock_order none 0 0.003 0 -0.0029 %s %s", end, end);
            probe_say(&record, "rmacast-probe delay visit put 8 0.003 0 -0.0029 -0.0028 %s", end);
        }
        struct platform *platform = platform_of(&record);
        assert_int_equal(platform->protocol.lock_order, second ? LOCK_ORDER_SERVICE : LOCK_ORDER_ARRIVAL);
        assert_int_equal(platform->protocol.visit, second ? VISIT_WAIT : VISIT_ENTER);
        platform_free(platform);
    }
}

/* Nobody waits, but while the partner slept its other threads ran for half of the time. */
static void helper_thread(void **state)
{
    (void)state;
    struct probe_record record = {0};
    for (int i = 0; i < 9; i++)
        probe_say(&record, "rmacast-probe delay served get 8 0.003 %s -0.0029 -0.0028 -0.0027 -0.0026", i < 7 ? "0.5" : "0.01");
    struct platform *platform = platform_of(&record);
    assert_int_equal(platform->progress, PROGRESS_THREAD);
    assert_int_equal(protocol_serves(&platform->protocol, SERVICE_GET, 8), PROGRESS_THREAD);
    platform_free(platform);
}

/* Half of eight tries is not more than half: the hardware serves. */
static void half_is_no_helper_thread(void **state)
{
    (void)state;
    for (int helped = 4; helped <= 5; helped++) {
        struct probe_record record = {0};
        for (int i = 0; i < 8; i++)
            probe_say(&record, "rmacast-probe delay served get 8 0.003 %s -0.0029 -0.0028 -0.0027 -0.0026",
                      i < helped ? "0.5" : "0.01");
        struct platform *platform = platform_of(&record);
        assert_int_equal(protocol_serves(&platform->protocol, SERVICE_GET, 8),
                         helped == 5 ? PROGRESS_THREAD : PROGRESS_HARDWARE);
        platform_free(platform);
    }
}

/* Put and flush take 5 us where the partner polls, and 12 us where it sleeps and nothing disturbs its helper thread, which comes
 * 7 us late. If the hardware serves, or calls do, there is no helper thread; a helper that is faster has no delay. */
static void thread_delay(void **state)
{
    (void)state;
    static const struct {
        const char *helper, *end;
        double asleep_s, delay_s;
    } rows[] = {{"0.5", "-0.0026", 12e-6, 7e-6},
                {"0.01", "-0.0026", 12e-6, 0},
                {"0.5", "1e-5", 12e-6, 0},
                {"0.5", "-0.0026", 4e-6, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct probe_record record = {0};
        for (int k = 0; k < 9; k++)
            probe_say(&record, "rmacast-probe delay served put 8 0.003 %s -0.0029 -0.0028 -0.0027 %s", rows[i].helper,
                      rows[i].end);
        probe_say_time(&record, "put_flush", 8, 5e-6);
        probe_say(&record, "rmacast-probe time put_flush_asleep 8 %g %g %g 9e-5 8e-5 9e-5", rows[i].asleep_s, rows[i].asleep_s,
                  rows[i].asleep_s);
        struct platform *platform = platform_of(&record);
        assert_true(fabs(platform->thread_delay_s - rows[i].delay_s) < 1e-12);
        platform_free(platform);
    }
}

/* Open MPI's osc/rdma: MPI_Fetch_and_op needs the target, MPI_Get_accumulate does not. */
static void fetching_operations_differ(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say_tries(&record, "served", "fetch_and_op", 8, 2, 9);
    probe_say_tries(&record, "served", "get_accumulate", 65536, 3, 9);
    struct platform *platform = platform_of(&record);
    assert_int_equal(protocol_serves(&platform->protocol, SERVICE_FETCH, 8), PROGRESS_CALL);
    assert_int_equal(protocol_serves(&platform->protocol, SERVICE_FETCH, 16), PROGRESS_HARDWARE);
    platform_free(platform);
}

/* Sent without asking up to 8255 bytes; puts complete at their origin alone up to the largest size that was tried. */
static void eager_limits(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say_tries(&record, "send", "none", 1024, 1, 9);
    probe_say_tries(&record, "send", "none", 8192, 1, 9);
    probe_say_tries(&record, "send", "none", 65536, 0, 9);
    probe_say(&record, "rmacast-probe limit send none 8255 8256");
    probe_say_tries(&record, "served", "put", 1 << 20, 2, 9);
    struct platform *platform = platform_of(&record);
    assert_int_equal(platform->eager_bytes, 8255);
    assert_int_equal(platform->rma_eager_bytes, INT64_C(1) << 50);
    platform_free(platform);
}

static cJSON *section_of(struct probe_record *record)
{
    struct probe_findings findings = probe_evaluated(record);
    struct err err = {.text = ""};
    cJSON *mpi = NULL;
    if (probe_section(&findings, &mpi, &err) != STATUS_OK) fail_msg("%s", err.text);
    probe_findings_clear(&findings);
    probe_record_clear(record);
    return mpi;
}

/* {"value", "error", "n"}: value is the larger size that behaves like smaller ones, error the distance to the next size tried. */
static void assert_limit(const cJSON *limit, double value, double error, double n)
{
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(limit, "value")) == value);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(limit, "error")) == error);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(limit, "n")) == n);
}

/* Every limit in bytes or epochs is measured, whether it was searched for between two sizes (8176 and 8192: 16 bytes; 3 and 4
 * epochs) or not (served at 1024 and not at 65536: 64512; fetching of 8 and not of 65536 bytes; sends of 64 bytes wait already: 0
 * and 64). Nine tries each. The step of accumulates is between 48 and 56 KB: 53247, and 4096 to either side, of nine sizes.
 * Linger: the tries that the program states. */
static void limits_have_errors(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say_tries(&record, "epoch", "put", 8, 2, 9);
    probe_say_tries(&record, "epoch", "put", 65536, 1, 9);
    probe_say(&record, "rmacast-probe limit epoch put 8176 8192");
    probe_say_tries(&record, "served", "put", 1024, 3, 9);
    probe_say_tries(&record, "served", "put", 65536, 2, 9);
    probe_say_tries(&record, "served", "fetch_and_op", 8, 2, 9);
    probe_say_tries(&record, "served", "get_accumulate", 65536, 3, 9);
    probe_say_tries(&record, "send", "none", 64, 0, 9);
    for (int64_t bytes = 8192; bytes <= 131072; bytes += bytes < 65536 ? 8192 : 65536) {
        probe_say_time(&record, "put_flush", bytes, 20e-6);
        probe_say_time(&record, "accumulate_flush", bytes, 20e-6 + (bytes > 49152 ? 2e-9 : 0.7e-9) * (double)bytes);
    }
    cJSON *mpi = section_of(&record), *rma = cJSON_GetObjectItem(mpi, "rma");
    const cJSON *put = cJSON_GetObjectItem(cJSON_GetObjectItem(rma, "semantics"), "put"),
                *serves = cJSON_GetObjectItem(cJSON_GetObjectItem(rma, "protocol"), "serves"),
                *served = cJSON_GetObjectItem(serves, "put"), *fetched = cJSON_GetObjectItem(serves, "fetch");
    assert_limit(cJSON_GetObjectItem(cJSON_GetArrayItem(put, 0), "upto_bytes"), 8176, 16, 9);
    assert_limit(cJSON_GetObjectItem(cJSON_GetArrayItem(served, 0), "upto_bytes"), 1024, 64512, 9);
    assert_limit(cJSON_GetObjectItem(cJSON_GetArrayItem(fetched, 0), "upto_bytes"), 8, 65528, 9);
    assert_limit(cJSON_GetObjectItem(mpi, "eager_bytes"), 0, 64, 9);
    assert_limit(cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(rma, "atomic_s_per_byte"), 0), "upto_bytes"), 53247,
                 4096, 9);
    cJSON_Delete(mpi);

    say_d(&record);
    probe_say_tries(&record, "served", "put", 8, 2, 9);
    probe_say_tries(&record, "ahead", "none", 3, 2, 9);
    probe_say_tries(&record, "ahead", "none", 5, 1, 9);
    probe_say(&record, "rmacast-probe limit ahead none 3 4");
    probe_say_tries(&record, "buffer", "put", 65536, 2, 9);
    probe_say_tries(&record, "buffer", "put", 1 << 20, 0, 9);
    probe_say(&record, "rmacast-probe value linger_s 2e-5");
    probe_say(&record, "rmacast-probe value linger_error_s 3e-6");
    probe_say(&record, "rmacast-probe value linger_tries 10");
    mpi = section_of(&record), rma = cJSON_GetObjectItem(mpi, "rma");
    assert_limit(cJSON_GetObjectItem(rma, "epochs_ahead"), 3, 1, 9);
    assert_limit(cJSON_GetObjectItem(rma, "buffer_bytes"), 65536, 983040, 9);
    assert_limit(cJSON_GetObjectItem(cJSON_GetObjectItem(rma, "protocol"), "linger_s"), 2e-5, 3e-6, 10);
    cJSON_Delete(mpi);
}

/* Adds what items say, separated by ";": nine tries ("CASE VARIANT BYTES CALLS_THAT_WAIT"), a time ("time NAME BYTES
 * SECONDS") or another line of the program. */
static void say_items(struct probe_record *record, const char *items)
{
    char *text = strdup(items), *rest = text;
    assert_non_null(text);
    for (char *item; (item = strsep(&rest, ";"));) {
        char name[32], variant[32];
        long bytes;
        int waits;
        double time_s;
        if (sscanf(item, "time %31s %ld %lg", name, &bytes, &time_s) == 3)
            probe_say_time(record, name, bytes, time_s);
        else if (strncmp(item, "value", 5) != 0 && sscanf(item, "%31s %31s %ld %d", name, variant, &bytes, &waits) == 4)
            probe_say_tries(record, name, variant, bytes, waits, 9);
        else
            for (int i = 0; i < (strncmp(item, "delay", 5) == 0 ? 9 : 1); i++) probe_say(record, "rmacast-probe %s", item);
    }
    free(text);
}

#define D       "epoch put 8 3;epoch get 8 2;epoch accumulate 8 3;"
#define VISITED "delay visit put 8 0.003 0 -0.0029 -0.0028 0.00001"
#define COPIED  "time put_call 1024 2e-6;time put_call 2048 3e-6;time put_call 4096 5e-6"

/* Each key of the section follows from its own questions, and is not there where they were not asked. */
static void keys_and_what_they_follow_from(void **state)
{
    (void)state;
    static const struct {
        const char *library, *items, *path, *text; /* text: JSON; NULL: no such key; "": whatever it is */
    } rows[] = {
        /* a release: by the unlock that waits for it, by a lock that waits alone, or by the second lock */
        {"", "unlock_asleep none 0 1;lock_asleep none 0 2;relock none 0 2", "rma.protocol.serves.release", "\"call\""},
        {"", "lock_asleep none 0 0;relock none 0 2", "rma.protocol.serves.release", "\"call\""},
        {"", "lock_asleep none 0 2;relock none 0 0", "rma.protocol.serves.release", "\"call\""},
        {"", "lock_asleep none 0 2;relock none 0 2", "rma.protocol.serves.release", "\"hardware\""},
        {"", "lock_asleep none 0 0", "rma.protocol.serves.release", NULL},
        {"", "relock none 0 0", "rma.protocol.serves.release", NULL},
        /* what no delay tells is as puts */
        {"", "served put 8 2;served get 8 3", "rma.protocol.serves.acknowledgement", "\"call\""},
        {"", "served put 8 2;served get 8 3", "rma.protocol.serves.notification", "\"call\""},
        {"", "served put 8 3;served get 8 2", "rma.protocol.serves.notification", "\"hardware\""},
        {"", "served put 8 3", "rma.protocol.serves.comment", ""},
        {"", "served get 8 3", "rma.protocol.serves.notification", NULL},
        {"", "served put 8 3;issue put 1048576 0", "rma.protocol.serves.clear", "\"call\""},
        {"", "served put 8 3;issue put 1048576 1", "rma.protocol.serves.clear", "\"hardware\""},
        {"", "served put 8 2;issue put 1048576 1", "rma.protocol.serves.clear", "\"call\""},
        {"", "served put 8 2", "rma.protocol.serves.clear", NULL},
        {"", "served accumulate 8 1", "rma.protocol.local", "{\"accumulate\":\"acknowledged\"}"},
        /* a rank that serves outside its calls visits nobody, and does not linger */
        {"", "served put 8 2;" VISITED, "rma.protocol.visit", "\"enter\""},
        {"", "served put 8 3;" VISITED, "rma.protocol.visit", NULL},
        {"", "served put 8 2;value linger_s 0", "rma.protocol.linger_s", "{\"value\":0,\"error\":0,\"n\":1}"},
        {"", "served put 8 2", "rma.protocol.linger_s", NULL},
        {"", "served put 8 3;value linger_s 0", "rma.protocol.linger_s", NULL},
        {"Open MPI v4.1.4", "served put 8 2", "rma.protocol.polls", "2"},
        {"Open MPI v4.1.4", "served put 8 2", "rma.protocol.get_data", "\"rendezvous\""},
        {"Open MPI v4.1.4", "served put 8 2", "rma.protocol.poll_s", "4e-05"},
        {"Open MPI v4.1.4", "served put 8 3", "rma.protocol.polls", NULL},
        {"MPICH 4.0.2", "served put 8 2", "rma.protocol.polls", NULL},
        {"", COPIED, "rma.protocol.put_s_per_byte", ""},
        {"", "complete put 8 2", "rma.protocol.calls.complete", "[\"issue\",\"notify\",\"left\"]"},
        {"", "epoch none 0 0;epoch put 8 3;epoch get 8 3", "rma.semantics.start", "\"waits\""},
        {"", "epoch none 0 1;epoch put 8 3;epoch get 8 3", "rma.semantics.start", "\"returns\""},
        /* a fence and a barrier tell counts only together */
        {"", "time fence_train 0 2e-3", "rma.protocol.calls.fence", NULL},
        {"", "time barrier_train 0 1e-3", "rma.protocol.calls.fence", NULL},
        {"", "time fence_train 0 1e-3;time barrier_train 0 1e-3", "rma.protocol.calls.fence", ""},
        /* times in latencies say nothing below 20 us */
        {"", "time round_trip 65536 1.2e-4;time round_trip 262144 1.2e-4;time put_flush 8 4e-5", "rendezvous",
         "\"notified\""},
        {"", "time round_trip 65536 0.8e-4;time round_trip 262144 0.8e-4;time put_flush 8 4e-5", "rendezvous",
         "\"direct\""},
        {"", "time round_trip 65536 0.8e-4;time round_trip 262144 0.8e-4;time put_flush 8 3.9e-5", "rendezvous", NULL},
        {"", "time round_trip 65536 0.8e-4;time put_flush 8 4e-5", "rendezvous", NULL},
        {"", "time win_create 0 1.1e-4;time put_flush 8 4e-5", "rma.window_creation", "\"mpich\""},
        {"", "time win_create 0 0.9e-4;time put_flush 8 4e-5", "rma.window_creation", "\"exchange\""},
        {"", "time win_create 0 1.1e-4;time put_flush 8 3.9e-5", "rma.window_creation", NULL},
        {"", "value init_s 0.5", "init_s", "{\"value\":0.5,\"error\":0.5,\"n\":1}"},
        {"", "value finalize_s 0", "finalize_s", "{\"value\":0,\"error\":0,\"n\":1}"},
        {"", "value init_s 0.5", "finalize_s", NULL},
        /* the first number of epochs that was tried, 2, waits; sizes that wait alike are one row, posts are of rows
         * that wait */
        {"", D "ahead none 2 1", "rma.epochs_ahead", "{\"value\":1,\"error\":1,\"n\":9}"},
        {"", "epoch put 8 2;epoch put 1024 2;epoch put 65536 1", "rma.semantics.put",
         "[{\"upto_bytes\":{\"value\":1024,\"error\":64512,\"n\":9},\"waits\":\"complete\"},{\"waits\":\"call\"}]"},
        {"", "epoch put 8 3;epoch put 1024 2;group_queued put 8 0", "rma.semantics.put",
         "[{\"upto_bytes\":{\"value\":8,\"error\":1016,\"n\":9},\"waits\":\"never\"},{\"waits\":\"complete\",\"posts\":"
         "\"group\"}]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct probe_record record = {0};
        char path[64], *rest = path;
        snprintf(record.library, sizeof record.library, "%s", rows[i].library);
        snprintf(path, sizeof path, "%s", rows[i].path);
        say_items(&record, rows[i].items);
        cJSON *mpi = section_of(&record), *found = mpi;
        for (const char *key; (key = strsep(&rest, "."));) found = cJSON_GetObjectItem(found, key);
        char *text = found ? cJSON_PrintUnformatted(found) : NULL;
        const bool same =
            rows[i].text && text ? !*rows[i].text || strcmp(text, rows[i].text) == 0 : !rows[i].text && !text;
        if (!same) fail_msg("row %zu (%s): %s", i, rows[i].path, text ? text : "no such key");
        cJSON_free(text);
        cJSON_Delete(mpi);
    }
}

/* The run ended before larger messages were tried: nothing is known above. */
static void eager_limit_of_a_run_that_broke_off(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say_tries(&record, "send", "none", 1024, 1, 9);
    probe_say_tries(&record, "send", "none", 65536, 0, 2); /* two tries say nothing */
    struct platform *platform = platform_of(&record);
    assert_int_equal(platform->eager_bytes, 1024);
    platform_free(platform);
}

/* --- votes --- */

/* With no prior knowledge a of n votes say "more often than not" with P(Bin(n + 1, 1/2) <= a): of 9 of 9 1023/1024, of 7 of 9
 * 968/1024. 6 of 9 are less than three quarters and say nothing. */
static void confidence_of_findings(void **state)
{
    (void)state;
    static const struct {
        int votes;
        double of_1024; /* 0: not sure */
    } rows[] = {{9, 1023}, {7, 968}, {6, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct probe_record record = {0};
        probe_say_tries(&record, "epoch", "put", 8, 1, rows[i].votes);
        probe_say_tries(&record, "epoch", "put", 8, 2, 9 - rows[i].votes);
        struct probe_findings findings = probe_evaluated(&record);
        const struct probe_verdict *verdict = probe_find_verdict(&findings, PROBE_ASKS_SEMANTICS, PROBE_VARIANT_PUT, 8);
        assert_int_equal(verdict == NULL, rows[i].of_1024 == 0);
        assert_int_equal(findings.unsure_count, verdict ? 0 : 1);
        if (verdict) {
            assert_string_equal(verdict->name, "call");
            assert_string_equal(verdict->call, "operation");
            assert_int_equal(verdict->votes, rows[i].votes);
            assert_int_equal(verdict->of, 9);
            assert_true(fabs(verdict->confidence - rows[i].of_1024 / 1024) < 1e-9);
        } else {
            assert_string_equal(findings.unsure[0].why, "not sure, waits for the post in: call in 6 of 9");
        }
        probe_findings_clear(&findings);
        probe_record_clear(&record);
    }
}

#define LATE(DELAY) "rmacast-probe delay epoch put 8 " DELAY " 0 0.001 0.002 0.003 0.004"

/* A try of 3 ms in which the put's call lasted until the post, 2 in which it did not; 3 of 6 ms agree. One of each came late. */
static void tries_with_the_longest_delay_count(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say_tries(&record, "epoch", "put", 8, 1, 1);
    probe_say_tries(&record, "epoch", "put", 8, 2, 2);
    probe_say(&record, LATE("0.003"));
    probe_say(&record, LATE("0.006"));
    for (int i = 0; i < 3; i++) probe_say(&record, "rmacast-probe delay epoch put 8 0.006 0 -0.0059 -0.0058 -0.0057 0.00001");
    struct probe_findings findings = probe_evaluated(&record);
    const struct probe_verdict *verdict = probe_find_verdict(&findings, PROBE_ASKS_SEMANTICS, PROBE_VARIANT_PUT, 8);
    assert_string_equal(verdict->name, "complete");
    assert_int_equal(verdict->votes, 3);
    assert_int_equal(verdict->of, 3);
    assert_int_equal(verdict->late, 2);
    assert_true(verdict->delay_s == 0.006);
    probe_findings_clear(&findings);
    probe_record_clear(&record);
}

/* Of "served" the calls 0, 1 and 2 mean the same: their votes add up against the 2 in which none waited. */
static void calls_of_one_verdict_add_up(void **state)
{
    (void)state;
    struct probe_record record = {0};
    probe_say_tries(&record, "served", "put", 8, 0, 2);
    probe_say_tries(&record, "served", "put", 8, 2, 5);
    probe_say_tries(&record, "served", "put", 8, 3, 2);
    struct probe_findings findings = probe_evaluated(&record);
    const struct probe_verdict *verdict = probe_find_verdict(&findings, PROBE_ASKS_SERVES, PROBE_VARIANT_PUT, 8);
    assert_string_equal(verdict->name, "call");
    assert_int_equal(verdict->votes, 7);
    /* Complete at its origin: 2 say "acknowledged", 7 "copied". */
    assert_true(probe_says(&findings, PROBE_ASKS_LOCAL, PROBE_VARIANT_PUT, 8, "copied"));
    probe_findings_clear(&findings);
    probe_record_clear(&record);
}

/* A limit is of one case and variant, and between the two sizes: of puts 16 to 24 bytes, and 100 to 200, and of gets 30 to 40.
 * A verdict without one holds up to its own size. */
static void limits_between_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *variant;
        int64_t from, to, low; /* low: 0: no limit */
    } rows[] = {{"epoch", "put", 8, 64, 16},   {"epoch", "put", 16, 24, 16},   {"epoch", "put", 17, 64, 0},
                {"epoch", "put", 8, 23, 0},    {"epoch", "put", 64, 1024, 100}, {"epoch", "put", 101, 1024, 0},
                {"epoch", "put", 64, 199, 0},  {"epoch", "get", 8, 64, 30},    {"epoch", "accumulate", 8, 64, 0},
                {"complete", "put", 8, 64, 0}};
    struct probe_record record = {0};
    probe_say(&record, "rmacast-probe limit epoch put 16 24");
    probe_say(&record, "rmacast-probe limit epoch put 100 200");
    probe_say(&record, "rmacast-probe limit epoch get 30 40");
    const struct probe_findings findings = {.record = &record};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct probe_verdict verdict = {.variant = (enum probe_variant)probe_variant_by_name(rows[i].variant)}, next;
        int question = 0;
        while ((int)probe_questions[question].id != probe_case_by_name(rows[i].name)) question++;
        verdict.question = (enum probe_question)question;
        next = verdict;
        verdict.bytes = rows[i].from;
        next.bytes = rows[i].to;
        const struct probe_limit *limit = probe_find_limit(&findings, &verdict, &next);
        if ((limit ? limit->low : 0) != rows[i].low) fail_msg("row %zu: %d", i, limit ? (int)limit->low : 0);
        assert_int_equal(probe_upto(&findings, &verdict, &next), rows[i].low ? rows[i].low : rows[i].from);
    }
    probe_record_clear(&record);
}

static void what_came_late_says_nothing(void **state)
{
    (void)state;
    struct probe_record record = {0};
    for (int i = 0; i < 9; i++) probe_say(&record, "rmacast-probe delay flush_later put 8 0.003 0 0.001 0.002");
    struct probe_findings findings = probe_evaluated(&record);
    assert_null(probe_find_verdict(&findings, PROBE_ASKS_FLUSH, PROBE_VARIANT_PUT, 8));
    probe_findings_clear(&findings);
    probe_record_clear(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters),
        cmocka_unit_test(mixed_by_size),
        cmocka_unit_test(posts_of_a_group),
        cmocka_unit_test(a_letter_waits_for_one_target),
        cmocka_unit_test(epochs_ahead),
        cmocka_unit_test(limits_have_errors),
        cmocka_unit_test(room_of_the_buffer),
        cmocka_unit_test(start_that_waits_beside_operations_that_do_not),
        cmocka_unit_test(all_wait),
        cmocka_unit_test(flush_of_mpich),
        cmocka_unit_test(messages_that_are_read),
        cmocka_unit_test(flush_of_others),
        cmocka_unit_test(none_waits),
        cmocka_unit_test(order_of_locks_and_visits),
        cmocka_unit_test(helper_thread),
        cmocka_unit_test(half_is_no_helper_thread),
        cmocka_unit_test(thread_delay),
        cmocka_unit_test(fetching_operations_differ),
        cmocka_unit_test(eager_limits),
        cmocka_unit_test(keys_and_what_they_follow_from),
        cmocka_unit_test(eager_limit_of_a_run_that_broke_off),
        cmocka_unit_test(confidence_of_findings),
        cmocka_unit_test(tries_with_the_longest_delay_count),
        cmocka_unit_test(calls_of_one_verdict_add_up),
        cmocka_unit_test(limits_between_sizes),
        cmocka_unit_test(what_came_late_says_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
