/* Takes a SIGBUS three times and says what its handler sees. WORDS, in one argument, joined by commas:
 *   after                                the handler is installed after MPI_Init, else before
 *   long                                 20000 barriers before each signal: the recorder's chunks become full
 *   resethand nodefer siginfo onstack mask   flags of the handler; mask: it blocks SIGUSR1
 *   kill                                 the signal is sent to the process, else it is a fault
 *   jump mend chain back                 the handler jumps; makes the memory good; calls the handler that it has replaced;
 *                                        puts that one back and raises the signal; else it returns, five times at most
 *   first                                a handler that exits with 7 is there before it, which prints, too
 * What is printed, and how the program ends, is the same with and without a recorder. */
#include <fcntl.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TIMES = 3, BARRIERS = 20000, PAGE = 4096 };
static const char *words;
static sigjmp_buf place;
static char *memory, stack[64 * 1024];
static int hits;
static struct sigaction replaced;

static int has(const char *word)
{
    const char *at = strstr(words, word);
    return at != NULL;
}

static void say_state(int code, const char *address)
{
    sigset_t blocked;
    stack_t now;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    sigaltstack(NULL, &now);
    printf("hit %d code %d at %d bus %d usr1 %d usr2 %d onstack %d\n", hits, code, address ? (int)(address - memory) : -1,
           sigismember(&blocked, SIGBUS), sigismember(&blocked, SIGUSR1), sigismember(&blocked, SIGUSR2),
           (now.ss_flags & SS_ONSTACK) != 0);
    fflush(stdout);
}

static void leave(int number, siginfo_t *info, void *context)
{
    if (++hits > 5) _exit(50);
    say_state(info && !has("kill") ? info->si_code : 0, info && !has("kill") ? info->si_addr : NULL);
    if (has("jump")) siglongjmp(place, 1);
    if (has("mend")) mmap(memory, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (has("back") || (has("chain") && !(replaced.sa_flags & SA_SIGINFO) && replaced.sa_handler == SIG_DFL)) {
        sigaction(SIGBUS, &replaced, NULL);
        raise(number);
    } else if (has("chain") && (replaced.sa_flags & SA_SIGINFO)) {
        replaced.sa_sigaction(number, info, context);
    } else if (has("chain")) {
        replaced.sa_handler(number);
    }
}

static void on_plain(int number)
{
    leave(number, NULL, NULL);
}

static void on_first(int number, siginfo_t *info, void *context)
{
    static const char text[] = "first\n";
    (void)number, (void)context;
    if (!info || write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(8);
    _exit(7);
}

static void install(void)
{
    struct sigaction made = {.sa_handler = on_plain};
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    if (has("siginfo") || has("chain")) {
        made.sa_sigaction = leave;
        made.sa_flags |= SA_SIGINFO;
    }
    if (has("resethand")) made.sa_flags |= (int)SA_RESETHAND;
    if (has("nodefer")) made.sa_flags |= SA_NODEFER;
    if (has("onstack")) made.sa_flags |= SA_ONSTACK;
    if (has("mask")) sigaddset(&made.sa_mask, SIGUSR1);
    if (has("onstack")) sigaltstack(&other, NULL);
    sigaction(SIGBUS, &made, &replaced);
}

static void cut_memory(void)
{
    char name[] = "/tmp/rmacast-signals-XXXXXX";
    int file = mkstemp(name);
    if (file < 0) exit(1);
    memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    unlink(name);
    close(file);
}

int main(int argc, char **argv)
{
    struct sigaction first = {.sa_sigaction = on_first, .sa_flags = SA_SIGINFO};
    words = argc > 1 ? argv[1] : "";
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (has("first")) sigaction(SIGBUS, &first, NULL);
    else signal(SIGBUS, SIG_DFL);
    if (!has("after")) install();
    MPI_Init(&argc, &argv);
    if (has("after")) install();
    for (volatile int i = 0; i < TIMES; i++) {
        for (int k = 0; k < (has("long") ? BARRIERS : 1); k++) MPI_Barrier(MPI_COMM_WORLD);
        cut_memory();
        if (sigsetjmp(place, 1) != 0) continue;
        if (has("kill"))
            kill(getpid(), SIGBUS);
        else
            memory[100] = 1;
    }
    printf("done\n");
    MPI_Finalize();
    return 0;
}
