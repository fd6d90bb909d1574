/* Return addresses to function, file and line by libdw. */
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/spool_parts.h"

struct module { /* one file, whichever ranks loaded it wherever */
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: cannot be opened */
    struct map sites;    /* address in the file to id */
};

struct spool_sites {
    struct module *modules;
    size_t count, capacity;
    struct map rank_sites; /* address in this rank's memory to id */
};

static char *debug_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &debug_path};

enum status spool_sites_new(struct spool_sites **sites, struct err *err)
{
    *sites = calloc(1, sizeof **sites);
    return *sites ? STATUS_OK : err_memory(err);
}

void spool_sites_free(struct spool_sites *sites)
{
    if (!sites) return;
    for (size_t i = 0; i < sites->count; i++) {
        if (sites->modules[i].dwfl) dwfl_end(sites->modules[i].dwfl);
        free(sites->modules[i].path);
        map_clear(&sites->modules[i].sites);
    }
    free(sites->modules);
    map_clear(&sites->rank_sites);
    free(sites);
}

void spool_sites_next_rank(struct spool_sites *sites)
{
    map_clear(&sites->rank_sites);
}

static enum status module_find(struct spool_sites *sites, const char *path, struct module **found, struct err *err)
{
    for (size_t i = 0; i < sites->count; i++)
        if (strcmp(sites->modules[i].path, path) == 0) {
            *found = &sites->modules[i];
            return STATUS_OK;
        }
    TRY(array_reserve((void **)&sites->modules, &sites->capacity, sites->count + 1, sizeof *sites->modules, err));
    struct module *made = &sites->modules[sites->count];
    *made = (struct module){.path = strdup(path)};
    if (!made->path) return err_memory(err);
    sites->count++;
    made->dwfl = dwfl_begin(&callbacks);
    if (made->dwfl) {
        dwfl_report_begin(made->dwfl);
        made->module = dwfl_report_elf(made->dwfl, path, path, -1, 0, true);
        dwfl_report_end(made->dwfl, NULL, NULL);
    }
    *found = made;
    return STATUS_OK;
}

/* Of the C++ ABI; the library is there with SimGrid. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *failed);

/* Names of C++ as its source has them; the caller frees. NULL: it is none. */
static char *source_name(const char *function)
{
    int failed = 0;
    return function && strncmp(function, "_Z", 2) == 0 ? __cxa_demangle(function, NULL, NULL, &failed) : NULL;
}

/* address is the file's own, of the call instruction. */
static enum status module_site(struct module *module, uint64_t address, struct trace *trace, uint32_t *id,
                               struct err *err)
{
    const char *function = NULL, *file = NULL;
    int line = 0;
    GElf_Addr bias = 0;
    if (module->module && dwfl_module_getelf(module->module, &bias)) {
        function = dwfl_module_addrname(module->module, address + bias);
        Dwfl_Line *found = dwfl_module_getsrc(module->module, address + bias);
        if (found) file = dwfl_lineinfo(found, NULL, &line, NULL, NULL, NULL);
    }
    *id = TRACE_NO_SITE;
    if (!function && !file) return STATUS_OK;
    char *named = source_name(function);
    enum status status = trace_add_site(trace, named ? named : function, file, line, id, err);
    free(named);
    return status;
}

static enum status site_resolve(struct spool_sites *sites, const struct spool_rank *rank, uint64_t address,
                                struct trace *trace, uint32_t *id, struct err *err)
{
    const struct spool_loaded *loaded = NULL;
    for (size_t i = 0; i < rank->module_count && !loaded; i++)
        if (address >= rank->modules[i].addresses.low && address < rank->modules[i].addresses.high)
            loaded = &rank->modules[i];
    *id = TRACE_NO_SITE;
    if (!loaded) return STATUS_OK;
    struct module *module = NULL;
    uint64_t *known, in_file = address - loaded->addresses.bias;
    TRY(module_find(sites, loaded->path, &module, err));
    if ((known = map_find(&module->sites, in_file)) != NULL) {
        *id = (uint32_t)*known;
        return STATUS_OK;
    }
    TRY(module_site(module, in_file, trace, id, err));
    return map_put(&module->sites, in_file, *id, &known, err);
}

enum status spool_site(struct spool_sites *sites, const struct spool_rank *rank, uint64_t address, struct trace *trace,
                       uint32_t *id, struct err *err)
{
    uint64_t *known = map_find(&sites->rank_sites, address);
    if (known) {
        *id = (uint32_t)*known;
        return STATUS_OK;
    }
    TRY(site_resolve(sites, rank, address - 1, trace, id, err)); /* the return address is behind the call */
    return map_put(&sites->rank_sites, address, *id, &known, err);
}
