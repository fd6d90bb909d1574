#include "predictors/profile_differences.h"

#include <stdio.h>

#include "trace/calls/libraries.h"

void profile_compare(const struct trace *trace, const struct platform *platform, struct profile_differences *differences)
{
    const char *library = trace->provenance.library, *transport = trace->provenance.transport;
    char of[PROFILE_DIFFERENCE_BYTES / 3];
    differences->count = 0;
    if (platform->profile)
        snprintf(of, sizeof of, "the platform's MPI profile %.100s is of", platform->profile);
    else
        snprintf(of, sizeof of, "the platform's MPI values are of");
    if (library_is_other(library, platform->library))
        snprintf(differences->text[differences->count++], PROFILE_DIFFERENCE_BYTES, "recorded with %.150s; %s %.150s", library,
                 of, platform->library);
    if (transport_is_other(transport, platform->transport))
        snprintf(differences->text[differences->count++], PROFILE_DIFFERENCE_BYTES, "recorded over %.150s; %s %.150s", transport,
                 of, platform->transport);
}
