#include "trace/text/fields.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/text/utf8.h"

#define SIM(member) offsetof(struct text_values, sim.member)
#define EXTENT(buffer) offsetof(struct text_values, extents.of[buffer])

static const struct text_field fields[TEXT_FIELD_COUNT] = {
#define CALL_FIELD(NAME, KEY, MEMBER, NOTATION)                                                                        \
    [F_##NAME##_INDEX] = {KEY, TEXT_##NOTATION, offsetof(struct text_values, MEMBER)},
#include "trace/calls/call_fields.def"
#undef CALL_FIELD
    [TEXT_BREAK_INDEX] = {"break", TEXT_BREAK, offsetof(struct text_values, call.flags)},
    [TEXT_THREAD_INDEX] = {"thread", TEXT_THREAD, offsetof(struct text_values, thread)},
#define BEFORE(ID, KEY, ATTRIBUTE, DESCRIPTION)                                                                        \
    [TEXT_BEFORE_FIRST + BEFORE_##ID] = {KEY, TEXT_BEFORE, offsetof(struct text_values, before_ps[BEFORE_##ID])},
#include "trace/before.def"
#undef BEFORE
    [TEXT_EXTENT_FIRST] = {"origin_extent", TEXT_EXTENT, EXTENT(TRACE_ORIGIN)},
    {"target_extent", TEXT_EXTENT, EXTENT(TRACE_TARGET)},
    {"result_extent", TEXT_EXTENT, EXTENT(TRACE_RESULT)},
    [TEXT_SEND_EXTENT_INDEX] = {"send_extent", TEXT_EXTENT, EXTENT(TRACE_SEND)},
    [TEXT_RECV_EXTENT_INDEX] = {"recv_extent", TEXT_EXTENT, EXTENT(TRACE_RECEIVE)},
    [TEXT_SIM_FIRST] = {"xfer_start", TEXT_TIME, SIM(xfer_start_ps)},
    {"xfer_end", TEXT_TIME, SIM(xfer_end_ps)},
    {"base_end", TEXT_TIME, SIM(base_end_ps)},
    {"extended_end", TEXT_TIME, SIM(extended_end_ps)},
    {"xfer_least", TEXT_TIME, SIM(xfer_least_ps)},
    {"blocked", TEXT_TIME, SIM(blocked_ps)},
    {"progress_from", TEXT_TIME, SIM(progress_from_ps)},
    {"progress_until", TEXT_TIME, SIM(progress_until_ps)},
    {"awaited_post", TEXT_TIME, SIM(awaited_post_ps)},
    {"released", TEXT_TIME, SIM(released_ps)},
};

static const char *const assertions[TEXT_ASSERTION_COUNT] = {"NOCHECK", "NOSTORE", "NOPUT", "NOPRECEDE", "NOSUCCEED"};

const struct text_field *text_field(int index)
{
    return &fields[index];
}

const char *text_assertion(int bit)
{
    return assertions[bit];
}

void text_encode(const char *text, char *buffer)
{
    for (int length; *text; text += length) {
        length = strchr("%#@= ", *text) ? 0 : utf8_visible(text);
        if (length > 0)
            buffer = mempcpy(buffer, text, (size_t)length);
        else
            buffer += sprintf(buffer, "%%%02X", (unsigned char)*text), length = 1;
    }
    *buffer = '\0';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool text_decode(char *text)
{
    char *to = text;
    for (; *text; text++) {
        int c = (unsigned char)*text;
        if (c == '%') {
            int high = hex_digit(text[1]), low = high < 0 ? -1 : hex_digit(text[2]);
            if (low < 0 || high * 16 + low == 0) return false;
            c = high * 16 + low;
            text += 2;
        }
        *to++ = (char)c;
    }
    *to = '\0';
    return true;
}
