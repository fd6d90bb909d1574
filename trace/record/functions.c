/* Records functions of the program as regions, on request. Programs compiled with -finstrument-functions call this
 * module at a function's enter and exit. It records addresses; packing turns them into names.
 *
 * Each thread has the list of its open functions. If an entry was written, its leave is written in any case. An entry
 * that could not be written (recording was stopped, the thread had no buffer) is written with the thread's next event.
 * A function that is left by longjmp or an exception makes no call: it is closed when code above it on the stack
 * runs. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "trace/record/record.h"
#include "trace/record/settings.h"

/* Functions below this depth are left out, so that a recursion does not fill the spool. */
enum { DEPTH_MAX = 64 };

struct open {
    const void *function;
    uintptr_t stack; /* where it ended when the function was entered; it grows downwards */
    bool written;
};

bool rec_functions REC_HOT;        /* they are wanted */
static int depth_wanted;           /* 0: off */
static __thread int depth, deeper; /* in the list; below its end */
static __thread struct open *open; /* DEPTH_MAX of them, from the thread's first function on */
static pthread_key_t at_end;
static bool have_key;
static __thread uintptr_t stack_low, stack_high; /* of the thread; high 0: not determined yet */

static bool is_writing(void)
{
    return rec_state == REC_OPEN && rec_own != NULL;
}

static void put_record(enum spool_kind kind, const void *function, uint64_t time)
{
    rec_put(&REC_RECORD(kind, .time = time, .extra = (int64_t)(uintptr_t)function));
}

static void pop_to(int left)
{
    deeper = 0;
    while (depth > left) {
        const struct open *last = &open[--depth];
        if (last->written && is_writing()) {
            uint64_t time = rec_stamp();
            if (rec_cpu) rec_cpu_enter();
            put_record(SPOOL_FUNCTION_LEAVE, last->function, time);
            if (rec_cpu) rec_cpu_leave();
        }
    }
}

/* On a stack of its own (signal handler, coroutine) the place of a frame says nothing. */
bool rec_on_own_stack(uintptr_t at)
{
    pthread_attr_t attributes;
    if (stack_high == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *low = NULL;
        size_t bytes = 0;
        pthread_attr_getstack(&attributes, &low, &bytes);
        pthread_attr_destroy(&attributes);
        stack_low = (uintptr_t)low;
        stack_high = (uintptr_t)low + bytes;
    }
    return at >= stack_low && at < stack_high;
}

static void pop_gone(uintptr_t at)
{
    int left = depth;
    while (left > 0 && open[left - 1].stack < at) left--;
    if (left < depth && rec_on_own_stack(at) && rec_on_own_stack(open[depth - 1].stack)) pop_to(left);
}

static void write_open(uint64_t time)
{
    for (int i = 0; i < depth; i++) {
        if (open[i].written) continue;
        open[i].written = true;
        put_record(SPOOL_FUNCTION_ENTER, open[i].function, time);
    }
}

static void free_list(void *list)
{
    depth = deeper = 0;
    open = NULL;
    munmap(list, DEPTH_MAX * sizeof *open);
}

/* Not in static TLS: this library is loaded late, and takes it from libraries that the program loads later. Not by
 * malloc, which may be a function of the program that is being entered. */
static bool make_list(void)
{
    void *list = mmap(NULL, DEPTH_MAX * sizeof *open, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (list == MAP_FAILED) {
        rec_stop("no memory for a thread's open functions");
        return false;
    }
    open = list;
    if (have_key) pthread_setspecific(at_end, list);
    return true;
}

void rec_functions_begin(void)
{
    const char *wanted = rec_setting("RMACAST_FUNCTIONS");
    long most = wanted ? strtol(wanted, NULL, 10) : 0;
    depth_wanted = most < 0 ? 0 : most > DEPTH_MAX ? DEPTH_MAX : (int)most;
    rec_functions = depth_wanted > 0;
    have_key = rec_functions && pthread_key_create(&at_end, free_list) == 0;
}

void rec_functions_opened(uint64_t time)
{
    if (!rec_paused()) write_open(time);
}

void rec_functions_resolve(const void *frame)
{
    pop_gone((uintptr_t)frame);
    if (is_writing() && !rec_paused() && depth > 0 && !open[depth - 1].written) write_open(rec_stamp());
}

#define EXPORTED __attribute__((visibility("default"), no_instrument_function))
EXPORTED void __cyg_profile_func_enter(void *function, void *site);
EXPORTED void __cyg_profile_func_exit(void *function, void *site);

/* A function that the MPI library calls back inside a call is followed and not recorded. */
void __cyg_profile_func_enter(void *function, void *site)
{
    uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
    (void)site;
    if (depth_wanted == 0 || (!open && !make_list())) return;
    pop_gone(stack);
    if (depth == depth_wanted) {
        deeper++;
        return;
    }
    open[depth++] = (struct open){function, stack, false};
    if (is_writing() && rec_inside == 0 && !rec_paused()) {
        uint64_t time = rec_stamp();
        if (rec_cpu) rec_cpu_enter();
        write_open(time);
        if (rec_cpu) rec_cpu_leave();
    }
}

/* The exit may be a jump out of the function (a tail call): then the stack ends where its caller's does. */
void __cyg_profile_func_exit(void *function, void *site)
{
    uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();
    (void)site;
    if (depth_wanted == 0) return;
    if (deeper > 0 && stack <= open[depth - 1].stack) {
        deeper--;
        return;
    }
    int at = depth;
    while (at > 0 && open[at - 1].function != function) at--;
    if (at > 0) pop_to(at - 1);
}
