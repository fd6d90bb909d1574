#include "predictors/profile_differences.h"

#include <stdio.h>

#include "trace/libraries.h"

void profile_compare(const struct trace *trace, const struct platform *platform, struct profile_differences *differences)
{
    const char *library = trace->provenance.library, *transport = trace->provenance.transport;
    differences->count = 0;
    if (!platform->profile) return;
    if (library_is_other(library, platform->library))
        snprintf(differences->text[differences->count++], PROFILE_DIFFERENCE_BYTES,
                 "recorded with %.150s; the platform's MPI profile %.100s is of %.150s", library, platform->profile,
                 platform->library);
    if (transport_is_other(transport, platform->transport))
        snprintf(differences->text[differences->count++], PROFILE_DIFFERENCE_BYTES,
                 "recorded over %.150s; the platform's MPI profile %.100s is of %.150s", transport, platform->profile,
                 platform->transport);
}
