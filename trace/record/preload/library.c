#include "trace/record/preload/library.h"

#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "trace/record/preload/python.h"
#include "trace/record/preload/visible.h"
#include "trace/record/settings.h"

struct rec_library rec_library, rec_beyond;
struct rec_range rec_core, rec_bindings[REC_BINDINGS];
int rec_binding_count REC_HOT;

static const struct {
    const char *name; /* with P */
    size_t at;        /* in struct rec_library */
} functions[] = {
#define REC_ROW(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER)                                     \
    {"PMPI_" #NAME, offsetof(struct rec_library, NAME)},
#include "trace/record/mpi/rows.def"
#undef REC_ROW
};

/* Whether a file's name begins with one of length bytes that ends with a dot, or that no letter follows. */
static bool begins_with(const char *file, const char *name, size_t length)
{
    if (length == 0 || strncmp(file, name, length) != 0) return false;
    return name[length - 1] == '.' || !isalpha((unsigned char)file[length]);
}

/* A program is none of the libraries, whatever its name is, but it may be Python. */
static bool is_python(void)
{
    char self[PATH_MAX] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0) return false;
    const char *slash = strrchr(self, '/');
    return begins_with(slash ? slash + 1 : self, "python3", strlen("python3"));
}

/* Whether the file is a layer between the program and MPI: by layers.def, and by the user's own list. */
static bool is_layer(const char *path)
{
    static const char *const known[] = {
#define LAYER(NAME) NAME,
#include "trace/record/preload/layers.def"
#undef LAYER
    };
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const char *own = rec_setting("RMACAST_SKIP_LIBRARY");
    if (!*path) return is_python();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins_with(file, known[i], strlen(known[i]))) return true;
    for (size_t length; own && *own; own += length + (own[length] == ',')) {
        length = strcspn(own, ",");
        if (begins_with(file, own, length)) return true;
    }
    return false;
}

static int visit_library(struct dl_phdr_info *info, size_t bytes, void *core)
{
    (void)bytes;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = begin + info->dlpi_phdr[i].p_memsz;
        if (begin < low) low = begin;
        if (end > high) high = end;
    }
    struct rec_range range = low < high ? (struct rec_range){low, high - low} : (struct rec_range){0};
    if (rec_in(&range, core))
        rec_core = range;
    else if ((rec_is_mpi(info->dlpi_name) || is_layer(info->dlpi_name)) && rec_binding_count < REC_BINDINGS) {
        rec_bindings[rec_binding_count++] = range;
        rec_python_meet(&range);
    }
    return 0;
}

void *rec_library_next(const char *name)
{
    return rmacast_record_next ? rmacast_record_next(name) : dlsym(RTLD_NEXT, name);
}

void rec_layers_find(void)
{
    rec_binding_count = 0;
    rec_python_find();
    dl_iterate_phdr(visit_library, rec_library_next("PMPI_Init"));
}

void rec_library_find(void)
{
    if (!rec_library_next("PMPI_Init")) rec_make_visible();
    if (!rec_library_next("PMPI_Init")) return;
    rec_layers_find();
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = rec_library_next(functions[i].name);
        memcpy((char *)&rec_library + functions[i].at, &found, sizeof found);
        found = rec_library_next(functions[i].name + 1);
        memcpy((char *)&rec_beyond + functions[i].at, &found, sizeof found);
    }
    rec_unrecorded_find();
}

enum { FRAMES_MAX = 100, DISTANCES_MAX = 1 << 16 };

struct caller {
    const void *site;
    bool inside; /* the frame that returns to the binding has been met */
    int frames;  /* climbed */
    const void *found;
    uintptr_t above; /* where the stack ends for the binding's caller */
};

static _Unwind_Reason_Code climb_frame(struct _Unwind_Context *context, void *data)
{
    struct caller *caller = data;
    const void *address = (const void *)_Unwind_GetIP(context);
    caller->inside = caller->inside || address == caller->site;
    if (++caller->frames > FRAMES_MAX) return _URC_END_OF_STACK;
    if (!caller->inside) return _URC_NO_REASON;
    bool python = rec_in(&rec_python, address);
    for (int i = 0; i < rec_binding_count && !python; i++)
        if (rec_in(&rec_bindings[i], address)) return _URC_NO_REASON;
    caller->found = address;
    caller->above = _Unwind_GetCFA(context);
    return _URC_END_OF_STACK;
}

static const void *return_address(uintptr_t above)
{
    return *(const void *const *)(above - sizeof(void *));
}

static uint64_t pair_key(const void *site, const void *found)
{
    return REC_KEY(site) * UINT64_C(0x9e3779b97f4a7c15) ^ REC_KEY(found);
}

/* Climbing costs some microseconds. How far it is to the caller's return address is mostly the same for a place in the
 * binding and the stack's end there: its value is believed if climbing from the same place has found it before. */
static const void *find_caller(const void *site, const void *frame)
{
    static struct rec_table distances, pairs; /* by site and frame; by site and caller */
    bool cached = rec_own == &rec_out; /* the tables are one thread's */
    uintptr_t *distance = cached ? rec_table_find(&distances, pair_key(site, frame)) : NULL;
    if (distance) {
        const void *there = return_address((uintptr_t)frame + *distance);
        if (rec_table_find(&pairs, pair_key(site, there))) return there;
    }
    struct caller caller = {.site = site, .found = site};
    _Unwind_Backtrace(climb_frame, &caller);
    if (!cached || distances.count >= DISTANCES_MAX || caller.above <= (uintptr_t)frame ||
        return_address(caller.above) != caller.found)
        return caller.found;
    if (!rec_table_put(&distances, pair_key(site, frame), caller.above - (uintptr_t)frame) ||
        !rec_table_put(&pairs, pair_key(site, caller.found), 1))
        rec_stop("out of memory");
    return caller.found;
}

const void *rec_binding_caller(const void *site, const void *frame)
{
    const void *found = find_caller(site, frame);
    if (!rec_in(&rec_python, found)) return found;
    const void *line = rec_python_site();
    return line ? line : site;
}
