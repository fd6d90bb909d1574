/* Profiles of MPI libraries: files of platforms/mpi/ with what a library does, for `mpi.profile` of platform files.
 *
 *     { "schema": "rmacast.mpi-profile/1", "name": "...", "library": "MPICH 4.0.2", "transport": "...", "summary": "...",
 *       "mpi": { what a platform file may say there, but a profile } } */
#ifndef PLATFORMS_PROFILE_H
#define PLATFORMS_PROFILE_H

#include "common/json.h"
#include "platforms/platform.h"

enum { PROFILE_PATH_BYTES = 4096, DATA_DIRECTORIES = 4 };

/* Folders of installed platforms: first beside this program (in a build tree, too), then beside librmacast, in lib or
 * lib/ARCHITECTURE, then at the install prefix of this build. One may be there twice. */
enum status data_directories(char directories[DATA_DIRECTORIES][PROFILE_PATH_BYTES], struct err *err);

/* Writes "NAME, NAME" for the files NAME.json of the folder, sorted; "" if there is none, or no such folder.
 * STATUS_SYSTEM: the machine refuses to read it. */
enum status data_names(const char *folder, char *names, size_t room, struct err *err);

/* Finds the file of a profile. A name with a '/' is a path; a relative one begins at the folder of platform_file.
 * Otherwise the file is NAME.json in mpi/ beside the platform, or else among the installed ones. Returns STATUS_DATA
 * with a list of the existing profiles if there is none. */
enum status profile_find(const char *name, const char *platform_file, char path[PROFILE_PATH_BYTES], struct err *err);

/* Checks the profile that the document names, and adds to the document's `mpi` the keys that only the profile has. It
 * merges mpi, mpi.rma, mpi.rma.protocol and its serves key by key; other values are taken whole. Without mpi.profile
 * nothing changes. *library and *transport are the profile's; the caller frees them. */
enum status profile_apply(struct json_document *document, char **library, char **transport, struct err *err);

/* Whether the value of the key ("mpi.rma") is an object that is merged member by member. Other values are taken whole, from the
 * document or from the profile. */
bool profile_is_section(const char *path);

/* Reads a platform file with its profile's values and the overrides applied. Errors are those of platform_open(). The
 * caller frees *json with cJSON_Delete(). */
enum status platform_effective(const char *file, const char *const *overrides, size_t override_count, cJSON **json,
                               struct err *err);

/* Keeps what the document and its profile say of mpi.init_s and mpi.finalize_s, for profile_apply() of another profile that does
 * not say it: else another library would seem to spare the launch. */
enum status profile_keep_start(struct json_document *document, struct err *err);

/* Opens and checks a profile's file. The caller closes it with json_close(). */
enum status profile_open(const char *path, struct json_document *profile, struct err *err);

enum { PROFILE_NAMES_BYTES = 4096 }; /* room for all of them */

/* Writes "NAME, NAME" for the profiles beside the platform file (may be NULL) and then for the installed ones, each sorted. */
enum status profile_list(const char *platform_file, char *names, size_t room, struct err *err);

#endif
