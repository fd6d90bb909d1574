/* The innermost frame of the calling thread, as CPython 3.8 to 3.13 keep it.
 *
 * Python code calls MPI without the interpreter's lock (the GIL), so nothing here may count references, allocate
 * Python's memory, raise an exception or take the lock: that would disturb the program, and taking it could make it
 * wait for another thread. Only these are read:
 *
 *   own thread state -> innermost frame -> code object and instruction -> names of file and function, table of lines
 *
 * The thread state is found through a key of pthreads, which needs no lock. The thread itself is inside the call, so
 * its state and its innermost frame do not change, and the frame holds its code object. A code object's names and its
 * table of lines are not changed after it is made, and strings never are. (A tracer that builds a table of its own at
 * that moment may spoil a line number.) The public functions PyThreadState_GetFrame and PyFrame_GetCode count
 * references, and the first one makes an object. So places of members are known by version, and types are compared
 * before a code object and its strings are believed.
 *
 * Each line is told once, and recognised by its text: file, function and number. The number costs a walk through the
 * table of lines. So places are remembered: by addresses, and by what tells code from code that was freed and had the
 * same ones, as generated and reloaded code has. That is from 3.12 on a number that the interpreter gives each code
 * object, before that a hash of its names and its table of lines. */
#include "trace/record/preload/python.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record/output/uncancelled.h"

/* Places of members, in bytes. From 3.11 on frames have the address of an instruction, before that a number. */
struct layout {
    size_t state_frame; /* of PyThreadState */
    bool by_cframe;     /* that is a _PyCFrame, which has the frame at: */
    size_t cframe_frame;
    size_t frame_code, frame_at;
    size_t code_begin;   /* of the instructions in a PyCodeObject; 0: frames have a number */
    int at_bytes;        /* that one number counts */
    size_t code_line;    /* the first line */
    size_t code_names;   /* of the file, then of the function */
    size_t code_table;   /* of lines */
    size_t code_version; /* 0: there is none */
};
enum { MINOR_FIRST = 8, OBJECT_TYPE = 8 };
enum { BYTES_LENGTH = 16, BYTES = 32 }; /* of a byte string */
/* Of a string; its characters, if it is of ASCII alone: up to 3.11. */
enum { TEXT_HASH = 24, TEXT_STATE = 32, TEXT_ASCII = 0x60, TEXT = 48 };
static const struct layout layouts[] = {
    {24, false, 0, 32, 104, 0, 1, 40, 104, 120, 0},  /* 3.8 */
    {24, false, 0, 32, 104, 0, 1, 40, 104, 120, 0},  /* 3.9 */
    {24, false, 0, 32, 96, 0, 2, 40, 104, 120, 0},   /* 3.10 */
    {56, true, 8, 32, 56, 184, 0, 72, 112, 136, 0},  /* 3.11 */
    {56, true, 0, 0, 56, 192, 0, 68, 112, 136, 92},  /* 3.12 */
    {72, false, 0, 0, 56, 200, 0, 68, 112, 136, 92}, /* 3.13 */
};

struct rec_range rec_python;
static const struct layout *layout;
static bool unreadable; /* there is an interpreter, and no row for it */

static struct {
    const char *(*Py_GetVersion)(void);
    void *(*PyGILState_GetThisThreadState)(void);
    int (*PyCode_Addr2Line)(void *code, int byte);
    intptr_t (*PyUnicode_GetLength)(void *text);
    uint32_t (*PyUnicode_ReadChar)(void *text, intptr_t at);
    void *PyCode_Type, *PyUnicode_Type;
} python;
static const struct {
    const char *name;
    void *at;
} symbols[] = {
#define SYMBOL(NAME)                                                                                                   \
    {                                                                                                                  \
#NAME, &python.NAME                                                                                            \
    }
    SYMBOL(Py_GetVersion),      SYMBOL(PyGILState_GetThisThreadState),
    SYMBOL(PyCode_Addr2Line),   SYMBOL(PyUnicode_GetLength),
    SYMBOL(PyUnicode_ReadChar), SYMBOL(PyCode_Type),
    SYMBOL(PyUnicode_Type),
};
static bool complete; /* all symbols are there */

