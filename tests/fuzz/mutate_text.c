#include "tests/fuzz/mutate_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/knobs.h"
#include "trace/calls/calls.h"
#include "trace/text/text.h"

enum { LINES_MAX = 512, LINE_BYTES = 1024, WORDS_MAX = 32, NUMBER_BYTES = 64 };

struct lines {
    char *line[LINES_MAX]; /* owned */
    size_t count;
};

static char *copy_bytes(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) abort();
    memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

static void split(const uint8_t *data, size_t size, struct lines *lines)
{
    const uint8_t *end = data + size;
    lines->count = 0;
    while (data < end && lines->count < LINES_MAX) {
        const uint8_t *stop = memchr(data, '\n', (size_t)(end - data));
        size_t length = (size_t)((stop ? stop : end) - data);
        lines->line[lines->count++] = copy_bytes(data, length < LINE_BYTES ? length : LINE_BYTES - 1);
        data += length + 1;
    }
}

static size_t join(struct lines *lines, uint8_t *data, size_t room)
{
    size_t size = 0;
    for (size_t i = 0; i < lines->count; i++) {
        size_t length = strlen(lines->line[i]);
        if (size + length + 1 <= room) {
            memcpy(data + size, lines->line[i], length);
            data[size + length] = '\n';
            size += length + 1;
        }
        free(lines->line[i]);
    }
    return size;
}

static size_t any_line(struct random *random, const struct lines *lines)
{
    return random_below(random, (uint32_t)lines->count);
}

/* A line of a call, if some tries find one. */
static size_t any_call(struct random *random, const struct lines *lines)
{
    size_t line = any_line(random, lines);
    for (int i = 0; i < 20 && !(lines->line[line][0] >= '0' && lines->line[line][0] <= '9'); i++)
        line = any_line(random, lines);
    return line;
}

static void insert_line(struct lines *lines, size_t at, const char *text)
{
    if (lines->count == LINES_MAX) return;
    memmove(&lines->line[at + 1], &lines->line[at], (lines->count - at) * sizeof *lines->line);
    lines->line[at] = copy_bytes((const uint8_t *)text, strlen(text));
    lines->count++;
}

static void remove_line(struct lines *lines, size_t at)
{
    free(lines->line[at]);
    lines->count--;
    memmove(&lines->line[at], &lines->line[at + 1], (lines->count - at) * sizeof *lines->line);
}

static void replace_line(struct lines *lines, size_t at, const char *text)
{
    char *made = copy_bytes((const uint8_t *)text, strlen(text));
    free(lines->line[at]);
    lines->line[at] = made;
}

/* --- words --- */

struct words {
    char text[LINE_BYTES];
    char *word[WORDS_MAX];
    size_t count;
};

static void take_words(const char *line, struct words *words)
{
    char *rest;
    snprintf(words->text, sizeof words->text, "%s", line);
    words->count = 0;
    for (char *word = strtok_r(words->text, " \t", &rest); word && words->count < WORDS_MAX;
         word = strtok_r(NULL, " \t", &rest))
        words->word[words->count++] = word;
}

static void put_words(struct lines *lines, size_t at, const struct words *words)
{
    char text[2 * LINE_BYTES] = "";
    size_t length = 0;
    for (size_t i = 0; i < words->count && length < LINE_BYTES; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i > 0 ? " " : "", words->word[i]);
    replace_line(lines, at, text);
}

/* One number for another: near it, or a limit of some type. Writes at most `room` bytes with the closing NUL. */
static void mutate_number(struct random *random, const char *old, char *made, size_t room)
{
    static const char *const limits[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "-1",
                                         "-2",
                                         "-",
                                         "7",
                                         "8",
                                         "64",
                                         "255",
                                         "1000",
                                         "8192",
                                         "8193",
                                         "65535",
                                         "65536",
                                         "100000",
                                         "16777215",
                                         "2147483647",
                                         "-2147483648",
                                         "4294967295",
                                         "1099511627776",
                                         "9007199254740993",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "18446744073709551615",
                                         "1e18",
                                         "1e-300",
                                         "0.5",
                                         "1e400",
                                         "nan",
                                         ""};
    int64_t value = strtoll(old, NULL, 10);
    if (random_chance(random, 60))
        snprintf(made, room, "%" PRId64, (int64_t)((uint64_t)value + random_below(random, 5) - 2));
    else
        snprintf(made, room, "%s", limits[random_below(random, sizeof limits / sizeof *limits)]);
}

