#include "trace/record/output/guard.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "trace/record/record.h"

enum { SIGNALS = 32 };
static struct sigaction before_of[SIGNALS]; /* by number: what was there before */

static bool is_in(const struct rec_buffer *buffer, uintptr_t address)
{
    return buffer && buffer->tail && address - (uintptr_t)buffer->tail < sizeof *buffer->tail;
}

/* The child of a fork is not the rank. Only stores: the signal may have interrupted anything. */
static void note_signal(int number)
{
    struct rec_buffer *own = rec_own && rec_own->tail ? rec_own : &rec_out;
    if (rec_state != REC_OPEN || (uint32_t)getpid() != rec_out.header.pid) return;
    __atomic_store_n(&own->tail->signal, (uint32_t)number, __ATOMIC_RELAXED);
}

/* The instruction faults again when the handler returns. */
static bool is_fault(int number, const siginfo_t *info)
{
    return (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE) && info->si_code > 0;
}

/* Restores the earlier handler. A fault occurs again on return; any other signal is sent again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t passing; /* of SIGBUS: a handler may pass it on to this one; no room in static TLS */
    struct sigaction before = before_of[number];
    bool handled = before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN && (number != SIGBUS || !passing);
    if (before.sa_handler == SIG_IGN && !is_fault(number, info)) return;
    if (!handled) {
        sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        if (!is_fault(number, info)) raise(number);
        return;
    }
    if (number == SIGBUS) passing = true;
    sigset_t blocked = before.sa_mask;
    if (!(before.sa_flags & SA_NODEFER)) sigaddset(&blocked, number);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
    if (number == SIGBUS) passing = false;
}

typedef void handler(int number, siginfo_t *info, void *context);

static bool is_installed(int number, handler *ours)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == ours;
}

/* A handler that returned has dealt with the signal, or the fault comes again. But handlers that only print (UCX's, Open
 * MPI's) put back what was there before them, or the default, and raise the signal again: then ours is gone. */
static void note_and_pass_on(int number, siginfo_t *info, void *context, handler *ours)
{
    note_signal(number);
    pass_on(number, info, context);
    if (is_installed(number, ours)) note_signal(0);
}

/* The store that found no memory is one of the recorder's own, in this thread: so what follows may use any function. */
static void on_bus(int number, siginfo_t *info, void *context)
{
    struct rec_buffer *own = rec_own;
    uintptr_t address = info->si_code > 0 ? (uintptr_t)info->si_addr : 0;
    struct rec_buffer *cut = is_in(own, address) ? own : is_in(&rec_out, address) ? &rec_out : NULL;
    int failure = errno;
    if (!cut || !rec_buffer_detach(cut)) {
        note_and_pass_on(number, info, context, on_bus);
        return;
    }
    errno = 0;
    rec_stop("the spool's tail file was truncated");
    rec_buffer_restore(cut);
    errno = failure;
}

void rec_guard(void)
{
    struct sigaction now, ours = {.sa_sigaction = on_bus};
    if (is_installed(SIGBUS, on_bus) || sigaction(SIGBUS, NULL, &now) != 0) return;
    before_of[SIGBUS] = now;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER; /* what is written for one may be cut, too */
    sigemptyset(&ours.sa_mask);
    sigaction(SIGBUS, &ours, NULL);
}

static void on_end(int number, siginfo_t *info, void *context)
{
    note_and_pass_on(number, info, context, on_end);
}

/* Installs the handler with the flags and the mask of the existing one. */
static void watch_signal(int number, bool handled_too)
{
    struct sigaction now, ours = {.sa_sigaction = on_end};
    if (sigaction(number, NULL, &now) != 0 || now.sa_handler == SIG_IGN) return;
    bool handled = now.sa_handler != SIG_DFL;
    if (handled && !handled_too) return;
    before_of[number] = now;
    ours.sa_mask = now.sa_mask;
    ours.sa_flags = SA_SIGINFO | (handled ? now.sa_flags : SA_ONSTACK);
    sigaction(number, &ours, NULL);
}

void rec_guard_end(void)
{
    static const int faults[] = {SIGSEGV, SIGILL, SIGFPE, SIGABRT}, asked[] = {SIGTERM, SIGINT, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) watch_signal(faults[i], true);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) watch_signal(asked[i], false);
}
