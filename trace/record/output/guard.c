#include "trace/record/output/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/record/record.h"

static struct sigaction before;

static bool is_in(const struct rec_stream *stream, uintptr_t address)
{
    return stream && stream->tail && address - (uintptr_t)stream->tail < sizeof *stream->tail;
}

/* As if this handler were not there. A fault comes again when it returns, a signal that was sent is sent again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t passing; /* the handler before may pass it on to this one; no room in static TLS */
    bool handled = before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN && !passing;
    if (before.sa_handler == SIG_IGN && info->si_code <= 0) return;
    if (!handled) {
        sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
        if (info->si_code <= 0) raise(number);
        return;
    }
    passing = true;
    sigset_t blocked = before.sa_mask;
    if (!(before.sa_flags & SA_NODEFER)) sigaddset(&blocked, number);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
    passing = false;
}

/* The store that found no memory is one of the recorder's own, in this thread: so what follows may use any function. */
static void on_bus(int number, siginfo_t *info, void *context)
{
    struct rec_stream *own = rec_own;
    uintptr_t address = info->si_code > 0 ? (uintptr_t)info->si_addr : 0;
    struct rec_stream *cut = is_in(own, address) ? own : is_in(&rec_out, address) ? &rec_out : NULL;
    int failure = errno;
    if (!cut || !rec_stream_detach(cut)) {
        pass_on(number, info, context);
        return;
    }
    errno = 0;
    rec_stop("the spool's tail file was truncated");
    rec_stream_restore(cut);
    errno = failure;
}

void rec_guard(void)
{
    struct sigaction now, ours = {.sa_sigaction = on_bus};
    if (sigaction(SIGBUS, NULL, &now) != 0 || ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_bus)) return;
    before = now;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER; /* what is written for one may be cut, too */
    sigemptyset(&ours.sa_mask);
    sigaction(SIGBUS, &ours, NULL);
}
