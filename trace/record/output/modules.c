/* The load map, so that call sites can be resolved after the run. */
#include <link.h>
#include <unistd.h>

#include "trace/record/record.h"
#include "trace/record/threads/table.h"

static struct rec_table known;
static unsigned long long loads_seen;

static void define_module(const struct dl_phdr_info *info, uint64_t low, uint64_t high)
{
    char program[4096];
    const char *path = info->dlpi_name;
    if (!path || !*path) {
        ssize_t bytes = readlink("/proc/self/exe", program, sizeof program - 1);
        if (bytes <= 0) return;
        program[bytes] = '\0';
        path = program;
    }
    if (path[0] != '/') return; /* the kernel's page */
    struct spool_module module = {.bias = info->dlpi_addr, .low = low, .high = high};
    rec_define_with((struct spool_record){.kind = SPOOL_MODULE}, &module, sizeof module, path, strlen(path));
}

static int visit_module(struct dl_phdr_info *info, size_t bytes, void *nothing)
{
    (void)bytes;
    (void)nothing;
    uint64_t low = UINT64_MAX, high = 0;
    if (info->dlpi_adds == loads_seen) return 1;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
        uint64_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (begin < low) low = begin;
        if (begin + info->dlpi_phdr[i].p_memsz > high) high = begin + info->dlpi_phdr[i].p_memsz;
    }
    if (low >= high || rec_table_find(&known, low)) return 0;
    define_module(info, low, high);
    if (!rec_table_put(&known, low, 1)) rec_stop("out of memory");
    return 0;
}

static int count_loads(struct dl_phdr_info *info, size_t bytes, void *loads)
{
    (void)bytes;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1;
}

void rec_modules_define(void)
{
    unsigned long long loads = 0;
    dl_iterate_phdr(visit_module, NULL);
    dl_iterate_phdr(count_loads, &loads);
    loads_seen = loads;
}
