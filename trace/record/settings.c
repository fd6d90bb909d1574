#include "trace/record/settings.h"

#include <stdbool.h>
#include <string.h>

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
