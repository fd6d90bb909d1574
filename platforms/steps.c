/* Lists of steps are few: each row of steps.def stands for up to eight, one for each way to take its words of choice. A list is
 * read by writing all that its call may have as texts and looking for the same text, so what is read and what is written cannot
 * differ. A list that is none of them is told by the longest begin that it has in common with one. */
#include "platforms/steps.h"

#include <stdio.h>
#include <string.h>

#include "common/json/json_write.h"

static const struct form_row {
    enum steps_call call;
    const char *words;
} forms[FORM_COUNT] = {
#define FORM(name, call, words) {call, words},
#include "platforms/steps.def"
#undef FORM
};

const char *const steps_call_names[STEPS_CALL_COUNT + 1] = {[STEPS_COMPLETE] = "complete", [STEPS_UNLOCK] = "unlock",
                                                            [STEPS_FLUSH] = "flush",       [STEPS_FENCE] = "fence",
                                                            [STEPS_LOCK] = "lock"};

static const char *const query_words[] = {[QUERY_NONE] = "acknowledged",
                                          [QUERY_NEEDED] = "query,answer",
                                          [QUERY_CONNECTED] = "query_connected,answer",
                                          [QUERY_ALL] = "query_all,answer"};

static bool has_word(const struct call_steps *steps, const char *word)
{
    return strstr(forms[steps->form].words, word) != NULL;
}

char *steps_text(const struct call_steps *steps, char text[STEPS_TEXT_BYTES])
{
    char words[STEPS_TEXT_BYTES], *rest = NULL;
    snprintf(words, sizeof words, "%s", forms[steps->form].words);
    text[0] = '\0';
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const bool choice = strcmp(word, "known") == 0 || strcmp(word, "asked") == 0, asserted = word[0] == '[';
        if (asserted && !steps->asserted) continue;
        const size_t used = strlen(text);
        snprintf(text + used, STEPS_TEXT_BYTES - used, "%s%s", used > 0 ? "," : "",
                 choice ? query_words[steps->query] : asserted ? "asserted" : word);
    }
    return text;
}

static const char *const step_words[DO_COUNT] = {
    [DO_ISSUE] = "issue",   [DO_LEFT] = "left",       [DO_ACKNOWLEDGED] = "acknowledged", [DO_QUERY] = "query",
    [DO_NOTIFY] = "notify", [DO_ASK] = "ask",         [DO_GRANT] = "grant",               [DO_RELEASE] = "release",
    [DO_ANSWER] = "answer", [DO_BARRIER] = "barrier", [DO_COUNTS] = "counts",             [DO_INCOMING] = "incoming"};

