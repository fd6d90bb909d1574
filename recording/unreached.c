#include "recording/unreached.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files/input_file.h"
#include "recording/run.h"

struct image {
    const char *bytes;
    size_t count;
};

static bool is_inside(const struct image *image, uint64_t at, uint64_t bytes)
{
    return at <= image->count && bytes <= image->count - at;
}

/* Whether the file is linked with a shared library, of any name. */
static bool has_shared_part(const struct image *image)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)(const void *)image->bytes;
    if (!is_inside(image, head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr))) return false;
    const Elf64_Phdr *parts = (const Elf64_Phdr *)(const void *)(image->bytes + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++)
        if (parts[i].p_type == PT_INTERP) return true;
    return false;
}

static bool has_text(const struct image *image, const char *text)
{
    return memmem(image->bytes, image->count, text, strlen(text) + 1) != NULL;
}

/* Names that end with a null byte stand in a file's tables of symbols and of libraries. A shared MPI library has its own name,
 * PMPI_Init is a symbol of a program only where the library is inside. */
static void explain_image(const char *program, const struct image *image, bool privileged, char why[SPOOL_UNRECORDED_BYTES])
{
    bool inside = has_text(image, "PMPI_Init") && has_text(image, "PMPI_Finalize") && has_text(image, "MPI_Init");
    if (image->count < sizeof(Elf64_Ehdr) || memcmp(image->bytes, ELFMAG, SELFMAG) != 0) return;
    if (inside || !has_shared_part(image))
        snprintf(why, SPOOL_UNRECORDED_BYTES,
                 "%s has %s in itself, which LD_PRELOAD does not reach: link it with the shared library", program,
                 inside ? "its MPI library" : "all its libraries");
    else if (privileged)
        snprintf(why, SPOOL_UNRECORDED_BYTES, "%s is set-uid or set-gid: the loader takes no LD_PRELOAD for it", program);
    else if (has_text(image, "MPI_Init") || has_text(image, "MPI_Init_thread"))
        snprintf(why, SPOOL_UNRECORDED_BYTES,
                 "LD_PRELOAD did not reach %s: env -i, a container or a launcher that passes no environment on takes it away",
                 program);
}

/* "-genv LD_PRELOAD X", "-x LD_PRELOAD=X", "env LD_PRELOAD=X". "-x LD_PRELOAD" passes it on. */
static bool sets_preload(char *const *command)
{
    for (const char *before = ""; *command; before = *command++) {
        const bool given = strcmp(before, "-genv") == 0 || strcmp(before, "-env") == 0;
        if (strncmp(*command, "LD_PRELOAD=", 11) == 0 || (given && strcmp(*command, "LD_PRELOAD") == 0)) return true;
    }
    return false;
}

void record_why_unreached(char *const *command, char why[SPOOL_UNRECORDED_BYTES])
{
    const char *program = record_program_name(command);
    if (sets_preload(command)) {
        snprintf(why, SPOOL_UNRECORDED_BYTES,
                 "the command sets LD_PRELOAD, in place of the recorder's: set it in front, as LD_PRELOAD=X rmacast record ...");
        return;
    }
    struct stat about;
    struct input_file in;
    if (stat(program, &about) != 0 || !S_ISREG(about.st_mode) || input_file_open_own(program, &in, NULL) != STATUS_OK) return;
    struct image image = {0};
    char *bytes = input_file_all(&in, &image.count);
    image.bytes = bytes;
    if (input_file_close(&in, STATUS_OK, NULL) == STATUS_OK && bytes)
        explain_image(program, &image, (about.st_mode & (S_ISUID | S_ISGID)) != 0, why);
    free(bytes);
}