static void mutate_time(struct random *random, const char *old, char *made, size_t room)
{
    static const char *const limits[] = {"0",
                                         "-1",
                                         "-0.000001",
                                         "1e-12",
                                         "4611686.018427387904",
                                         "9223372.036854775807",
                                         "-9223372.036854775808",
                                         "8000000",
                                         "-8000000",
                                         "1e30",
                                         "nan",
                                         "."};
    double value = strtod(old, NULL);
    uint32_t choice = random_below(random, 10);
    if (choice == 0)
        snprintf(made, room, "%s", limits[random_below(random, sizeof limits / sizeof *limits)]);
    else
        snprintf(made, room, "%.12f", value + (choice < 6 ? 1e-6 : 1e-12) * ((double)random_below(random, 41) - 20));
}

/* What another line says for the same key. */
static bool value_elsewhere(struct random *random, const struct lines *lines, const char *key, size_t length,
                            char *made, size_t room)
{
    for (int i = 0; i < 8; i++) {
        struct words words;
        take_words(lines->line[any_call(random, lines)], &words);
        for (size_t w = 3; w < words.count; w++) {
            if (strncmp(words.word[w], key, length) != 0 || words.word[w][length] != '=') continue;
            snprintf(made, room, "%s", words.word[w] + length + 1);
            return true;
        }
    }
    return false;
}

static const char *any_word_value(struct random *random)
{
    static const char *const values[] = {
        "exclusive", "shared", "NOCHECK", "NOPUT",   "NOPRECEDE", "NOSUCCEED", "NOSTORE", "NOCHECK|NOPRECEDE",
        "SUM",       "NO_OP",  "REPLACE", "f@g.c:1", "heap",      "dynamic",   "create",  "0,1",
        "1,0",       "0,1,2",  "1,2,3",   "0:1",     "0,1:1,0",   "1:0",       "a%20b"};
    return values[random_below(random, sizeof values / sizeof *values)];
}

/* One of the members of "3,1,2" or all. */
static void mutate_value(struct random *random, const struct lines *lines, const char *word, char *made, size_t room)
{
    size_t length = strcspn(word, "=");
    const char *value = word + length + 1;
    char fresh[256];
    uint32_t choice = random_below(random, 10);
    const char *comma = strchr(value, ',');
    if (choice < 4 && value_elsewhere(random, lines, word, length, fresh, sizeof fresh)) {
    } else if (choice == 4)
        snprintf(fresh, sizeof fresh, "%s", any_word_value(random));
    else if (comma && choice < 7)
        snprintf(fresh, sizeof fresh, "%s", comma + 1);
    else if (comma && choice < 8)
        snprintf(fresh, sizeof fresh, "%.60s,%.60s", value, value);
    else
        mutate_number(random, value, fresh, sizeof fresh);
    snprintf(made, room, "%.*s=%s", (int)length, word, fresh);
}

/* --- whole calls --- */

static const char *key_value(struct random *random, uint32_t field, char *made, size_t room)
{
    switch (field) {
    case F_WIN:
    case F_COMM: snprintf(made, room, "%u", random_below(random, 2)); break;
    case F_TARGET:
    case F_PEER:
    case F_ROOT:
    case F_SOURCE: snprintf(made, room, "%d", (int)random_below(random, 4) - (int)random_chance(random, 10)); break;
    case F_TAG:
    case F_RECVTAG:
    case F_FLAG:
    case F_STARTED: snprintf(made, room, "%u", random_below(random, 2)); break;
    case F_BYTES:
    case F_RESULT_BYTES:
    case F_SENT:
    case F_RECEIVED:
    case F_DISP: snprintf(made, room, "%u", random_chance(random, 30) ? 0 : 1u << random_below(random, 22)); break;
    case F_GROUP: return random_chance(random, 20) ? "" : random_chance(random, 50) ? "0" : "1";
    case F_LOCKTYPE: return random_chance(random, 50) ? "exclusive" : "shared";
    case F_ASSERT: return random_chance(random, 50) ? "0" : any_word_value(random);
    case F_OP: return "SUM";
    case F_REQS: return random_chance(random, 50) ? "0" : "0,1";
    case F_REGION: return "r";
    case F_SITE: return "f@g.c:1";
    case F_NEIGHBORS: return random_chance(random, 50) ? "0,1:0,1" : "1:1";
    default: snprintf(made, room, "%u", random_below(random, 3)); break;
    }
    return made;
}

