#include "craft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/spool/read.h"

static void push_item(struct craft *craft, struct craft_item item)
{
    craft->items = realloc(craft->items, (craft->count + 1) * sizeof item);
    assert_non_null(craft->items);
    craft->items[craft->count++] = item;
}

static void push(struct craft *craft, struct spool_record record)
{
    push_item(craft, (struct craft_item){.record = record});
}

void craft_begin(struct craft *craft, uint32_t rank, uint32_t world, uint64_t base_ns)
{
    *craft = (struct craft){.rank = rank, .world = world, .base_ns = base_ns};
}

void craft_define(struct craft *craft, enum spool_kind kind, struct spool_record head, const void *content,
                  size_t bytes)
{
    head.kind = (uint8_t)kind;
    head.bytes = (int64_t)bytes;
    push(craft, head);
    for (size_t done = 0; done < bytes; done += 32) {
        struct craft_item part = {.bytes = bytes - done < 32 ? bytes - done : 32};
        memcpy(part.content, (const char *)content + done, part.bytes);
        push_item(craft, part);
    }
}

void craft_anchor(struct craft *craft, uint64_t ticks, uint64_t ns)
{
    push(craft, (struct spool_record){.time = ticks,
                                      .kind = SPOOL_ANCHOR,
                                      .id = SPOOL_NO_ID,
                                      .peer = -1,
                                      .bytes = (int64_t)ticks,
                                      .extra = (int64_t)ns});
}

void craft_prologue(struct craft *craft)
{
    static const char names[] = "MPI_Init\nMPI_Barrier\nMPI_Finalize\n";
    craft_define(craft, SPOOL_NAMES, (struct spool_record){.peer = SPOOL_NAMES_CALLS}, names, sizeof names - 1);
    craft_define(craft, SPOOL_COMM, (struct spool_record){.extra = craft->world}, NULL, 0);
}

void craft_enter(struct craft *craft, uint16_t call, uint64_t enter_ns)
{
    uint32_t comm = call == CRAFT_BARRIER ? 0 : SPOOL_NO_ID;
    push(craft, (struct spool_record){.time = enter_ns, .kind = SPOOL_ENTER, .call = call, .id = comm, .peer = -1});
}

void craft_exit(struct craft *craft, uint16_t call, uint64_t exit_ns)
{
    push(craft,
         (struct spool_record){.time = exit_ns, .kind = SPOOL_EXIT, .call = call, .id = SPOOL_NO_ID, .peer = -1});
}

void craft_call(struct craft *craft, uint16_t call, uint64_t enter_ns, uint64_t exit_ns)
{
    craft_enter(craft, call, enter_ns);
    craft_exit(craft, call, exit_ns);
}

void craft_free(struct craft *craft)
{
    free(craft->items);
}

static FILE *open_in(const char *directory, const char *name, const char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    return file;
}

enum { CHUNK = 8192 };

/* Writes the item at words[*at], or in the next chunk if five words and a 0 do not fit. */
static void encode(const struct craft_item *item, uint64_t *words, size_t *at)
{
    if (*at % CHUNK > CHUNK - 6) *at += CHUNK - *at % CHUNK;
    if (*at % CHUNK == 0) {
        words[*at] = UINT64_C(0x4b4e484300000000) + *at / CHUNK;
        ++*at;
    }
    if (item->bytes > 0) {
        words[*at] = 1 | 1023 << 5 | (uint64_t)item->bytes << 15;
        memcpy(&words[*at + 1], item->content, item->bytes);
        *at += 1 + (item->bytes + 7) / 8;
    } else {
        words[*at] = 1 | 15 << 1 | item->record.time << 15;
        memcpy(&words[*at + 1], &item->record.kind, 32);
        *at += 5;
    }
}

static void write_file(const char *directory, const char *suffix, uint32_t rank, const void *head, size_t head_bytes,
                       long at, const uint64_t *words, size_t count)
{
    char name[64];
    snprintf(name, sizeof name, "rank-%06u.%s", rank, suffix);
    FILE *file = open_in(directory, name, "w");
    assert_int_equal(fwrite(head, head_bytes, 1, file), 1);
    fseek(file, at, SEEK_SET);
    assert_int_equal(fwrite(words, sizeof *words, count, file), count);
    fclose(file);
}

void craft_write(const struct craft *craft, const char *directory, size_t count, uint32_t state)
{
    const struct spool_header header = {.magic = SPOOL_MAGIC,
                                        .version = SPOOL_VERSION,
                                        .unit_bytes = 8,
                                        .chunk_units = CHUNK,
                                        .rank = craft->rank,
                                        .world = craft->world,
                                        .base_ns = craft->base_ns,
                                        .clock = craft->ticks_per_s ? 1 : 0,
                                        .base_ticks = UINT64_C(123456789012345678),
                                        .ticks_per_s = craft->ticks_per_s};
    const struct {
        uint64_t magic;
        uint32_t rank, state;
        uint64_t base_ns;
    } tail = {SPOOL_TAIL_MAGIC, craft->rank, state, craft->base_ns};
    size_t room = (count / 1000 + 2) * CHUNK, at = 0;
    uint64_t *words = calloc(room, sizeof *words);
    assert_non_null(words);
    for (size_t i = 0; i < count; i++) encode(&craft->items[i], words, &at);
    size_t chunks = at / CHUNK;
    assert_true((chunks + 1) * CHUNK <= room);
    write_file(directory, "spool", craft->rank, &header, sizeof header, 65536, words, chunks * CHUNK);
    write_file(directory, "tail", craft->rank, &tail, sizeof tail, 4096, words + chunks * CHUNK, CHUNK);
    free(words);
}

char *craft_directory(void)
{
    char *directory = strdup("/tmp/rmacast-test-XXXXXX");
    assert_non_null(directory);
    assert_non_null(mkdtemp(directory));
    return directory;
}

void craft_remove(char *directory)
{
    char command[512];
    snprintf(command, sizeof command, "rm -r %s", directory);
    assert_int_equal(system(command), 0);
    free(directory);
}

struct trace *craft_read(const char *directory)
{
    struct trace *trace;
    struct err err = {0};
    enum status status = spool_read(directory, &trace, &err);
    if (status != STATUS_OK) print_message("%s\n", err.text);
    assert_int_equal(status, STATUS_OK);
    assert_int_equal(trace_check(trace, &err), STATUS_OK);
    return trace;
}

void craft_patch(const char *directory, const char *name, size_t at, const void *data, size_t bytes)
{
    FILE *file = open_in(directory, name, "r+");
    fseek(file, (long)at, SEEK_SET);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

void craft_cut(const char *directory, const char *name, size_t bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    assert_int_equal(truncate(path, (off_t)bytes), 0);
}
