/* Calls that communicate and are not recorded yet. A stub notes that it was called and jumps to the function with all
 * arguments in place, so it needs no prototype. The note is written with the next recorded call. Only x86-64 has these
 * stubs; on other machines such calls go unnoticed. */
#include "trace/record/record.h"

bool rec_unrecorded_any REC_HOT;

#if defined(__x86_64__)

#define REC_UNRECORDED(NAME) extern bool rec_unrecorded_##NAME;
#include "trace/record/preload/unrecorded.def"
#undef REC_UNRECORDED
#define REC_UNRECORDED(NAME) bool rec_unrecorded_##NAME;
#include "trace/record/preload/unrecorded.def"
#undef REC_UNRECORDED
#define REC_UNRECORDED(NAME)                                                                                           \
    __asm__(".pushsection .text\n"                                                                                     \
            ".globl MPI_" #NAME "\n"                                                                                   \
            ".type MPI_" #NAME ", @function\n"                                                                         \
            ".weak PMPI_" #NAME "\n"                                                                                   \
            "MPI_" #NAME ":\n"                                                                                         \
            "endbr64\n"                                                                                                \
            "movb $1, rec_unrecorded_" #NAME "(%rip)\n"                                                                \
            "movb $1, rec_unrecorded_any(%rip)\n"                                                                      \
            "jmp *PMPI_" #NAME "@GOTPCREL(%rip)\n"                                                                     \
            ".size MPI_" #NAME ", . - MPI_" #NAME "\n"                                                                 \
            ".popsection\n");
#include "trace/record/preload/unrecorded.def"
#undef REC_UNRECORDED

static struct {
    const char *name;
    const bool *called;
    bool defined;
} rows[] = {
#define REC_UNRECORDED(NAME) {"MPI_" #NAME, &rec_unrecorded_##NAME, false},
#include "trace/record/preload/unrecorded.def"
#undef REC_UNRECORDED
};

void rec_unrecorded_define(void)
{
    rec_lock();
    rec_unrecorded_any = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!*rows[i].called || rows[i].defined) continue;
        rows[i].defined = true;
        rec_define(SPOOL_MISSED, 0, rows[i].name, strlen(rows[i].name));
    }
    rec_unlock();
}

#else

void rec_unrecorded_define(void)
{
}

#endif
