/* Shared by the platform tests: a platform from text, in a file of its own below the build's temporary folder. */
#ifndef TESTS_PLATFORM_TEST_H
#define TESTS_PLATFORM_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "platforms/platform.h"

/* The smallest platform there is, with more keys spliced into its sections. */
#define PLATFORM_TEXT(NODES, NETWORK, MORE)                                                                            \
    "{ \"schema\": \"rmacast.platform/1\", \"nodes\": { \"count\": 4" NODES " },"                                      \
    "  \"network\": { \"latency_s\": 1e-6, \"bandwidth_Bps\": 1e10" NETWORK " }" MORE " }"

static inline enum status platform_from_text(const char *text, const char *const *overrides, size_t override_count,
                                             struct platform **platform, struct err *err)
{
    char name[] = "/tmp/rmacast-platform-XXXXXX";
    int fd = mkstemp(name);
    FILE *out = fdopen(fd, "w");
    fputs(text, out);
    fclose(out);
    enum status status = platform_open(name, overrides, override_count, platform, err);
    unlink(name);
    return status;
}

#endif
