/* Names of a platform file's settings, for reading and printing (platforms/read.h). */
#include <string.h>

#include "platforms/read.h"

int platform_name_index(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

enum status name_read(const struct json_node *node, const char *const *names, int *index, struct err *err)
{
    const char *text;
    TRY(json_string(node, &text, err));
    *index = platform_name_index(names, text);
    if (*index >= 0) return STATUS_OK;
    char list[128] = "";
    for (; *names; names++) {
        strncat(list, *names, sizeof list - strlen(list) - 1);
        if (names[1]) strncat(list, names[2] ? ", " : " or ", sizeof list - strlen(list) - 1);
    }
    return json_error(node, err, "unknown value '%s', expected %s", text, list);
}

const char *platform_lock_name(const struct platform *platform)
{
    return platform->protocol.calls[STEPS_LOCK].form == FORM_LOCK_GRANT ? "blocking" : "lazy";
}
