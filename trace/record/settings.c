#include "trace/record/settings.h"

#include <errno.h>
#include <string.h>

#include "trace/record/output/uncancelled.h"
#include "trace/spool/spool.h"

enum { SETTINGS_MAX = 32 };
static char *settings[SETTINGS_MAX + 1]; /* "RMACAST_SPOOL=..." */

void rec_settings_copy(char *const *environment)
{
    static const char prefix[] = "RMACAST_";
    static bool copied;
    int count = 0;
    for (char *const *at = environment; !copied && at && *at && count < SETTINGS_MAX; at++)
        if (strncmp(*at, prefix, sizeof prefix - 1) == 0 && (settings[count] = strdup(*at)) != NULL) count++;
    copied = true;
}

char *const *rec_settings(void)
{
    return settings;
}

const char *rec_setting(const char *name)
{
    size_t length = strlen(name);
    for (int i = 0; settings[i]; i++)
        if (strncmp(settings[i], name, length) == 0 && settings[i][length] == '=') return settings[i] + length + 1;
    return NULL;
}

bool rec_tell_unrecorded(const char *why)
{
    char path[4096];
    const char *spool = rec_setting("RMACAST_SPOOL");
    int length = spool ? snprintf(path, sizeof path, "%s/" SPOOL_UNRECORDED_NAME, spool) : -1;
    if (length < 0 || (size_t)length >= sizeof path) return false;
    int file = rec_open(path, O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0) return errno == EEXIST; /* another process has told it */
    rec_write(file, why, strlen(why));
    rec_close(file);
    return true;
}

void rec_note_reached(void)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/" SPOOL_REACHED_NAME, rec_setting("RMACAST_SPOOL"));
    int file = (size_t)length < sizeof path ? rec_open(path, O_WRONLY | O_CREAT | O_EXCL) : -1;
    if (file >= 0) rec_close(file);
}

void rec_refuse_library(const char *file)
{
    char why[SPOOL_UNRECORDED_BYTES];
    snprintf(why, sizeof why,
             "no recorder fits the MPI library %s, expected one with the ABI of MPICH, of Open MPI or of MPI-5.0", file);
    if (!rec_tell_unrecorded(why)) rec_say("rmacast: nothing is recorded: %s\n", why);
}
