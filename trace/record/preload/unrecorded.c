/* Calls that communicate and are not recorded yet. A stub notes that it was called and jumps to the function with all
 * arguments in place, so it needs no prototype. The note is written with the next recorded call. Only x86-64 has these
 * stubs; on other machines such calls go unnoticed. */
#include "trace/record/preload/library.h"
#include "trace/record/record.h"

bool rec_unrecorded_any REC_HOT;

#if defined(__x86_64__)

#define REC_UNRECORDED(NAME)                                                                                           \
    bool rec_called_##NAME __attribute__((visibility("hidden")));                                                      \
    void *rec_real_##NAME __attribute__((visibility("hidden")));                                                       \
    __asm__(".pushsection .text\n"                                                                                     \
            ".globl " #NAME "\n"                                                                                       \
            ".type " #NAME ", @function\n"                                                                             \
            #NAME ": endbr64\n"                                                                                        \
            "movb $1, rec_called_" #NAME "(%rip)\n"                                                                    \
            "movb $1, rec_unrecorded_any(%rip)\n"                                                                      \
            "jmp *rec_real_" #NAME "(%rip)\n"                                                                          \
            ".size " #NAME ", . - " #NAME "\n"                                                                         \
            ".popsection\n");
#include "trace/record/preload/unrecorded.def"
#undef REC_UNRECORDED

static struct {
    const char *name;
    const bool *called;
    void **real;
    bool defined;
} rows[] = {
#define REC_UNRECORDED(NAME) {#NAME, &rec_called_##NAME, &rec_real_##NAME, false},
#include "trace/record/preload/unrecorded.def"
#undef REC_UNRECORDED
};

/* Called for a function that the library has not. */
static int absent_function(void)
{
    return 1;
}

void rec_unrecorded_find(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i].real = rec_library_next(rows[i].name);
        if (!*rows[i].real) *(int (**)(void))rows[i].real = absent_function;
    }
}

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

void rec_unrecorded_find(void)
{
}

void rec_unrecorded_define(void)
{
}

#endif
