#include "simulate/windows/step_list.h"

#include <string.h>

static const char *const words[DO_COUNT] = {
    [DO_ISSUE] = "issue",   [DO_LEFT] = "left",       [DO_ACKNOWLEDGED] = "acknowledged", [DO_QUERY] = "query",
    [DO_NOTIFY] = "notify", [DO_ASK] = "ask",         [DO_GRANT] = "grant",               [DO_RELEASE] = "release",
    [DO_ANSWER] = "answer", [DO_BARRIER] = "barrier", [DO_COUNTS] = "counts",             [DO_INCOMING] = "incoming"};

struct steps_list steps_list(const struct call_steps *steps)
{
    struct steps_list list = {0};
    char text[STEPS_TEXT_BYTES], *rest = NULL;
    for (char *word = strtok_r(steps_text(steps, text), ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        for (uint8_t step = 0; step < DO_COUNT; step++) /* query_connected begins with query */
            if (strncmp(word, words[step], strlen(words[step])) == 0) list.steps[list.count++] = step;
    return list;
}
