#include "probe_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/platforms/platform_test.h"

void probe_say(struct probe_record *record, const char *format, ...)
{
    char line[4096];
    struct err err = {.text = ""};
    bool ours;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (probe_record_add(record, line, &ours, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_true(ours);
}

void probe_say_tries(struct probe_record *record, const char *name, const char *variant, int64_t bytes, int waits, int count)
{
    int calls = probe_calls((enum probe_case)probe_case_by_name(name));
    for (int i = 0; i < count; i++) {
        char ends[128] = "";
        size_t used = 0;
        for (int call = 0; call < calls; call++)
            used += (size_t)snprintf(ends + used, sizeof ends - used, " %g",
                                     (call < waits ? -2.9e-3 : 1e-5) + 1e-6 * (call + 1));
        probe_say(record, "rmacast-probe delay %s %s %ld 0.003 0 -0.0029%s", name, variant, (long)bytes, ends);
    }
}

void probe_say_time(struct probe_record *record, const char *name, int64_t bytes, double time_s)
{
    char values[2048] = "";
    size_t used = 0;
    for (int i = 0; i < 40; i++) used += (size_t)snprintf(values + used, sizeof values - used, " %.12g", time_s);
    probe_say(record, "rmacast-probe time %s %ld%s", name, (long)bytes, values);
}

struct probe_findings probe_evaluated(const struct probe_record *record)
{
    struct probe_findings findings;
    struct err err = {.text = ""};
    if (probe_evaluate(record, &findings, &err) != STATUS_OK) fail_msg("%s", err.text);
    return findings;
}

struct platform *probe_platform(const struct probe_record *record)
{
    struct probe_findings findings = probe_evaluated(record);
    struct platform *platform = NULL;
    struct err err = {.text = ""};
    cJSON *mpi = NULL;
    if (probe_section(&findings, &mpi, &err) != STATUS_OK) fail_msg("%s", err.text);
    char *text = cJSON_PrintUnformatted(mpi), *whole;
    assert_true(asprintf(&whole,
                         "{ \"schema\": \"rmacast.platform/1\", \"nodes\": { \"count\": 2 },"
                         "  \"network\": { \"latency_s\": 1e-6, \"bandwidth_Bps\": 1e10 }, \"mpi\": %s }",
                         text) > 0);
    if (platform_from_text(whole, NULL, 0, &platform, &err) != STATUS_OK) fail_msg("%s", err.text);
    free(whole);
    cJSON_free(text);
    cJSON_Delete(mpi);
    probe_findings_clear(&findings);
    return platform;
}