/* A name with all keys that it needs and some that it may have; `known`: words whose values it keeps. */
static void write_call(struct random *random, const struct words *known, const char *name, uint32_t needed,
                       uint32_t allowed, char *made, size_t room)
{
    size_t length = (size_t)snprintf(made, room, "%s", name);
    for (int field = 0; field < CALL_FIELD_COUNT && length < room; field++) {
        uint32_t bit = UINT32_C(1) << field;
        if (!(needed & bit) && !((allowed & bit) && random_chance(random, 30))) continue;
        const char *key = call_field_key((enum call_field)field), *value = NULL;
        size_t key_length = strlen(key);
        char fresh[NUMBER_BYTES];
        for (size_t w = 3; w < known->count; w++)
            if (strncmp(known->word[w], key, key_length) == 0 && known->word[w][key_length] == '=')
                value = known->word[w] + key_length + 1;
        if (!value || random_chance(random, 10)) value = key_value(random, bit, fresh, sizeof fresh);
        length += (size_t)snprintf(made + length, room - length, " %s=%s", key, value);
    }
}

static void any_call_text(struct random *random, const struct words *known, char *made, size_t room)
{
    const struct call_row *row;
    uint32_t kinds[] = {CALL_PUT,        CALL_GET,         CALL_FENCE,          CALL_POST,       CALL_START,
                        CALL_COMPLETE,   CALL_WIN_WAIT,    CALL_LOCK,           CALL_UNLOCK,     CALL_LOCK_ALL,
                        CALL_UNLOCK_ALL, CALL_FLUSH,       CALL_WIN_FREE,       CALL_WIN_CREATE, CALL_COMM_CREATE,
                        CALL_COMM_FREE,  CALL_SHMEM_QUIET, CALL_SHMEM_SET_LOCK, CALL_SHMEM_WAIT};
    bool favoured = random_chance(random, 50);
    uint32_t kind = kinds[random_below(random, sizeof kinds / sizeof *kinds)];
    do row = call_row((enum mpi_call)random_below(random, MPI_CALL_COUNT));
    while (favoured && row->kind != kind);
    write_call(random, known, row->name, row->needed, row->allowed, made, room);
}

/* Another function with the values that it takes of the old one's; or a new line of the kind behind it. */
static void change_call(struct random *random, struct lines *lines, bool insert)
{
    size_t at = any_call(random, lines);
    struct words words;
    char call[LINE_BYTES], text[2 * LINE_BYTES];
    take_words(lines->line[at], &words);
    if (words.count < 3) return;
    any_call_text(random, &words, call, sizeof call);
    const char *enter = insert ? words.word[2] : words.word[1];
    snprintf(text, sizeof text, "%s %s %s %s", words.word[0], enter, words.word[2], call);
    if (insert)
        insert_line(lines, at + 1, text);
    else
        replace_line(lines, at, text);
}

static void change_value(struct random *random, struct lines *lines)
{
    size_t at = random_chance(random, 15) ? any_line(random, lines) : any_call(random, lines);
    struct words words;
    char made[512];
    take_words(lines->line[at], &words);
    if (words.count == 0) return;
    size_t word = random_below(random, (uint32_t)words.count);
    for (int i = 0; i < 6 && !strchr(words.word[word], '='); i++) word = random_below(random, (uint32_t)words.count);
    bool call = words.word[0][0] >= '0' && words.word[0][0] <= '9';
    if (strchr(words.word[word], '='))
        mutate_value(random, lines, words.word[word], made, sizeof made);
    else if (call && (word == 1 || word == 2))
        mutate_time(random, words.word[word], made, sizeof made);
    else
        mutate_number(random, words.word[word], made, sizeof made);
    words.word[word] = made;
    put_words(lines, at, &words);
}

/* A call is made by another rank, or another thread of its own. */
static void change_caller(struct random *random, struct lines *lines)
{
    size_t at = any_call(random, lines);
    struct words words;
    char made[NUMBER_BYTES];
    take_words(lines->line[at], &words);
    if (words.count < 3) return;
    if (random_chance(random, 50)) {
        snprintf(made, sizeof made, "%u", random_below(random, 4));
        words.word[0] = made;
    } else if (words.count < WORDS_MAX) {
        snprintf(made, sizeof made, "thread=%u", 1 + random_below(random, 2));
        words.word[words.count++] = made;
    }
    put_words(lines, at, &words);
}

