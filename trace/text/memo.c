/* The text behind a call's times repeats in most programs, so it is parsed once and kept. */
#include <string.h>

#include "trace/text/reader.h"

static uint64_t mix(uint64_t hash, const char *eight)
{
    uint64_t bytes;
    memcpy(&bytes, eight, sizeof bytes);
    hash = (hash ^ bytes) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static struct text_memo *slot_of(struct text_memory *memory, const char *text, size_t length)
{
    enum { STEP = sizeof(uint64_t) };
    uint64_t hash = mix(length, text + length - STEP);
    for (size_t i = 0; i + STEP < length; i += STEP) hash = mix(hash, text + i);
    return &memory->known[hash % TEXT_MEMO];
}

struct text_memo *text_memo_slot(struct text_memory *memory, const char *text, size_t length, bool *hit)
{
    *hit = false;
    if (length < TEXT_MEMO_LEAST || length > TEXT_MEMO_BYTES) return NULL;
    struct text_memo *known = slot_of(memory, text, length);
    *hit = known->length == length && memcmp(known->text, text, length) == 0;
    if (*hit) return known;
    known->length = 0;
    memcpy(known->text, text, length);
    return known;
}

void text_forget(struct text_memory *memory)
{
    for (size_t i = 0; i < TEXT_MEMO; i++) memory->known[i].length = 0;
}
