#include "platforms/semantics_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_letter(const char *text)
{
    return *text >= 'a' && *text <= 'd' && text[1] == '\0';
}

enum status semantics_text_check(const char *text, struct err *err)
{
    char copy[SEMANTICS_TEXT_BYTES], *rest = copy;
    size_t parts = 1;
    if (snprintf(copy, sizeof copy, "%s", text) >= SEMANTICS_TEXT_BYTES)
        return err_set(err, STATUS_USAGE, NULL, NULL, "%.20s..., expected less than %d characters", text,
                       SEMANTICS_TEXT_BYTES);
    const char *base = strsep(&rest, "@");
    if (!is_letter(base) && strcmp(base, "platform") != 0)
        return err_set(err, STATUS_USAGE, NULL, NULL, "%s, expected one of a, b, c, d, platform", *base ? base : "''");
    for (char *part; (part = strsep(&rest, "@"));) {
        char *letter = strrchr(part, '=');
        if (!letter || letter == part || ++parts > SEMANTICS_TEXT_PARTS)
            return err_set(err, STATUS_USAGE, NULL, NULL,
                           "%s, expected LETTER or LETTER@WINDOW=LETTER, up to %d windows", text,
                           SEMANTICS_TEXT_PARTS - 1);
        if (!is_letter(letter + 1))
            return err_set(err, STATUS_USAGE, NULL, NULL, "%s, expected one of a, b, c, d", letter + 1);
    }
    return STATUS_OK;
}

size_t semantics_text_overrides(const char *text, semantics_override overrides[SEMANTICS_TEXT_PARTS])
{
    char copy[SEMANTICS_TEXT_BYTES], *rest = copy;
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", text);
    const char *base = strsep(&rest, "@");
    if (strcmp(base, "platform") != 0) snprintf(overrides[count++], sizeof overrides[0], "mpi.rma.semantics=%s", base);
    for (char *part; count < SEMANTICS_TEXT_PARTS && (part = strsep(&rest, "@"));) {
        char *letter = strrchr(part, '=');
        *letter++ = '\0';
        snprintf(overrides[count++], sizeof overrides[0], "mpi.rma.windows.\"%s\".semantics=%s", part, letter);
    }
    return count;
}