/* Two calls change places, each rank's times stay in order. */
static void swap_calls(struct random *random, struct lines *lines)
{
    size_t one = any_call(random, lines), two = random_chance(random, 50) ? any_call(random, lines) : one + 1;
    struct words first, second;
    if (two >= lines->count || one == two) return;
    take_words(lines->line[one], &first);
    take_words(lines->line[two], &second);
    if (first.count < 3 || second.count < 3) return;
    for (int i = 1; i < 3; i++) {
        char *time = first.word[i];
        first.word[i] = second.word[i];
        second.word[i] = time;
    }
    if (random_chance(random, 80)) {
        char *rank = first.word[0];
        first.word[0] = second.word[0];
        second.word[0] = rank;
    }
    put_words(lines, one, &second);
    put_words(lines, two, &first);
}

static void drop_word(struct random *random, struct lines *lines)
{
    size_t at = any_line(random, lines);
    struct words words;
    take_words(lines->line[at], &words);
    if (words.count < 2) return;
    size_t word = 1 + random_below(random, (uint32_t)words.count - 1);
    memmove(&words.word[word], &words.word[word + 1], (words.count - word - 1) * sizeof *words.word);
    words.count--;
    put_words(lines, at, &words);
}

static void add_word(struct random *random, struct lines *lines)
{
    static const char *const more[] = {
        "break=1",      "thread=1",        "thread=2",       "cpu=0.000001", "origin_extent=100000",
        "site=f@g.c:1", "target_extent=5", "assert=NOCHECK", "between=1",    "flavor=heap",
        "disp_unit=8",  "name=w",          "bytes=100",      "xfer_start=0", "blocked=0.00002"};
    size_t at = random_chance(random, 80) ? any_call(random, lines) : any_line(random, lines);
    char text[2 * LINE_BYTES];
    snprintf(text, sizeof text, "%s %s", lines->line[at], more[random_below(random, sizeof more / sizeof *more)]);
    replace_line(lines, at, text);
}

static void add_definition(struct random *random, struct lines *lines)
{
    static const char *const definitions[] = {"comm 1 ranks=0,1",
                                              "comm 1 ranks=1,0",
                                              "comm 2 ranks=1",
                                              "comm 1 ranks=0,1,2 between=1",
                                              "window 0 comm=0",
                                              "window 1 comm=0",
                                              "window 1 comm=1",
                                              "window 0 comm=0 flavor=heap",
                                              "incomplete 0 why",
                                              "incomplete 1 x",
                                              "speed 0 2",
                                              "note text",
                                              "property simulated=1",
                                              "window 1 comm=0 bytes=0",
                                              "window 1 comm=1 name=w disp_unit=4",
                                              "property record_cost=0.000001",
                                              "property clock_offset=1 clock_error=1"};
    size_t at = lines->count > 2 && random_chance(random, 80) ? 2 : any_line(random, lines);
    insert_line(lines, at, definitions[random_below(random, sizeof definitions / sizeof *definitions)]);
}

static void turn_knob(struct random *random, struct lines *lines)
{
    size_t count;
    const struct knob *knobs = knobs_all(&count), *knob = &knobs[random_below(random, (uint32_t)count)];
    const char *value = knob->values[random_below(random, KNOB_VALUES_MAX)];
    char text[KNOB_BYTES + 8], number[NUMBER_BYTES];
    if (!value) value = knob->values[0];
    if (!value) return;
    if (random_chance(random, 5)) {
        mutate_number(random, value, number, sizeof number);
        value = number;
    }
    snprintf(text, sizeof text, "#! %s=%s", knob->key, value);
    for (size_t i = lines->count; i-- > 0;)
        if (strncmp(lines->line[i], text, strcspn(text, "=") + 1) == 0) remove_line(lines, i);
    insert_line(lines, 0, text);
}

static void copy_line(struct random *random, struct lines *lines)
{
    size_t from = any_line(random, lines);
    char text[LINE_BYTES];
    snprintf(text, sizeof text, "%s", lines->line[from]);
    insert_line(lines, random_chance(random, 70) ? from + 1 : any_line(random, lines), text);
}

/* All lines from one on, or some of them. */
static void drop_lines(struct random *random, struct lines *lines)
{
    size_t at = any_call(random, lines), count = 1 + random_below(random, 1 + random_below(random, 6));
    while (count-- > 0 && at < lines->count && lines->count > 1) remove_line(lines, at);
}

