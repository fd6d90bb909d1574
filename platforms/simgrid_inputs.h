/* What a SimGrid platform of the user's has for SimGrid beside the network: files that SimGrid opens, and settings. */
#ifndef PLATFORMS_SIMGRID_INPUTS_H
#define PLATFORMS_SIMGRID_INPUTS_H

#include "common/status.h"

/* Says that the platform is read, and each value of an attribute whose name ends in "file" (common/files/file_claims.h): profiles
 * of hosts and links, <trace file="...">, <include>, which SimGrid 3.32 refuses. They count from the working directory and from
 * the platform's, as SimGrid searches them; they need not exist. STATUS_USAGE: one is an output. */
enum status simgrid_inputs_claim(const char *xml, struct err *err);

/* Tells in a line each what the platform says and no engine takes: profiles of speeds and latencies, clusters' loopbacks, keys of
 * <config>. */
enum { SIMGRID_LINE_BYTES = 640 };
typedef enum status simgrid_tell(void *context, const char *line, struct err *err);
enum status simgrid_inputs_tell(const char *xml, simgrid_tell *tell, void *context, struct err *err);

/* The names of the files that it names so, outside comments, joined by commas; "": there is none. */
enum status simgrid_inputs_named(const char *xml, char names[SIMGRID_LINE_BYTES], struct err *err);

#endif
