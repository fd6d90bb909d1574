/* Handlers of signals that are guests among the program's. A signal that is not the recorder's own goes where it would
 * have gone without it: the action that was there is put back, and the signal is sent to the thread again, with what
 * the kernel said of it. So the kernel itself calls the program's handler, on its stack, with its mask and flags, and the
 * recorder knows nothing of how it ends. The recorder's handler is installed again when the thread makes its next
 * record. */
#include "trace/record/output/guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/record/preload/visible.h"
#include "trace/record/record.h"

typedef void handler(int number, siginfo_t *info, void *context);

enum { SIGNALS = 32 };
static struct sigaction before_of[SIGNALS]; /* by number, but SIGBUS: what was there before */
static bool watched[SIGNALS];

static void (*next_abort)(void);
static int (*next_raise)(int);
static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);

static void find_function(const char *name, void *function)
{
    void *found = rmacast_record_next ? rmacast_record_next(name) : dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

/* A constructor: dlsym may not be called in a signal's handler. */
__attribute__((constructor)) static void find_next(void)
{
    find_function("abort", &next_abort);
    find_function("raise", &next_raise);
    find_function("sigaction", &next_sigaction);
}

static bool is_in(const struct rec_buffer *buffer, uintptr_t address)
{
    return buffer && buffer->tail && address - (uintptr_t)buffer->tail < sizeof *buffer->tail;
}

/* The child of a fork is not the rank. Only stores: the signal may have interrupted anything. The next record takes the
 * slow way, where the handler is installed again. */
static void note_signal(int number)
{
    struct rec_buffer *own = rec_own && rec_own->tail ? rec_own : &rec_out;
    if (rec_state != REC_OPEN || (uint32_t)getpid() != rec_out.header.pid) return;
    __atomic_store_n(&own->tail->signal, (uint32_t)number, __ATOMIC_RELAXED);
    own->final_for = 0;
}

/* The signal is held back until the recorder's handler has returned. */
static void pass_on(int number, siginfo_t *info, const struct sigaction *before)
{
    sigset_t held;
    int failure = errno;
    note_signal(number);
    sigemptyset(&held);
    sigaddset(&held, number);
    pthread_sigmask(SIG_BLOCK, &held, NULL);
    next_sigaction(number, before, NULL);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, info) != 0) raise(number);
    errno = failure;
}

/* Nothing but SIGBUS, which a store into a tail may give, interrupts it. A system call that the signal interrupted goes
 * on as the earlier action wants. */
static void install_handler(int number, handler *ours, const struct sigaction *before)
{
    bool handled = before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN;
    struct sigaction made = {.sa_sigaction = ours};
    made.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | (handled ? before->sa_flags & SA_RESTART : SA_RESTART);
    sigfillset(&made.sa_mask);
    sigdelset(&made.sa_mask, SIGBUS);
    next_sigaction(number, &made, NULL);
}

static bool is_same(const struct sigaction *one, const struct sigaction *other)
{
    return one->sa_handler == other->sa_handler && one->sa_flags == other->sa_flags &&
           memcmp(&one->sa_mask, &other->sa_mask, _NSIG / 8) == 0;
}

/* --- SIGBUS --- */

/* A program's handler may call, or put back, the action that it has replaced. Therefore the recorder's handlers of SIGBUS
 * are several: each has one action that was there before it for ever. When all are taken, the tails are unguarded. */
enum { ENTRIES = 4 };
static struct sigaction before_bus[ENTRIES];
static int entries;

/* The store that found no memory is one of the recorder's own, in this thread: so what follows may use any function. */
static void take_bus(int number, siginfo_t *info, const struct sigaction *before)
{
    struct rec_buffer *own = rec_own;
    uintptr_t address = info->si_code > 0 ? (uintptr_t)info->si_addr : 0;
    struct rec_buffer *cut = is_in(own, address) ? own : is_in(&rec_out, address) ? &rec_out : NULL;
    int failure = errno;
    if (!cut || !rec_buffer_detach(cut)) {
        pass_on(number, info, before);
        return;
    }
    errno = 0;
    rec_stop("the spool's tail file was truncated");
    rec_buffer_restore(cut);
    errno = failure;
}

#define ENTRY(N)                                                                                                       \
    static void on_bus_##N(int number, siginfo_t *info, void *context)                                                 \
    {                                                                                                                  \
        (void)context;                                                                                                 \
        take_bus(number, info, &before_bus[N]);                                                                        \
    }
