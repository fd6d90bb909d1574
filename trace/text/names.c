/* Finds names of calls and keys by a hash: there are hundreds of names and a million lines. */
#include <string.h>

#include "trace/text/reader.h"

_Static_assert(MPI_CALL_COUNT * 4 <= TEXT_CALL_SLOTS && TEXT_FIELD_COUNT * 4 <= TEXT_KEY_SLOTS, "few of one hash");
_Static_assert(TEXT_FIELD_COUNT < UINT8_MAX && MPI_CALL_COUNT < UINT16_MAX, "a number plus 1");

/* Names differ in their length and their last bytes. */
static size_t slot_of(uint64_t last, size_t length, size_t slots)
{
    return (size_t)((last + length) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % slots;
}

static size_t call_slot(const char *name)
{
    size_t length = strlen(name);
    uint64_t last = 0;
    if (length >= sizeof last)
        memcpy(&last, name + length - sizeof last, sizeof last);
    else
        memcpy(&last, name, length);
    return slot_of(last, length, TEXT_CALL_SLOTS);
}

/* The last bytes before '=' or the end, and its length. */
static uint64_t pack_key(const char *word, size_t *length)
{
    uint64_t last = 0;
    const char *end = word;
    for (; *end != '=' && *end != '\0'; end++) last = last << 8 | (uint8_t)*end;
    *length = (size_t)(end - word);
    return last;
}

static void fill_keys(struct text_names *names)
{
    for (int i = 0; i < TEXT_FIELD_COUNT; i++) {
        size_t length;
        uint64_t last = pack_key(text_field(i)->key, &length);
        size_t slot = slot_of(last, length, TEXT_KEY_SLOTS);
        while (names->keys[slot] != 0) slot = (slot + 1) % TEXT_KEY_SLOTS;
        names->keys[slot] = (uint8_t)(i + 1);
        names->packed[slot] = last;
    }
}

void text_names_fill(struct text_names *names)
{
    memset(names, 0, sizeof *names);
    fill_keys(names);
    for (int i = 0; i < MPI_CALL_COUNT; i++) {
        size_t slot = call_slot(call_name((enum mpi_call)i));
        while (names->calls[slot] != 0) slot = (slot + 1) % TEXT_CALL_SLOTS;
        names->calls[slot] = (uint16_t)(i + 1);
    }
}

bool text_find_call(const struct text_names *names, const char *name, enum mpi_call *call)
{
    for (size_t slot = call_slot(name); names->calls[slot] != 0; slot = (slot + 1) % TEXT_CALL_SLOTS) {
        *call = (enum mpi_call)(names->calls[slot] - 1);
        if (strcmp(call_name(*call), name) == 0) return true;
    }
    return false;
}

int text_find_key(const struct text_names *names, const char *word, size_t *length)
{
    uint64_t last = pack_key(word, length);
    for (size_t slot = slot_of(last, *length, TEXT_KEY_SLOTS); names->keys[slot] != 0;
         slot = (slot + 1) % TEXT_KEY_SLOTS) {
        if (names->packed[slot] != last) continue;
        const char *known = text_field(names->keys[slot] - 1)->key;
        bool same = *length <= sizeof last || strncmp(known, word, *length) == 0;
        if (same && known[*length] == '\0') return names->keys[slot] - 1;
    }
    return -1;
}
