#include "cli/terminal/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool color_wanted(int descriptor)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(descriptor) && !(refused && *refused) && !(terminal && strcmp(terminal, "dumb") == 0);
}

const char *color_begin(enum color color)
{
    static const char *const codes[] = {
        [COLOR_NONE] = "", [COLOR_ERROR] = "\033[1;31m", [COLOR_WARNING] = "\033[33m", [COLOR_ADVICE] = "\033[1m"};
    return codes[color];
}

const char *color_end(enum color color)
{
    return color == COLOR_NONE ? "" : "\033[0m";
}
