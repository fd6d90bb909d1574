/* librmacast-record.so, the library that is preloaded. MPI libraries differ in their handles, so there is a recorder
 * for each of them, compiled against its mpi.h. The program's MPI library is known when the program has been loaded,
 * or, if an interpreter loads MPI later, at the first call. Scripts and launchers use none. So the preloaded library
 * has only stubs: a stub jumps to the address in a word of its own, with all arguments in place. At first each word has
 * the address of a routine that chooses the recorder, loads it from the directory of this file, and sets the words to
 * its wrappers. If there is no recorder for that MPI, the routine sets the words to the MPI functions. Without
 * RMACAST_SPOOL only the functions that initialise MPI go to the recorder: other ranks may have RMACAST_SPOOL, and all
 * ranks must decide alike. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/record/settings.h"
#include "trace/record/output/uncancelled.h"
#include "trace/record/preload/abi.h"
#include "trace/record/preload/lookup.h"
#include "trace/record/preload/visible.h"
#include "trace/spool/spool.h"

/* r11 is the one register that neither arguments nor calls use (System V ABI for x86-64, 3.2.3). */
#define REC_STUB(NAME)                                                                                                 \
    extern void *rec_to_##NAME __attribute__((visibility("hidden")));                                                  \
    extern char rec_stub_##NAME __attribute__((visibility("hidden")));                                                 \
    __asm__(".pushsection .data\n"                                                                                     \
            ".balign 8\n"                                                                                              \
            ".globl rec_to_" #NAME "\n"                                                                                \
            ".hidden rec_to_" #NAME "\n"                                                                               \
            "rec_to_" #NAME ": .quad .Lfirst_" #NAME "\n"                                                              \
            ".popsection\n"                                                                                            \
            ".pushsection .text\n"                                                                                     \
            ".globl " #NAME "\n"                                                                                       \
            ".type " #NAME ", @function\n"                                                                             \
            ".hidden rec_stub_" #NAME "\n"                                                                             \
            "rec_stub_" #NAME ":\n"                                                                                    \
            #NAME ": endbr64\n"                                                                                        \
            "jmp *rec_to_" #NAME "(%rip)\n"                                                                            \
            ".Lfirst_" #NAME ": endbr64\n"                                                                             \
            "leaq rec_to_" #NAME "(%rip), %r11\n"                                                                      \
            "jmp rec_first_call\n"                                                                                     \
            ".size " #NAME ", . - " #NAME "\n"                                                                         \
            ".popsection\n");
#include "trace/record/preload/stubs.def"
#undef REC_STUB

/* Saves what may hold arguments. The stack has 8 + 8 * 8 + 136 bytes more at the call: a multiple of 16. */
__asm__(".pushsection .text\n"
        ".globl rec_first_call\n"
        ".hidden rec_first_call\n"
        ".type rec_first_call, @function\n"
        "rec_first_call:\n"
        "pushq %r11\n pushq %rax\n pushq %rdi\n pushq %rsi\n pushq %rdx\n pushq %rcx\n pushq %r8\n pushq %r9\n"
        "subq $136, %rsp\n"
        "movups %xmm0, (%rsp)\n movups %xmm1, 16(%rsp)\n movups %xmm2, 32(%rsp)\n movups %xmm3, 48(%rsp)\n"
        "movups %xmm4, 64(%rsp)\n movups %xmm5, 80(%rsp)\n movups %xmm6, 96(%rsp)\n movups %xmm7, 112(%rsp)\n"
        "movq %r11, %rdi\n"
        "call rec_dispatch\n"
        "movups (%rsp), %xmm0\n movups 16(%rsp), %xmm1\n movups 32(%rsp), %xmm2\n movups 48(%rsp), %xmm3\n"
        "movups 64(%rsp), %xmm4\n movups 80(%rsp), %xmm5\n movups 96(%rsp), %xmm6\n movups 112(%rsp), %xmm7\n"
        "addq $136, %rsp\n"
        "popq %r9\n popq %r8\n popq %rcx\n popq %rdx\n popq %rsi\n popq %rdi\n popq %rax\n popq %r11\n"
        "jmp *(%r11)\n"
        ".size rec_first_call, . - rec_first_call\n"
        ".popsection\n");

