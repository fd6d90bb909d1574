/* Behaviour of the recorded library in results: JSON, table, sentences (model/result/result.h). */
#include <inttypes.h>

#include "common/json/field_rows.h"
#include "common/json/json_write.h"
#include "common/text/text.h"
#include "common/units.h"
#include "model/result/result.h"
#include "model/result/result_fields.h"

static const char *name_waits(int waits)
{
    static const char *const names[BEHAVES_COUNT] = {"not seen", "none", "post", "group", "holder"};
    return names[waits];
}

static const char *name_content(int content)
{
    static const char *const names[OF_COUNT] = {[OF_NOTHING] = "none", [OF_PUTS] = "put", [OF_GETS] = "get"};
    return names[content];
}

struct whole { /* a function's row, behind which there are those of a complete by content */
    struct result_behaviour row;
    const struct result_behaviour *contents;
    size_t content_count;
};

#define S struct result_behaviour
static const struct field counts_fields[] = {
    NAME_OF("waits", waits, name_waits, BEHAVES_COUNT), SAME(seen), SAME(of), SAME(calls),
    SAME(for_group, IF_FLAG(sized), LEFT_OUT), SAME(not_for_group, IF_FLAG(sized), LEFT_OUT), {0}};
static const struct field content_fields[] = {NAME_OF("content", content, name_content, OF_COUNT),
                                              {.kind = FIELD_INLINE, .rows = counts_fields}, {0}};
static const struct field bytes_fields[] = {SAME(from_bytes), SAME(to_bytes), SAME(least_bytes), SAME(most_bytes), {0}};
#undef S
#define S struct whole
const struct field result_behaviour_fields[] = {
    NAME_OF("call", row.call, name_function, MPI_CALL_COUNT), OBJECT("bytes", row, bytes_fields, IF_FLAG(row.sized)),
    INLINE(NULL, row, counts_fields),
    ARRAY("by_content", contents, content_count, content_fields, IF_FLAG(content_count), LEFT_OUT),
    {0}};
#undef S

cJSON *result_behaviour_json(const struct result *result)
{
    cJSON *rows = cJSON_CreateArray();
    for (size_t i = 0, next; i < result->behaviour_count; i = next) {
        const struct result_behaviour *row = &result->behaviour[i];
        for (next = i + 1; next < result->behaviour_count && result->behaviour[next].content != OF_ALL;) next++;
        const struct whole whole = {*row, row + 1, next - i - 1};
        fields_write(result_behaviour_fields, &whole, 0, json_append_object(rows));
    }
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