void rec_python_find(void)
{
    rec_python = (struct rec_range){0};
    complete = true;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(RTLD_DEFAULT, symbols[i].name);
        memcpy(symbols[i].at, &found, sizeof found);
        complete = complete && found;
    }
}

void rec_python_meet(const struct rec_range *range)
{
    const void *function;
    memcpy(&function, &python.Py_GetVersion, sizeof function);
    if (!complete || !rec_in(range, function)) return;
    int minor = 0;
    const char *version = python.Py_GetVersion();
    /* Objects of a build without the lock begin with other members. */
    bool locks = sscanf(version, "3.%d", &minor) == 1 && !strstr(version, "free-threading");
    layout = locks && minor >= MINOR_FIRST && minor < MINOR_FIRST + (int)(sizeof layouts / sizeof *layouts)
                 ? &layouts[minor - MINOR_FIRST]
                 : NULL;
    if (layout) rec_python = *range;
    unreadable = !layout;
}

static void *read_pointer(const void *object, size_t at)
{
    void *value;
    memcpy(&value, (const char *)object + at, sizeof value);
    return value;
}

static uint32_t read_number(const void *object, size_t at)
{
    uint32_t value;
    memcpy(&value, (const char *)object + at, sizeof value);
    return value;
}

struct place {
    void *code, *file, *function;
    uintptr_t at;
};

static bool find_place(struct place *place)
{
    const void *state = python.PyGILState_GetThisThreadState();
    const void *frame = state ? read_pointer(state, layout->state_frame) : NULL;
    if (frame && layout->by_cframe) frame = read_pointer(frame, layout->cframe_frame);
    void *code = frame ? read_pointer(frame, layout->frame_code) : NULL;
    if (!code || read_pointer(code, OBJECT_TYPE) != python.PyCode_Type) return false;
    uintptr_t at = (uintptr_t)read_pointer(frame, layout->frame_at);
    place->code = code;
    place->file = read_pointer(code, layout->code_names);
    place->function = read_pointer(code, layout->code_names + sizeof(void *));
    place->at = layout->code_begin ? at : (uint32_t)at;
    return true;
}

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Four words at a time, which do not wait for each other. */
static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t count)
{
    enum { CHAINS = 4 };
    uint64_t chains[CHAINS] = {hash, 1, 2, 3}, words[CHAINS];
    for (hash = count; count >= sizeof words; count -= sizeof words, bytes += sizeof words) {
        memcpy(words, bytes, sizeof words);
        for (int i = 0; i < CHAINS; i++) chains[i] = mix_word(chains[i], words[i]);
    }
    memset(words, 0, sizeof words);
    memcpy(words, bytes, count);
    for (int i = 0; i < CHAINS; i++) hash = mix_word(hash, mix_word(chains[i], words[i]));
    return hash;
}

static bool is_text(const void *string)
{
    return string && read_pointer(string, OBJECT_TYPE) == python.PyUnicode_Type;
}

static uint64_t hash_text(uint64_t hash, void *string)
{
    intptr_t length = is_text(string) ? python.PyUnicode_GetLength(string) : 0;
    if (length > 0 && !layout->code_version && (read_number(string, TEXT_STATE) & TEXT_ASCII) == TEXT_ASCII)
        return hash_bytes(hash, (const char *)string + TEXT, (size_t)length);
    for (intptr_t i = 0; i < length; i++) hash = mix_word(hash, python.PyUnicode_ReadChar(string, i));
    return mix_word(hash, (uint64_t)length);
}

/* By the hash that the interpreter keeps in a string once it has needed it, as it has of each function's name. */
static uint64_t mix_text(uint64_t hash, void *string)
{
    uint64_t kept = is_text(string) ? REC_KEY(read_pointer(string, TEXT_HASH)) : 0;
    return kept == UINT64_MAX ? hash_text(hash, string) : mix_word(hash, kept);
}