static const struct {
    const char *name;
    void **to, *stub;
} stubs[] = {
#define REC_STUB(NAME) {#NAME, &rec_to_##NAME, &rec_stub_##NAME},
#include "trace/record/preload/stubs.def"
#undef REC_STUB
};
enum { STUBS = sizeof stubs / sizeof *stubs };

/* RTLD_NEXT means: after the object that calls dlsym. So the call must not become a jump. */
void *rmacast_record_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    __asm__ volatile("" : "+r"(found));
    return found;
}

char *const *rmacast_record_settings(void)
{
    return rec_settings();
}

void *rec_stub_of(const char *name)
{
    int i = 0;
    while (i < STUBS && strcmp(stubs[i].name, name) != 0) i++;
    return i < STUBS ? stubs[i].stub : NULL;
}

/* Called for a function that no library has. */
static int absent_function(void)
{
    return 1;
}

/* A build has a recorder for those MPI libraries whose headers it found. */
static void tell_missing(const char *path, const void *init)
{
    char why[SPOOL_UNRECORDED_BYTES];
    const char *trouble = dlerror();
    if (access(path, F_OK) == 0)
        snprintf(why, sizeof why, "%.600s", trouble);
    else
        snprintf(why, sizeof why,
                 "the program has %s, and this rmacast was built without Open MPI: install libopenmpi-dev and build again",
                 rec_abi_file(init));
    if (!rec_tell_unrecorded(why)) rec_say("rmacast: nothing is recorded: %s\n", why);
}

/* Loads the recorder; NULL: there is none. wanted: print a message if it is missing, or if none fits the library. */
static void *load_recorder(bool wanted)
{
    static const char *const files[REC_ABI_COUNT] = {[REC_ABI_MPICH] = "librmacast-record-mpich.so",
                                                     [REC_ABI_OPEN_MPI] = "librmacast-record-openmpi.so",
                                                     [REC_ABI_STANDARD] = "librmacast-record-abi.so"};
    const void *init = rmacast_record_next("PMPI_Init");
    const char *file = files[rec_abi_of(init)], *own = rec_abi_file(&stubs), *slash = strrchr(own, '/');
    char path[4096];
    if (!file && wanted) rec_refuse_library(rec_abi_file(init));
    if (!file) return NULL;
    snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - own + 1) : 0, own, file);
    void *recorder = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!recorder && wanted) tell_missing(path, init);
    return recorder;
}

/* Without MPI: another library's function may have this name. */
static void point_elsewhere(void **word)
{
    int i = 0;
    while (i < STUBS - 1 && stubs[i].to != word) i++;
    *word = rmacast_record_next(stubs[i].name);
    if (!*word) *(int (**)(void))word = absent_function;
}

static bool is_initialisation(const char *name)
{
    static const char *const names[] = {
#define REC_INITIALISES(ROW, FUNCTION) #FUNCTION,
#include "trace/record/initialising.def"
#undef REC_INITIALISES
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* word: of the stub that was called. Another thread may do the same at the same time: it finds the same. A sanitizer inside the
 * program comes before all constructors: to load a library then would be the C library's begin, without an environment. */
void rec_dispatch(void **word) __attribute__((visibility("hidden")));
void rec_dispatch(void **word)
{
    if (environ && !rmacast_record_next("PMPI_Init")) rec_make_visible();
    if (!environ || !rmacast_record_next("PMPI_Init")) {
        point_elsewhere(word);
        return;
    }
    rec_settings_copy(environ);
    const char *spool = rec_setting("RMACAST_SPOOL");
    bool wanted = spool && *spool;
    void *recorder = load_recorder(wanted);
    for (int i = 0; i < STUBS; i++) {
        void *to = recorder && (wanted || is_initialisation(stubs[i].name)) ? dlsym(recorder, stubs[i].name) : NULL;
        if (!to) to = rmacast_record_next(stubs[i].name);
        if (!to) *(int (**)(void)) & to = absent_function;
        __atomic_store_n(stubs[i].to, to, __ATOMIC_RELEASE);
    }
}

__attribute__((constructor)) static void loaded(void)
{
    void *ignored;
    rec_settings_copy(environ);
    if (rmacast_record_next("PMPI_Init")) rec_dispatch(&ignored);
}