/* All later calls of a rank come later, or earlier. */
static void shift_rank(struct random *random, struct lines *lines)
{
    size_t from = any_call(random, lines);
    uint32_t rank = random_below(random, 4);
    double by_s = 1e-6 * ((double)random_below(random, 100) - 20);
    for (size_t i = from; i < lines->count; i++) {
        struct words words;
        char enter[NUMBER_BYTES], leave[NUMBER_BYTES];
        take_words(lines->line[i], &words);
        if (words.count < 4 || words.word[0][0] < '0' || words.word[0][0] > '9' ||
            strtoul(words.word[0], NULL, 10) != rank)
            continue;
        snprintf(enter, sizeof enter, "%.12f", strtod(words.word[1], NULL) + by_s);
        snprintf(leave, sizeof leave, "%.12f", strtod(words.word[2], NULL) + by_s);
        words.word[1] = enter;
        words.word[2] = leave;
        put_words(lines, i, &words);
    }
}

size_t mutate_bytes(struct random *random, uint8_t *data, size_t size, size_t room)
{
    uint32_t at = random_below(random, (uint32_t)size + 1);
    uint32_t choice = random_below(random, 4);
    if (choice == 0 && size < room) {
        memmove(data + at + 1, data + at, size - at);
        data[at] = (uint8_t)random_below(random, 256);
        return size + 1;
    }
    if (at == size) return size;
    if (choice == 1) {
        memmove(data + at, data + at + 1, size - at - 1);
        return size - 1;
    }
    if (choice == 2) return random_chance(random, 20) ? at : size;
    data[at] ^= (uint8_t)(1u << random_below(random, 8));
    return size;
}

size_t mutate_text(struct random *random, uint8_t *data, size_t size, size_t room)
{
    struct lines lines;
    if (size == 0) return make_text(random, data, room);
    if (random_chance(random, 2)) return mutate_bytes(random, data, size, room);
    split(data, size, &lines);
    if (lines.count == 0) return make_text(random, data, room);
    switch (random_below(random, 24)) {
    case 0:
    case 1:
    case 2: drop_lines(random, &lines); break;
    case 3: copy_line(random, &lines); break;
    case 4:
    case 5:
    case 6: swap_calls(random, &lines); break;
    case 7:
    case 8: change_call(random, &lines, false); break;
    case 9:
    case 10: change_call(random, &lines, true); break;
    case 11:
    case 12: change_caller(random, &lines); break;
    case 13: drop_word(random, &lines); break;
    case 14: add_word(random, &lines); break;
    case 15: add_definition(random, &lines); break;
    case 16:
    case 17:
    case 18: turn_knob(random, &lines); break;
    case 19: shift_rank(random, &lines); break;
    default: change_value(random, &lines); break;
    }
    return join(&lines, data, room);
}

/* A number, a hexadecimal digit or another word of one line. */
static void change_word(struct random *random, struct lines *lines)
{
    size_t at = any_line(random, lines);
    struct words words;
    char made[LINE_BYTES];
    take_words(lines->line[at], &words);
    if (words.count == 0) return;
    size_t word = random_below(random, (uint32_t)words.count);
    snprintf(made, sizeof made, "%s", words.word[word]);
    size_t length = strlen(made);
    if (length > 6 && random_chance(random, 70))
        made[random_below(random, (uint32_t)length)] = "0123456789abcdef"[random_below(random, 16)];
    else if ((made[0] >= 'A' && made[0] <= 'Z') || random_chance(random, 5))
        snprintf(made, sizeof made, "%s", call_name((enum mpi_call)random_below(random, MPI_CALL_COUNT)));
    else
        mutate_number(random, words.word[word], made, sizeof made);
    words.word[word] = made;
    put_words(lines, at, &words);
}

static void move_line(struct random *random, struct lines *lines)
{
    size_t from = any_line(random, lines);
    size_t to = random_chance(random, 50) && from + 1 < lines->count ? from + 1 : any_line(random, lines);
    char *line = lines->line[from];
    lines->line[from] = lines->line[to];
    lines->line[to] = line;
}

