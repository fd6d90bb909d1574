/* The keys of a calibrated section `mpi` that nothing was measured of. A profile of the recognised library states them
 * (platforms/profile.h); without one they have the defaults of an ideal library. Either way they are named.
 *
 * Order: untold_complete(), the platform is made of the section, untold_tell(), untold_clear(). */
#ifndef PLATFORMS_UNTOLD_H
#define PLATFORMS_UNTOLD_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "common/status.h"

struct untold {
    char library[256], profile[256]; /* profile: "" if there is none of the library */
    cJSON *section;                  /* owned: with the keys that were added */
    cJSON *keys;                     /* owned: their paths, as "mpi.rma.protocol.unlock" */
};

/* Completes a copy of mpi (NULL: empty). library is what MPI_Get_library_version says. Its profile has the same name and the same
 * major and minor number in its member `library`; of several the one that agrees most with mpi, then one whose transport is that
 * of one node or is not. The profile's control_bytes stay out: the measured latency has them. */
enum status untold_complete(const char *library, bool one_node, const cJSON *mpi, struct untold *untold, struct err *err);
void untold_clear(struct untold *untold);

/* Names the keys in $calibration of the platform, as `not_measured` {profile, keys} and as a note, but those of a profile that
 * platform.mpi states otherwise: they were measured meanwhile. */
enum status untold_tell(const struct untold *untold, cJSON *platform, struct err *err);

#endif
