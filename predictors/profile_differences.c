#include "predictors/profile_differences.h"

#include <stdio.h>
#include <string.h>

/* "MPICH 4.0.2 (ch4:ucx), 2 hosts" against "MPICH 4.0.2, ch4:ucx, ..." : name and version. A profile without a version
 * is of any. */
static bool is_other_library(const char *recorded, const char *profiled)
{
    if (!recorded || !profiled) return false;
    size_t length = strcspn(profiled, ",");
    bool versioned = strcspn(profiled, "0123456789") < length;
    return versioned && (strncmp(recorded, profiled, length) != 0 || !strchr(" ,(", recorded[length]));
}

/* "TCP between hosts, shared memory within" against "TCP". A profile may name none of these. */
static bool is_other_transport(const char *recorded, const char *profiled)
{
    static const char *const names[] = {"shared memory", "TCP", "remote DMA"};
    if (!recorded || !profiled) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(profiled, names[i], length) == 0) return strncmp(recorded, names[i], length) != 0;
    }
    return false;
}

void profile_compare(const struct trace *trace, const struct platform *platform, struct profile_differences *differences)
{
    const char *library = trace->provenance.library, *transport = trace->provenance.transport;
    differences->count = 0;
    if (is_other_library(library, platform->profile_library))
        snprintf(differences->text[differences->count++], PROFILE_DIFFERENCE_BYTES,
                 "recorded with %.150s; the platform's MPI profile %.100s is of %.150s", library, platform->profile,
                 platform->profile_library);
    if (is_other_transport(transport, platform->profile_transport))
        snprintf(differences->text[differences->count++], PROFILE_DIFFERENCE_BYTES,
                 "recorded over %.150s; the platform's MPI profile %.100s is of %.150s", transport, platform->profile,
                 platform->profile_transport);
}