/* Other code at the same address has another one. */
static uint64_t code_key(const struct place *place)
{
    uint32_t version = layout->code_version ? read_number(place->code, layout->code_version) : 0;
    uint64_t key =
        mix_word(REC_KEY(place->code), (uint64_t)version << 32 | read_number(place->code, layout->code_line));
    if (version != 0) return key; /* it is 0 after 2^32 of them */
    const char *table = read_pointer(place->code, layout->code_table);
    key = hash_bytes(key, table + BYTES, (size_t)(uintptr_t)read_pointer(table, BYTES_LENGTH));
    return mix_text(mix_text(key, place->file), place->function);
}

static int line_of(const struct place *place)
{
    int32_t number = (int32_t)(uint32_t)place->at;
    if (layout->code_begin)
        return python.PyCode_Addr2Line(place->code, (int)(place->at - REC_KEY(place->code) - layout->code_begin));
    return python.PyCode_Addr2Line(place->code, number * layout->at_bytes);
}

/* A string in UTF-8, as much of it as there is room for, and its bytes. */
static size_t put_text(char *to, size_t room, void *string)
{
    size_t bytes = 0;
    intptr_t length = is_text(string) ? python.PyUnicode_GetLength(string) : 0;
    for (intptr_t i = 0; i < length && bytes + 4 <= room; i++) {
        uint32_t c = python.PyUnicode_ReadChar(string, i);
        int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const uint8_t marks[] = {0, 0xc0, 0xe0, 0xf0};
        if (c >= 0xdc80 && c <= 0xdcff) { /* a byte of a file's name that is no UTF-8 (PEP 383) */
            to[bytes++] = (char)(uint8_t)c;
            continue;
        }
        to[bytes++] = (char)(uint8_t)(marks[more] | c >> (6 * more));
        while (more-- > 0) to[bytes++] = (char)(uint8_t)(0x80 | ((c >> (6 * more)) & 0x3f));
    }
    return bytes;
}

static void define_line(uint32_t id, const struct place *place, int line)
{
    char function[256], file[4096];
    size_t bytes = put_text(function, sizeof function - 1, place->function);
    function[bytes++] = '\0';
    rec_define_with((struct spool_record){.kind = SPOOL_LINE, .id = id, .tag = line}, function, bytes, file,
                    put_text(file, sizeof file, place->file));
}

/* The site of its line, 0 if there is no room for a further one. */
static uintptr_t find_line(const struct place *place)
{
    enum { LINES_MAX = 1 << 16 };
    static struct rec_table lines; /* by text: site */
    int line = line_of(place);
    uint64_t key = mix_word(hash_text(hash_text(0, place->file), place->function), (uint64_t)line);
    uintptr_t *known = rec_table_find(&lines, key), site = (uintptr_t)SPOOL_LINE_SITE(lines.count);
    if (known) return *known;
    if (lines.count >= LINES_MAX) return 0;
    define_line((uint32_t)lines.count, place, line);
    if (!rec_table_put(&lines, key, site)) rec_stop("out of memory");
    return site;
}

const void *rec_python_site(void)
{
    enum { PLACES_MAX = 1 << 16 };  /* then they are found anew: most of them are of code that was freed */
    static struct rec_table places; /* site */
    struct place place;
    if (rec_state != REC_OPEN || !find_place(&place)) return NULL;
    uint64_t key = mix_word(code_key(&place), place.at);
    rec_lock();
    const uintptr_t *known = rec_table_find(&places, key);
    uintptr_t site = known ? *known : find_line(&place);
    if (!known && places.count >= PLACES_MAX) {
        free(places.slots);
        places = (struct rec_table){0};
    }
    if (!known && site && !rec_table_put(&places, key, site)) rec_stop("out of memory");
    rec_unlock();
    return (const void *)site;
}

void rec_python_opened(struct rec_call *rec)
{
    const void *site = (const void *)(uintptr_t)rec->exit.extra;
    for (int i = 0; i < rec_binding_count && rec_python.bytes > 0; i++) {
        if (!rec_in(&rec_bindings[i], site)) continue;
        const void *found = rec_python_site();
        if (found) rec->enter.extra = rec->exit.extra = (int64_t)(uintptr_t)found;
    }
    if (unreadable && rec_rank == 0)
        rec_say("rmacast: call sites have no lines of Python: it is %.*s, expected CPython 3.8 to 3.13 with its lock\n",
                (int)strcspn(python.Py_GetVersion(), " "), python.Py_GetVersion());
}
