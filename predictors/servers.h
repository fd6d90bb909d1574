/* Which messages the hardware still serves where one server is named for all of them (docs/platforms.md, "Who serves"). Whoever
 * sets --progress call, to see a library without remote access, wants to know. */
#ifndef PREDICTORS_SERVERS_H
#define PREDICTORS_SERVERS_H

#include "model/result/result.h"
#include "platforms/platform.h"
#include "predictors/prediction.h"

/* Adds a note if mpi.rma.progress is not hardware, replaces the servers of the platform or its profile, and puts, releases or
 * acknowledgements are left with the hardware. */
enum status servers_note(const struct platform *platform, struct result *result, struct err *err);

/* With progress ranks: adds a note from which size on full nodes, of a rank per core, gain more by them than their cores would
 * compute. That takes three replays by the engine loggp: the ranks' calls serve; progress ranks on cores beside those of the
 * node; the same with slower computing. */
enum status servers_ranks_note(const struct prediction *prediction, struct err *err);

#endif
