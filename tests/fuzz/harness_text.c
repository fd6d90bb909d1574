/* Text traces: lines and words changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "tests/fuzz/oracle.h"
#include "tests/property/knobs.h"
#include "trace/text/text.h"

enum { OVERRIDES_MAX = 40, OVERRIDE_BYTES = 512 };

/* The platform that lines "#! KEY=VALUE" choose; NULL: they choose none that is one. */
struct platform *platform_of_text(const uint8_t *data, size_t size)
{
    static char texts[OVERRIDES_MAX][OVERRIDE_BYTES];
    const char *overrides[OVERRIDES_MAX + 1] = {"nodes.count=16"};
    size_t count = 1;
    const char *at = (const char *)data, *end = at + size;
    while (at < end && count < OVERRIDES_MAX) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (length > 3 && memcmp(at, "#! ", 3) == 0 && length - 3 < OVERRIDE_BYTES && memchr(at, '=', length) &&
            !memchr(at, '\0', length)) {
            memcpy(texts[count], at + 3, length - 3);
            texts[count][length - 3] = '\0';
            overrides[count] = texts[count];
            count++;
        }
        at += length + 1;
    }
    struct platform *platform;
    struct err err;
    enum status status = platform_open(KNOBS_BASE, overrides, count, &platform, &err);
    fuzz_check_error("platform", status == STATUS_USAGE ? STATUS_DATA : status, &err);
    return status == STATUS_OK ? platform : NULL;
}

/* By one thread and by several the same. */
static void check_threads(const char *path)
{
    struct err errors[2];
    struct trace *traces[2];
    enum status status[2];
    bool keep_going = fuzz_once_in(2);
    for (int i = 0; i < 2; i++) status[i] = text_read_by(i == 0 ? 1 : 3, path, keep_going, &traces[i], &errors[i]);
    if (status[0] != status[1] || (status[0] != STATUS_OK && strcmp(errors[0].text, errors[1].text) != 0))
        fuzz_finding("by one thread '%s', by several '%s'", status[0] ? errors[0].text : "",
                     status[1] ? errors[1].text : "");
    if (status[0] == STATUS_OK) oracle_same("threads that read", traces[0], traces[1]);
    for (int i = 0; i < 2; i++)
        if (status[i] == STATUS_OK) trace_free(traces[i]);
}

/* More than this only costs time. */
static bool has_many_ranks(const uint8_t *data, size_t size)
{
    enum { RANKS = 4096 };
    char text[FUZZ_ROOM + 1];
    memcpy(text, data, size);
    text[size] = '\0';
    const char *ranks = strstr(text, "\nranks ");
    return ranks && strtoul(ranks + 7, NULL, 10) > RANKS;
}

static void run(const uint8_t *data, size_t size)
{
    if (has_many_ranks(data, size)) return;
    struct platform *platform = platform_of_text(data, size);
    if (fuzz_once_in(16)) check_threads(fuzz_file(data, size));
    char path[64];
    snprintf(path, sizeof path, "%s", fuzz_file(data, size));
    oracle_open(path, platform);
    platform_free(platform);
}

const struct fuzz_harness harness_text = {
    .name = "text",
    .summary = "text traces: read, analysed, replayed, rewritten, round trips",
    .run = run,
    .mutate = mutate_text,
    .make = make_text,
};