ENTRY(0)
ENTRY(1)
ENTRY(2)
ENTRY(3)
static handler *const on_bus[ENTRIES] = {on_bus_0, on_bus_1, on_bus_2, on_bus_3};

void rec_guard(void)
{
    struct sigaction now;
    int i = 0;
    if (next_sigaction(SIGBUS, NULL, &now) != 0) return;
    for (int k = 0; k < entries; k++)
        if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_bus[k]) return;
    while (i < entries && !is_same(&before_bus[i], &now)) i++;
    if (i == ENTRIES) return;
    before_bus[i] = now;
    if (i == entries) entries++;
    install_handler(SIGBUS, on_bus[i], &now);
}

/* --- signals that end the program --- */

static void on_end(int number, siginfo_t *info, void *context)
{
    (void)context;
    pass_on(number, info, &before_of[number]);
}

static void watch_signal(int number, bool handled_too)
{
    struct sigaction now;
    if (next_sigaction(number, NULL, &now) != 0 || now.sa_handler == SIG_IGN) return;
    if (now.sa_handler != SIG_DFL && !handled_too) return;
    before_of[number] = now;
    watched[number] = true;
    install_handler(number, on_end, &now);
}

/* The first ones are watched above handlers, too, which runtime libraries install: libgfortran's print where the program is. */
static const int ends[] = {SIGSEGV, SIGILL,  SIGFPE,  SIGABRT, SIGQUIT, SIGTRAP, SIGSYS,
                           SIGXCPU, SIGXFSZ, SIGTERM, SIGINT,  SIGHUP,  SIGBUS /* rec_guard() watches it */};
enum { HANDLED = 9, WATCHED = sizeof ends / sizeof *ends - 1 };

void rec_guard_end(void)
{
    for (size_t i = 0; i < WATCHED; i++) watch_signal(ends[i], i < HANDLED);
}

/* Runtime libraries put back the default action and then send themselves the signal: at the end of a handler that they installed
 * above the recorder's, or where they abort. */
__attribute__((visibility("default"))) int raise(int number)
{
    struct sigaction now;
    if (!next_raise) find_next();
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] == number && next_sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL) note_signal(number);
    return next_raise(number);
}

__attribute__((visibility("default"))) void abort(void)
{
    if (!next_abort) find_next();
    note_signal(SIGABRT);
    next_abort();
    _exit(127);
}

void rec_guard_again(uint32_t number)
{
    struct sigaction now;
    if (number == SIGBUS)
        rec_guard();
    else if (number < SIGNALS && next_sigaction((int)number, NULL, &now) == 0 && is_same(&now, &before_of[number]))
        install_handler((int)number, on_end, &now);
}

/* --- what the program sees --- */

/* The action that the recorder's handler hides, NULL: the handler is not the recorder's. */
static const struct sigaction *find_hidden(int number, const struct sigaction *action)
{
    if (!(action->sa_flags & SA_SIGINFO)) return NULL;
    if (action->sa_sigaction == on_end) return &before_of[number];
    for (int i = 0; i < entries; i++)
        if (action->sa_sigaction == on_bus[i]) return &before_bus[i];
    return NULL;
}

/* A program that puts back what it found leaves the recorder's handler above that. */
__attribute__((visibility("default"))) int sigaction(int number, const struct sigaction *wanted, struct sigaction *old)
{
    struct sigaction was;
    if (!next_sigaction) find_next();
    if (next_sigaction(number, NULL, &was) != 0) return next_sigaction(number, wanted, old); /* tells what is wrong */
    const struct sigaction *hidden = find_hidden(number, &was);
    if (hidden) was = *hidden;
    bool again = wanted && rec_state == REC_OPEN && number < SIGNALS && number >= 0 && watched[number] &&
                 is_same(wanted, &before_of[number]);
    int result = wanted && !again ? next_sigaction(number, wanted, NULL) : 0;
    if (again) install_handler(number, on_end, &before_of[number]);
    if (old && result == 0) *old = was;
    return result;
}

__attribute__((visibility("default"))) __sighandler_t signal(int number, __sighandler_t wanted)
{
    struct sigaction made = {.sa_handler = wanted, .sa_flags = SA_RESTART}, old;
    sigemptyset(&made.sa_mask);
    sigaddset(&made.sa_mask, number);
    return sigaction(number, &made, &old) == 0 ? old.sa_handler : SIG_ERR;
}
