#include "craft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/spool/read.h"

static void push(struct craft *craft, struct spool_record record)
{
    craft->records = realloc(craft->records, (craft->count + 1) * sizeof record);
    assert_non_null(craft->records);
    craft->records[craft->count++] = record;
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
        struct spool_record more = {0};
        memcpy((char *)&more + 8, (const char *)content + done, bytes - done < 32 ? bytes - done : 32);
        push(craft, more);
    }
}

void craft_anchor(struct craft *craft, uint64_t ticks, uint64_t ns)
{
    push(craft, (struct spool_record){
                    .time = ticks, .kind = SPOOL_ANCHOR, .id = SPOOL_NO_ID, .peer = -1, .extra = (int64_t)ns});
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
    free(craft->records);
}

static FILE *open_in(const char *directory, const char *name, const char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    return file;
}

static void write_lap(FILE *file, const struct craft *craft, size_t chunk, size_t count)
{
    for (size_t i = chunk * SPOOL_OLD_CHUNK_RECORDS; i < chunk * SPOOL_OLD_CHUNK_RECORDS + count; i++) {
        struct spool_record record = craft->records[i];
        record.time |= ((uint64_t)chunk + 1) << 56;
        assert_int_equal(fwrite(&record, sizeof record, 1, file), 1);
    }
}

void craft_write(const struct craft *craft, const char *directory, size_t count, uint32_t state)
{
    char name[64];
    size_t chunks = count / SPOOL_OLD_CHUNK_RECORDS;
    struct spool_header header = {.magic = SPOOL_MAGIC,
                                  .version = craft->ticks_per_s ? 2 : 1,
                                  .unit_bytes = 40,
                                  .chunk_units = 6553,
                                  .rank = craft->rank,
                                  .world = craft->world,
                                  .base_ns = craft->base_ns,
                                  .clock = craft->ticks_per_s ? 1 : 0,
                                  .base_ticks = UINT64_C(123456789012345678),
                                  .ticks_per_s = craft->ticks_per_s};
    snprintf(name, sizeof name, "rank-%06u.spool", craft->rank);
    FILE *file = open_in(directory, name, "w");
    assert_int_equal(fwrite(&header, sizeof header, 1, file), 1);
    for (size_t i = 0; i < chunks; i++) write_lap(file, craft, i, SPOOL_OLD_CHUNK_RECORDS);
    fclose(file);
    struct spool_old_tail *tail = calloc(1, sizeof *tail);
    assert_non_null(tail);
    *tail = (struct spool_old_tail){
        .magic = SPOOL_TAIL_MAGIC, .rank = craft->rank, .state = state, .base_ns = craft->base_ns};
    snprintf(name, sizeof name, "rank-%06u.tail", craft->rank);
    file = open_in(directory, name, "w");
    assert_int_equal(fwrite(tail, sizeof *tail, 1, file), 1);
    fseek(file, offsetof(struct spool_old_tail, records), SEEK_SET);
    if (chunks > 0) write_lap(file, craft, chunks - 1, SPOOL_OLD_CHUNK_RECORDS);
    fseek(file, offsetof(struct spool_old_tail, records), SEEK_SET);
    write_lap(file, craft, chunks, count - chunks * SPOOL_OLD_CHUNK_RECORDS);
    fclose(file);
    free(tail);
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
