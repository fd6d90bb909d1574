/* The text behind a call's times repeats in most programs, so it is parsed once and kept. */
#include <string.h>

#include "trace/text/reader.h"

static uint64_t mix_hash(uint64_t hash, const char *eight)
{
    uint64_t bytes;
    memcpy(&bytes, eight, sizeof bytes);
    hash = (hash ^ bytes) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

struct text_memo *text_memo_slot(struct text_memos *memos, const char *text, size_t length, bool *hit)
{
    *hit = false;
    if (length < TEXT_MEMO_LEAST || length > TEXT_MEMO_BYTES) return NULL;
    enum { STEP = sizeof(uint64_t) };
    uint64_t hash = mix_hash(length, text + length - STEP);
    for (size_t i = 0; i + STEP < length; i += STEP) hash = mix_hash(hash, text + i);
    struct text_memo *memo = &memos->items[hash % TEXT_MEMOS];
    *hit = memo->length == length && memcmp(memo->text, text, length) == 0;
    if (*hit) return memo;
    memo->length = 0;
    memcpy(memo->text, text, length);
    return memo;
}

void text_forget(struct text_memos *memos)
{
    for (size_t i = 0; i < TEXT_MEMOS; i++) memos->items[i].length = 0;
}
