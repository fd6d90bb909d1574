/* Profiles of MPI libraries: files of platforms/mpi/ with what a library does, for `mpi.profile` of platform files.
 *
 *     { "schema": "rmacast.mpi-profile/1", "name": "...", "library": "MPICH 4.0.2", "transport": "...", "summary": "...",
 *       "mpi": { what a platform file may say there, but a profile } } */
#ifndef PLATFORMS_PROFILE_H
#define PLATFORMS_PROFILE_H

#include "common/json.h"
#include "platforms/platform.h"

enum { PROFILE_PATH_BYTES = 4096, DATA_DIRECTORIES = 2 };

/* Folders of installed platforms: beside this program (in a build tree, too), then where this build is to be installed. */
void data_directories(char directories[DATA_DIRECTORIES][PROFILE_PATH_BYTES]);

/* "NAME, NAME" of the files NAME.json of the folder, in the order of names; empty: none, or no such folder. */
void data_names(const char *folder, char *names, size_t room);

/* The file of a profile: a path if the name has a '/', from the folder of platform_file where it is relative; else NAME.json
 * of mpi/ beside the platform, then of the installed ones. STATUS_DATA: there is none; the message lists those that are. */
enum status profile_find(const char *name, const char *platform_file, char path[PROFILE_PATH_BYTES], struct err *err);

/* Puts into the document's `mpi` what the profile that it names says and the document does not; checks the profile first. Whole
 * values: only mpi, mpi.rma, mpi.rma.protocol and its serves are gone into. Without mpi.profile nothing changes.
 * *library and *transport (the caller's to free) are the profile's. */
enum status profile_apply(struct json_document *document, char **library, char **transport, struct err *err);

/* The platform file as it holds: with its profile's values and the overrides. STATUS_DATA and STATUS_USAGE as platform_open.
 * The caller frees *json with cJSON_Delete. */
enum status platform_effective(const char *file, const char *const *overrides, size_t override_count, cJSON **json,
                               struct err *err);

/* A profile's file, checked; json_close is the caller's. */
enum status profile_open(const char *path, struct json_document *profile, struct err *err);

/* "NAME, NAME" of the profiles beside the platform file (may be NULL) and of the installed ones, in the order of names. */
void profile_list(const char *platform_file, char *names, size_t room);

#endif