struct steps_list steps_list(const struct call_steps *steps)
{
    struct steps_list list = {0};
    char text[STEPS_TEXT_BYTES], *rest = NULL;
    for (char *word = strtok_r(steps_text(steps, text), ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        for (uint8_t step = 0; step < DO_COUNT; step++) /* query_connected begins with query */
            if (strncmp(word, step_words[step], strlen(step_words[step])) == 0) list.steps[list.count++] = step;
    return list;
}

cJSON *steps_json(const struct call_steps *steps)
{
    char text[STEPS_TEXT_BYTES], *rest = NULL;
    cJSON *list = cJSON_CreateArray();
    for (char *word = strtok_r(steps_text(steps, text), ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        json_append(list, cJSON_CreateString(word));
    return list;
}

/* The next list of the form; false: it was the last one. */
static bool next_of_form(struct call_steps *steps)
{
    const enum steps_query last = has_word(steps, "asked") ? QUERY_ALL : has_word(steps, "known") ? QUERY_CONNECTED : QUERY_NONE;
    if (steps->query < last) return steps->query++, true;
    if (!steps->asserted) return false;
    steps->asserted = false;
    steps->query = QUERY_NONE;
    return true;
}

static struct call_steps first_of_form(enum steps_form form)
{
    struct call_steps steps = {.form = form};
    steps.asserted = has_word(&steps, "[asserted]");
    return steps;
}

bool steps_variant(enum steps_call call, int index, struct call_steps *steps)
{
    for (int form = 0; form < FORM_COUNT; form++) {
        if (forms[form].call != call) continue;
        *steps = first_of_form((enum steps_form)form);
        do
            if (index-- == 0) return true;
        while (next_of_form(steps));
    }
    return false;
}

struct call_steps steps_default(enum steps_call call)
{
    struct call_steps steps = {0};
    steps_variant(call, 0, &steps);
    return steps;
}

void steps_rename(struct call_steps *steps, enum steps_call call, bool second)
{
    const enum steps_form first = steps_default(call).form;
    if ((steps->form != first) == second) return;
    steps->form = !second ? first : call == STEPS_LOCK ? FORM_LOCK_LAZY : FORM_FENCE_NOTIFY;
    steps->query = QUERY_NONE;
}

/* The steps that a list of the call may have behind `begin`, which ends with a comma or is empty; "the end" for a list that ends
 * there. An empty text: no list begins so. */
static void list_followers(enum steps_call call, const char *begin, char *list, size_t bytes)
{
    struct call_steps steps;
    char text[STEPS_TEXT_BYTES], word[STEPS_TEXT_BYTES + 4];
    list[0] = '\0';
    for (int i = 0; steps_variant(call, i, &steps); i++) {
        const size_t length = strlen(begin), used = strlen(list);
        steps_text(&steps, text);
        const bool ends = length > 0 && strlen(text) + 1 == length && strncmp(text, begin, length - 1) == 0;
        if (!ends && (strncmp(text, begin, length) != 0 || (length > 0 && text[0] == '\0'))) continue;
        const char *at = ends || text[0] == '\0' ? "" : text + length;
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        if (word[0] == '\0') snprintf(word, sizeof word, "the end");
        if (!strstr(list, word)) snprintf(list + used, bytes - used, "%s%s", used > 0 ? ", " : "", word);
    }
}

static enum status append_step(const struct json_node *node, enum steps_call call, const char *step, char *begin, size_t bytes,
                               struct err *err)
{
    char expected[160];
    const size_t used = strlen(begin);
    const bool one = *step && !strchr(step, ',');
    if (one && (size_t)snprintf(begin + used, bytes - used, "%s,", step) < bytes - used) {
        list_followers(call, begin, expected, sizeof expected);
        if (*expected) return STATUS_OK;
    }
    begin[used] = '\0';
    list_followers(call, begin, expected, sizeof expected);
    if (used > 0) begin[used - 1] = '\0';
    const char *before = strrchr(begin, ',');
    return json_error(node, err, "step '%s' %s%s%s, expected %s", step, used > 0 ? "behind '" : "as the first one",
                      before ? before + 1 : begin, used > 0 ? "'" : "", expected);
}

/* Gathers the steps as "issue,acknowledged,". */
static enum status gather_steps(const struct json_node *node, enum steps_call call, char *begin, size_t bytes, struct err *err)
{
    begin[0] = '\0';
    if (cJSON_IsString(node->item)) {
        char words[STEPS_TEXT_BYTES], *rest = words;
        if (strlen(node->item->valuestring) >= sizeof words) return json_error(node, err, "too long, expected a list of steps");
        strcpy(words, node->item->valuestring);
        for (char *word = *words ? strsep(&rest, ",") : NULL; word; word = strsep(&rest, ","))
            TRY(append_step(node, call, word, begin, bytes, err));
        return STATUS_OK;
    }
    if (!cJSON_IsArray(node->item))
        return json_error(node, err, "wrong type, expected an array of steps, or their names as text");
    for (size_t i = 0; i < json_count(node); i++) {
        const struct json_node step = json_element(node, i);
        const char *word;
        TRY(json_string(&step, &word, err));
        TRY(append_step(&step, call, word, begin, bytes, err));
    }
    return STATUS_OK;
}

enum status steps_read(const struct json_node *node, enum steps_call call, struct call_steps *steps, struct err *err)
{
    char begin[STEPS_TEXT_BYTES], text[STEPS_TEXT_BYTES], expected[160];
    TRY(gather_steps(node, call, begin, sizeof begin, err));
    const size_t length = strlen(begin);
    for (int i = 0; steps_variant(call, i, steps); i++) {
        steps_text(steps, text);
        if (strlen(text) == (length > 0 ? length - 1 : 0) && strncmp(text, begin, strlen(text)) == 0) return STATUS_OK;
    }
    list_followers(call, begin, expected, sizeof expected);
    if (length == 0) return json_error(node, err, "no steps, expected %s", expected);
    begin[length - 1] = '\0';
    return json_error(node, err, "ends behind '%s', expected %s", begin, expected);
}
