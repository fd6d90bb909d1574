/* The harnesses under clang's libFuzzer: RMACAST_FUZZ names one of them. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

static const struct fuzz_harness *harness;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    fuzz_begin();
    const char *name = getenv("RMACAST_FUZZ");
    harness = name ? fuzz_harness_by_name(name) : NULL;
    if (harness) return 0;
    fputs("RMACAST_FUZZ names no harness, expected one of", stderr);
    for (size_t i = 0; fuzz_harnesses[i]; i++) fprintf(stderr, " %s", fuzz_harnesses[i]->name);
    fputc('\n', stderr);
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > FUZZ_ROOM) return 0;
    fuzz_choose(data, size);
    harness->run(data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    struct random random = {seed};
    if (room > FUZZ_ROOM) room = FUZZ_ROOM;
    if (size > room) size = room;
    if (harness->make && random_below(&random, 200) == 0) return harness->make(&random, data, room);
    if (random_below(&random, 20) == 0) return LLVMFuzzerMutate(data, size, room);
    return harness->mutate(&random, data, size, room);
}
