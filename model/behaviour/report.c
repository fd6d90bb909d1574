/* Behaviour of the recorded library in results: JSON, table, sentences (model/result/result.h). */
#include <inttypes.h>

#include "common/json/json_write.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/result/result.h"

static const char *const waits_names[BEHAVES_COUNT] = {[BEHAVES_UNSEEN] = "not seen",
                                                       [BEHAVES_NONE] = "none",
                                                       [BEHAVES_POST] = "post",
                                                       [BEHAVES_GROUP] = "group",
                                                       [BEHAVES_HOLDER] = "holder"};
static const char *const content_names[OF_COUNT] = {[OF_NOTHING] = "none", [OF_PUTS] = "put", [OF_GETS] = "get"};

static void add_bytes(cJSON *object, const struct result_behaviour *row)
{
    if (!row->sized) {
        json_add_null(object, "bytes");
        return;
    }
    cJSON *bytes = json_add_object(object, "bytes");
    json_add_number(bytes, "from_bytes", (double)row->from_bytes);
    json_add_number(bytes, "to_bytes", (double)row->to_bytes);
    json_add_number(bytes, "least_bytes", (double)row->least_bytes);
    json_add_number(bytes, "most_bytes", (double)row->most_bytes);
}

static void add_counts(cJSON *object, const struct result_behaviour *row)
{
    json_add_text(object, "waits", waits_names[row->waits]);
    json_add_number(object, "seen", (double)row->seen);
    json_add_number(object, "of", (double)row->of);
    json_add_number(object, "calls", (double)row->calls);
    if (!row->sized) return;
    json_add_number(object, "for_group", (double)row->for_group);
    json_add_number(object, "not_for_group", (double)row->not_for_group);
}

/* Rows of a complete by content are stored in the complete's own row. */
static void add_row(cJSON *rows, cJSON **whole, const struct result_behaviour *row)
{
    cJSON *into = row->content == OF_ALL ? rows : cJSON_GetObjectItemCaseSensitive(*whole, "by_content");
    if (!into && row->content != OF_ALL) into = json_add_array(*whole, "by_content");
    cJSON *object = json_append_object(into);
    if (row->content == OF_ALL) {
        *whole = object;
        json_add_text(object, "call", call_name(row->call));
        add_bytes(object, row);
    } else
        json_add_text(object, "content", content_names[row->content]);
    add_counts(object, row);
}

cJSON *result_behaviour_json(const struct result *result)
{
    cJSON *rows = cJSON_CreateArray(), *whole = NULL;
    for (size_t i = 0; i < result->behaviour_count; i++) add_row(rows, &whole, &result->behaviour[i]);
    return rows;
}

/* of parts of a line, which has RESULT_BEHAVIOUR_BYTES */
enum { OBJECT_BYTES = 2 * UNITS_TEXT_BYTES + 8, SHOWN_BYTES = 120 };

/* The words for a function's behaviour, and for the calls that were counted. */
struct wording {
    enum mpi_call call; /* ID_none: any other, an operation */
    const char *did[BEHAVES_COUNT], *counted;
};
static const struct wording wordings[] = {
    {ID_Win_start, {[BEHAVES_NONE] = "returned before the post", [BEHAVES_POST] = "waited for the post"}, "epochs"},
    {ID_Win_complete, {[BEHAVES_NONE] = "returned before the post", [BEHAVES_POST] = "waited for the post"}, "epochs"},
    {ID_Win_lock,
     {[BEHAVES_NONE] = "returned while another rank had the lock (lazy)", [BEHAVES_HOLDER] = "waited for the holder"},
     "locks"},
    {ID_none,
     {[BEHAVES_NONE] = "returned before its target's post",
      [BEHAVES_POST] = "waited for its target's post",
      [BEHAVES_GROUP] = "waited for the posts of the whole group"},
     "calls"}};

static const struct wording *wording_of(enum mpi_call call)
{
    const struct wording *wording = wordings;
    while (wording->call != call && wording->call != ID_none) wording++;
    return wording;
}

static const char *object_text(const struct result_behaviour *row, char text[OBJECT_BYTES])
{
    static const char *const contents[OF_COUNT] = {
        [OF_ALL] = "", [OF_NOTHING] = "of nothing", [OF_PUTS] = "of puts", [OF_GETS] = "of gets"};
    char least[UNITS_TEXT_BYTES], most[UNITS_TEXT_BYTES];
    if (!row->sized) return contents[row->content];
    units_format_bytes((double)row->least_bytes, least);
    units_format_bytes((double)row->most_bytes, most);
    snprintf(text, OBJECT_BYTES, "of %s%s%s", least, row->least_bytes < row->most_bytes ? " to " : "",
             row->least_bytes < row->most_bytes ? most : "");
    return text;
}

static void shown_text(const struct result_behaviour *row, char text[SHOWN_BYTES])
{
    const struct wording *wording = wording_of(row->call);
    if (row->waits == BEHAVES_UNSEEN)
        snprintf(text, SHOWN_BYTES, "not seen: none of %" PRIu64 " calls can show it", row->calls);
    else
        snprintf(text, SHOWN_BYTES, "%s in %" PRIu64 " of %" PRIu64 " %s", wording->did[row->waits],
                 row->seen, row->of, wording->counted);
}

char *result_behaviour_text(const struct result_behaviour *row, char text[RESULT_BEHAVIOUR_BYTES])
{
    char object[OBJECT_BYTES], shown[SHOWN_BYTES];
    const char *of = object_text(row, object);
    shown_text(row, shown);
    snprintf(text, RESULT_BEHAVIOUR_BYTES, "%s%s%s %s", call_name(row->call), *of ? " " : "", of, shown);
    return text;
}

void result_print_behaviour(const struct result *result, FILE *out)
{
    char object[OBJECT_BYTES], shown[SHOWN_BYTES];
    if (result->behaviour_count == 0) return;
    fputs("\nHow the library behaved, by calls that entered before the post or while the lock was held\n", out);
    for (size_t i = 0; i < result->behaviour_count; i++) {
        const struct result_behaviour *row = &result->behaviour[i];
        shown_text(row, shown);
        text_print(out, "  %-20s %-22s %s\n", row->content == OF_ALL ? call_name(row->call) : "", object_text(row, object),
                   shown);
    }
}
