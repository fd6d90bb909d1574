/* Programs whose calls would go past what is preloaded: Julia, ctypes and cffi look MPI's functions up in the library itself
 * (dlsym with a handle), and what is loaded with RTLD_DEEPBIND is bound to that library. dlsym gives them the stub instead, and
 * rebinds what has been loaded since its last call: whoever loads an object looks something up in it.
 *
 * Only functions of the library to which the stubs lead get a stub. A library between a program and several MPI libraries
 * (MPItrampoline) would else call itself for ever. */
#include "trace/record/preload/lookup.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/record/preload/abi.h"
#include "trace/record/preload/visible.h"

/* RTLD_NEXT and RTLD_DEFAULT mean the object that calls: for them the C library's dlsym returns to that object itself. */
void *(*rec_next_dlsym)(void *handle, const char *name) __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym: endbr64\n"
        "cmpq $0, rec_next_dlsym(%rip)\n"
        "jne 1f\n"
        "pushq %rdi\n pushq %rsi\n subq $8, %rsp\n"
        "call rec_lookup_begin\n"
        "addq $8, %rsp\n popq %rsi\n popq %rdi\n"
        "1: leaq 1(%rdi), %rax\n" /* RTLD_NEXT is -1, RTLD_DEFAULT 0 */
        "cmpq $1, %rax\n"
        "ja rec_lookup\n"
        "jmp *rec_next_dlsym(%rip)\n"
        ".size dlsym, . - dlsym\n"
        ".popsection\n");

void rec_lookup_begin(void) __attribute__((visibility("hidden")));
void rec_lookup_begin(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5"};
    void *found = NULL;
    for (size_t i = 0; !found && i < sizeof versions / sizeof *versions; i++) found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    memcpy(&rec_next_dlsym, &found, sizeof found);
}

/* The stub of a function of the MPI library. NULL: it has none, stubs lead to another library, or the program has a function of
 * its own of this name. */
static void *find_stub(const char *name, const void *function)
{
    void *stub = strstr(name, "MPI_") || strstr(name, "shmem") ? rec_stub_of(name) : NULL;
    const char *file = stub ? rec_abi_file(function) : "";
    if (!rec_is_mpi(file) && !rec_is_shmem(file)) return NULL;
    if (!rmacast_record_next("PMPI_Init")) rec_make_visible();
    bool leads_there = rec_next_dlsym(RTLD_DEFAULT, name) == stub && rmacast_record_next(name) == function;
    return leads_there ? stub : NULL;
}

struct object {
    const ElfW(Sym) *symbols;
    const char *names;
    const ElfW(Rela) *parts[2];
    size_t bytes[2];
    bool needs_mpi;
};

static struct object read_object(const struct dl_phdr_info *info)
{
    struct object made = {0};
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *at = dynamic; at && at->d_tag != DT_NULL; at++) {
        const void *place = (const void *)at->d_un.d_ptr;
        if (at->d_tag == DT_SYMTAB) made.symbols = place;
        if (at->d_tag == DT_STRTAB) made.names = place;
        if (at->d_tag == DT_RELA) made.parts[0] = place;
        if (at->d_tag == DT_RELASZ) made.bytes[0] = at->d_un.d_val;
        if (at->d_tag == DT_JMPREL) made.parts[1] = place;
        if (at->d_tag == DT_PLTRELSZ) made.bytes[1] = at->d_un.d_val;
    }
    for (const ElfW(Dyn) *at = dynamic; at && made.names && at->d_tag != DT_NULL; at++)
        if (at->d_tag == DT_NEEDED)
            made.needs_mpi |= rec_is_mpi(made.names + at->d_un.d_val) || rec_is_shmem(made.names + at->d_un.d_val);
    return made;
}

static void store_word(const struct dl_phdr_info *info, void **word, void *value)
{
    uintptr_t mask = ~((uintptr_t)getpagesize() - 1), page = (uintptr_t)word & mask;
    bool is_protected = false; /* whole pages are, at the end */
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = (begin + info->dlpi_phdr[i].p_memsz) & mask;
        is_protected |= info->dlpi_phdr[i].p_type == PT_GNU_RELRO && page >= (begin & mask) && page < end;
    }
    if (is_protected && mprotect((void *)page, (size_t)getpagesize(), PROT_READ | PROT_WRITE) != 0) return;
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    if (is_protected) mprotect((void *)page, (size_t)getpagesize(), PROT_READ);
}

/* Binds an object's calls of MPI to the stubs, as they would be bound without RTLD_DEEPBIND. */
static void bind_object(const struct dl_phdr_info *info, const struct object *object, void *handle)
{
    for (int part = 0; part < 2; part++)
        for (size_t i = 0; i < object->bytes[part] / sizeof *object->parts[part]; i++) {
            const ElfW(Rela) *row = &object->parts[part][i];
            const char *name = object->names + object->symbols[ELF64_R_SYM(row->r_info)].st_name;
            bool is_call = ELF64_R_TYPE(row->r_info) == R_X86_64_JUMP_SLOT || ELF64_R_TYPE(row->r_info) == R_X86_64_GLOB_DAT;
            if (!is_call || (*name != 'M' && *name != 'P' && *name != 's')) continue;
            void *stub = find_stub(name, rec_next_dlsym(handle, name));
            if (stub) store_word(info, (void **)(info->dlpi_addr + row->r_offset), stub);
        }
}

static unsigned long long loaded, removed; /* objects, since the program began */
static int known;                          /* in the order of loading, this many have been looked at */

static int bind_new(struct dl_phdr_info *info, size_t bytes, void *number)
{
    (void)bytes;
    if (*(int *)number == 0 && info->dlpi_adds == loaded && info->dlpi_subs == removed) return 1;
    if (*(int *)number == 0 && info->dlpi_subs != removed) known = 0;
    loaded = info->dlpi_adds;
    removed = info->dlpi_subs;
    if ((*(int *)number)++ < known || !*info->dlpi_name) return 0;
    struct object object = read_object(info);
    void *handle = object.needs_mpi && object.symbols ? dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!handle) return 0;
    bind_object(info, &object, handle);
    dlclose(handle);
    return 0;
}

void *rec_lookup(void *handle, const char *name) __attribute__((visibility("hidden")));
void *rec_lookup(void *handle, const char *name)
{
    void *found = rec_next_dlsym(handle, name);
    int number = 0;
    if (!found) return NULL; /* dlerror() is the caller's */
    dl_iterate_phdr(bind_new, &number);
    if (number > known) known = number;
    void *stub = find_stub(name, found);
    return stub ? stub : found;
}