size_t mutate_lines(struct random *random, const char *const *more, size_t more_count, uint8_t *data, size_t size,
                    size_t room)
{
    struct lines lines;
    split(data, size, &lines);
    if (lines.count == 0) insert_line(&lines, 0, more[0]);
    switch (random_below(random, 10)) {
    case 0: remove_line(&lines, any_line(random, &lines)); break;
    case 1: copy_line(random, &lines); break;
    case 2:
    case 3: move_line(random, &lines); break;
    case 4: insert_line(&lines, any_line(random, &lines), more[random_below(random, (uint32_t)more_count)]); break;
    case 5: drop_lines(random, &lines); break;
    default: change_word(random, &lines); break;
    }
    return join(&lines, data, room);
}

/* Puts `length` bytes of text in the place of those from `at` to `end`. */
static size_t replace_bytes(uint8_t *data, size_t size, size_t at, size_t end, const char *text, size_t length, size_t room)
{
    if (size - (end - at) + length > room) return size;
    memmove(data + at + length, data + end, size - end);
    memcpy(data + at, text, length);
    return size - (end - at) + length;
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

size_t mutate_digits(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const factors[] = {"e9", "e-9", "e300", "e-300", "e308", ".5", "0000000000", "K", "us"};
    char old[NUMBER_BYTES] = "", made[NUMBER_BYTES];
    size_t begin = random_below(random, (uint32_t)size + 1), end;
    for (size_t i = 0; i < size && !is_digit(data[begin % size]); i++) begin++;
    if (size == 0 || !is_digit(data[begin % size])) return size;
    begin %= size;
    while (begin > 0 && is_digit(data[begin - 1])) begin--;
    for (end = begin; end < size && end - begin < sizeof old - 1 && is_digit(data[end]);) end++;
    if (random_chance(random, 25)) {
        const char *factor = factors[random_below(random, sizeof factors / sizeof *factors)];
        return replace_bytes(data, size, end, end, factor, strlen(factor), room);
    }
    memcpy(old, data + begin, end - begin);
    mutate_number(random, old, made, sizeof made);
    return replace_bytes(data, size, begin, end, made, strlen(made), room);
}

/* Where some line begins, or the end. */
static size_t any_begin(struct random *random, const uint8_t *data, size_t size)
{
    size_t at = random_below(random, (uint32_t)size + 1);
    while (at > 0 && at < size && data[at - 1] != '\n') at++;
    return at;
}

size_t mutate_splice(struct random *random, uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                     size_t room)
{
    size_t at = any_begin(random, data, size), from = any_begin(random, other, other_size);
    if (at + other_size - from > room) return size;
    memcpy(data + at, other + from, other_size - from);
    return at + other_size - from;
}

size_t mutate_any(struct random *random, const char *const *more, size_t more_count, uint8_t *data, size_t size,
                  size_t room)
{
    uint32_t choice = random_below(random, 20);
    if (choice == 0) return mutate_bytes(random, data, size, room);
    if (choice < 10) return mutate_digits(random, data, size, room);
    return mutate_lines(random, more, more_count, data, size, room);
}

/* --- correct programs --- */

/* As many phases as fit. */
static enum status write_program(struct program *program, uint8_t *data, size_t room, size_t *size, struct err *err)
{
    struct trace *trace;
    char *text = NULL;
    TRY(program_trace(program, &trace, err));
    FILE *out = open_memstream(&text, size);
    enum status status = out ? STATUS_OK : err_memory(err);
    if (out) {
        size_t count;
        const struct knob *knobs = knobs_all(&count);
        for (size_t i = 0; i < count; i++)
            if (program->knobs[i] > 0 && knobs[i].values[program->knobs[i]])
                fprintf(out, "#! %s=%s\n", knobs[i].key, knobs[i].values[program->knobs[i]]);
        status = text_write(trace, NULL, out, err);
        fclose(out);
    }
    trace_free(trace);
    if (status == STATUS_OK && *size <= room) memcpy(data, text, *size);
    free(text);
    return status;
}

size_t make_text(struct random *random, uint8_t *data, size_t room)
{
    struct program program;
    struct err err;
    size_t size = 0;
    static const enum subject subjects[] = {SUBJECT_MPI, SUBJECT_MPI, SUBJECT_THREADS, SUBJECT_SHMEM};
    if (program_make(random_next(random), subjects[random_below(random, 4)], &program, &err) != STATUS_OK) abort();
    size_t small = room < 4096 ? room : 4096; /* a mutant runs the faster */
    while (write_program(&program, data, small, &size, &err) == STATUS_OK && size > small && program.phase_count > 1)
        program_remove_phase(&program, random_below(random, (uint32_t)program.phase_count));
    program_clear(&program);
    return size <= small ? size : 0;
}
