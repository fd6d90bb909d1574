/* Converts return addresses to function, file and line by libdw. A program that is gone gives its sites no names; one that the
 * machine refuses to read for the moment is an error. */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/files/input_file.h"
#include "common/files/place.h"
#include "trace/spool/reader.h"

struct module { /* one file, whichever ranks loaded it wherever */
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: cannot be opened */
    struct map places;   /* address in the file to index in `places` of all, plus 1; 0: nothing is known of it */
};

struct spool_sites {
    pthread_mutex_t lock; /* of all that follows; libdw has none */
    struct module *modules;
    size_t count, capacity;
    struct spool_place **places;
    size_t place_count, place_capacity;
};

static char *debug_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &debug_path};

enum status spool_sites_new(struct spool_sites **sites, struct err *err)
{
    *sites = calloc(1, sizeof **sites);
    if (!*sites) return err_memory(err);
    pthread_mutex_init(&(*sites)->lock, NULL);
    return STATUS_OK;
}

static void close_module(struct module *module)
{
    if (module->dwfl) dwfl_end(module->dwfl);
    module->dwfl = NULL;
    module->module = NULL;
}

void spool_sites_free(struct spool_sites *sites)
{
    if (!sites) return;
    for (size_t i = 0; i < sites->count; i++) {
        close_module(&sites->modules[i]);
        free(sites->modules[i].path);
        map_clear(&sites->modules[i].places);
    }
    for (size_t i = 0; i < sites->place_count; i++) {
        FREE_ALL(sites->places[i]->function, sites->places[i]->file, sites->places[i]);
    }
    FREE_ALL(sites->places, sites->modules);
    pthread_mutex_destroy(&sites->lock);
    free(sites);
}

/* libdw goes on without what it could not have, and keeps no cause but errno. Where that says memory, it may have found some in a
 * second place: what is done again from the begin on counts. */
static bool may_lack(void)
{
    return errno == ENOMEM;
}

static enum status check_cause(const char *path, struct err *err)
{
    if (may_lack() || !err_refused(errno)) return STATUS_OK;
    return err_set(err, STATUS_SYSTEM, path, NULL, "cannot be read: %s", strerror(errno));
}

static enum status open_module(struct module *module, struct err *err)
{
    enum status status = STATUS_OK;
    for (int again = 0; again < 2 && status == STATUS_OK; again++) {
        int file;
        close_module(module);
        status = input_file_descriptor(module->path, &file, err);
        if (status != STATUS_OK) return status == STATUS_DATA ? STATUS_OK : status;
        errno = 0;
        module->dwfl = dwfl_begin(&callbacks);
        if (module->dwfl) {
            dwfl_report_begin(module->dwfl);
            module->module = dwfl_report_elf(module->dwfl, module->path, module->path, file, 0, true);
            dwfl_report_end(module->dwfl, NULL, NULL);
        }
        const bool lacks = may_lack();
        status = check_cause(module->path, err);
        if (!module->module) close(file); /* else libdw's */
        if (!lacks) break;
    }
    return status;
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
    *found = made;
    return open_module(made, err);
}

/* From the C++ ABI; SimGrid needs the same library. */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *failed);

/* Rust's compiler adds "::h" and a hash to each function, which another build of the same source has not. */
static void drop_hash(char *function)
{
    enum { DIGITS = 16 };
    size_t length = function ? strlen(function) : 0;
    if (length < DIGITS + 3) return;
    char *end = function + length - DIGITS;
    if (strncmp(end - 3, "::h", 3) == 0 && strspn(end, "0123456789abcdef") == DIGITS) end[-3] = '\0';
}

static enum status add_place(struct spool_sites *sites, const char *function, const char *file, int line,
                             struct err *err)
{
    int failed = 0;
    bool of_cpp = function && strncmp(function, "_Z", 2) == 0; /* then as the source has it */
    char *named = of_cpp ? __cxa_demangle(function, NULL, NULL, &failed) : NULL;
    drop_hash(named);
    struct spool_place *made = calloc(1, sizeof *made);
    enum status status = made ? array_reserve((void **)&sites->places, &sites->place_capacity, sites->place_count + 1,
                                              sizeof *sites->places, err)
                              : err_memory(err);
    if (status == STATUS_OK) {
        sites->places[sites->place_count++] = made;
        if (function) made->function = strdup(named ? named : function);
        if (file) made->file = strdup(file);
        made->line = line;
        if ((function && !made->function) || (file && !made->file)) status = err_memory(err);
    } else {
        free(made);
    }
    free(named);
    return status;
}

/* address is the file's own, of the call instruction. */
static enum status module_place(struct spool_sites *sites, struct module *module, uint64_t address, struct err *err)
{
    const char *function = NULL, *file = NULL;
    int line = 0;
    GElf_Addr bias = 0;
    uint64_t *slot, number = 0;
    if (module->module && dwfl_module_getelf(module->module, &bias)) {
        function = dwfl_module_addrname(module->module, address + bias);
        Dwfl_Line *found = dwfl_module_getsrc(module->module, address + bias);
        if (found) file = dwfl_lineinfo(found, NULL, &line, NULL, NULL, NULL);
    }
    if (function || file) {
        TRY(add_place(sites, function, file, line, err));
        number = sites->place_count;
    }
    return map_put(&module->places, address, number, &slot, err);
}

static enum status find_place(struct spool_sites *sites, const struct spool_rank *rank, uint64_t address,
                              const struct spool_place **place, struct err *err)
{
    const struct spool_loaded *loaded = NULL;
    for (size_t i = 0; i < rank->module_count && !loaded; i++)
        if (address >= rank->modules[i].addresses.low && address < rank->modules[i].addresses.high)
            loaded = &rank->modules[i];
    *place = NULL;
    if (!loaded) return STATUS_OK;
    struct module *module = NULL;
    uint64_t in_file = address - loaded->addresses.bias;
    TRY(module_find(sites, loaded->path, &module, err));
    for (int again = 0; again < 2 && !map_find(&module->places, in_file); again++) {
        errno = 0;
        TRY(module_place(sites, module, in_file, err));
        if (again > 0 || !may_lack()) break;
        map_remove(&module->places, in_file);
        TRY(open_module(module, err));
    }
    TRY(check_cause(loaded->path, err));
    uint64_t number = *map_find(&module->places, in_file);
    if (number > 0) *place = sites->places[number - 1];
    return STATUS_OK;
}

enum status spool_site(struct spool_sites *sites, const struct spool_rank *rank, uint64_t address,
                       const struct spool_place **place, struct err *err)
{
    if (address >= SPOOL_LINE_SITE(0)) {
        uint64_t id = address - SPOOL_LINE_SITE(0);
        *place = id < rank->line_count ? &rank->lines[id] : NULL;
        return STATUS_OK;
    }
    pthread_mutex_lock(&sites->lock);
    enum status status = find_place(sites, rank, address - 1, place, err); /* the return address is behind the call */
    pthread_mutex_unlock(&sites->lock);
    return status;
}
