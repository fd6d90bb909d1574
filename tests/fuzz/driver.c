/* Runs a harness: run_fuzz HARNESS FIRST_SEED COUNT [FILE|DIRECTORY]... on mutants of these files; COUNT 0: on the
 * files as they are. A seed fixes its mutant. What an input breaks ends the process, which leaves the input in
 * HARNESS.found.
 *
 * With RMACAST_FUZZ_KEEP=DIRECTORY it goes on: seeds run in a child process, and each kind of finding is kept there
 * once, with the smallest input that was met, NAME and NAME.txt. run_fuzz HARNESS shrink FILE makes FILE small,
 * run_fuzz HARNESS make SEED writes a correct input. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/array.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate_text.h"

/* Seconds of CPU for an input, and of the clock where it waits: a loaded machine takes longer for the same work. */
enum { RUN_SECONDS = 20, WAIT_SECONDS = 200, MEMORY_KB = 2 << 20 };

struct input {
    uint8_t data[FUZZ_ROOM];
    size_t size;
};

struct corpus {
    struct input **items;
    size_t count, capacity;
};

/* What a child leaves behind. */
struct shared {
    struct input input;
    uint64_t seed, runs;
};

static struct shared *shared;
static bool goes_on;
static const struct fuzz_harness *harness;

static void write_file(const char *name, const void *data, size_t size)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) _exit(2);
    close(fd);
}

static void keep_input(void)
{
    char name[128], line[256];
    if (goes_on) return;
    snprintf(name, sizeof name, "%s.found", harness->name);
    write_file(name, shared->input.data, shared->input.size);
    int length = snprintf(line, sizeof line, "fuzz: %s breaks at seed %llu, input in %s\n", harness->name,
                          (unsigned long long)shared->seed, name);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0) _exit(2);
}

static void on_signal(int number)
{
    signal(number, SIG_DFL);
    if ((number == SIGALRM || number == SIGPROF) && write(STDERR_FILENO, "finding: an input takes too long\n", 33) < 0) _exit(2);
    keep_input();
    raise(number);
}

static void on_exit_of_sanitizer(void)
{
    keep_input();
}

/* Of the sanitizers, where they are linked. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void catch_all(void)
{
    static const int numbers[] = {SIGABRT, SIGALRM, SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(on_exit_of_sanitizer);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const bool own = numbers[i] == SIGABRT || numbers[i] == SIGALRM || numbers[i] == SIGPROF;
        bool sanitizers = __sanitizer_set_death_callback && !own;
        if (!sanitizers) signal(numbers[i], on_signal);
    }
}

static void check_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > MEMORY_KB) fuzz_finding("an input takes %ld KB of memory", usage.ru_maxrss);
}

/* Of the sanitizers, where they are linked. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));
int __lsan_do_recoverable_leak_check(void) __attribute__((weak)); /* says where it was allocated, with LEAKS=1 */

static size_t allocated_bytes(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}

static void run_once(void)
{
    fuzz_choose(shared->input.data, shared->input.size);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = RUN_SECONDS}, NULL);
    alarm(WAIT_SECONDS);
    harness->run(shared->input.data, shared->input.size);
    alarm(0);
    setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
}

/* What is allocated once for all inputs is no leak: each of three more runs leaves more behind. */
static void run_current(void)
{
    size_t before = allocated_bytes(), after, runs = 0;
    run_once();
    while ((after = allocated_bytes()) > before && !harness->leaves && runs++ < 3) {
        before = after;
        run_once();
    }
    bool leaks = after > before && !harness->leaves;
    if (leaks && __lsan_do_recoverable_leak_check) __lsan_do_recoverable_leak_check();
    if (leaks) fuzz_finding("an input leaks %zu bytes", after - before);
    check_memory();
}

static enum status add_file(struct corpus *corpus, const char *path, struct err *err)
{
    FILE *in = fopen(path, "rb");
    if (!in) return err_set(err, STATUS_DATA, path, NULL, "cannot be opened: %s", strerror(errno));
    struct input *input = malloc(sizeof *input);
    if (input) input->size = fread(input->data, 1, sizeof input->data, in);
    fclose(in);
    if (!input) return err_memory(err);
    ARRAY_PUSH(corpus->items, corpus->count, corpus->capacity, input, err);
    return STATUS_OK;
}

/* A directory's files in the order of their names. */
static enum status add_path(struct corpus *corpus, const char *path, struct err *err)
{
    struct stat about;
    struct dirent **entries;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return add_file(corpus, path, err);
    int count = scandir(path, &entries, NULL, alphasort);
    enum status status = STATUS_OK;
    for (int i = 0; i < count; i++) {
        char *file;
        if (entries[i]->d_name[0] != '.' && asprintf(&file, "%s/%s", path, entries[i]->d_name) >= 0) {
            if (status == STATUS_OK) status = add_file(corpus, file, err);
            free(file);
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    return status;
}

static void pick(const struct corpus *corpus, struct random *random)
{
    bool make = harness->make && (corpus->count == 0 || random_below(random, 4) == 0);
    if (make)
        shared->input.size = harness->make(random, shared->input.data, FUZZ_ROOM);
    else if (corpus->count > 0)
        shared->input = *corpus->items[random_below(random, (uint32_t)corpus->count)];
}

static void run_seed(const struct corpus *corpus, uint64_t seed)
{
    struct random random = {seed};
    shared->seed = seed;
    pick(corpus, &random);
    uint32_t changes = 1 + random_below(&random, 1 + random_below(&random, 6));
    for (uint32_t i = 0; i < changes; i++)
        shared->input.size = harness->mutate(&random, shared->input.data, shared->input.size, FUZZ_ROOM);
    if (harness->splices && corpus->count > 1 && random_chance(&random, 8)) {
        const struct input *other = corpus->items[random_below(&random, (uint32_t)corpus->count)];
        shared->input.size = mutate_splice(&random, shared->input.data, shared->input.size, other->data, other->size, FUZZ_ROOM);
    }
    run_current();
    shared->runs++;
}

/* --- going on --- */

/* Of what a child said: the line that says what is wrong, and the functions that it was in. */
struct cause {
    char text[8192];
    uint64_t kind; /* a hash without its numbers */
};

static void hash_text(struct cause *cause, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool number = strchr("0123456789-+.e", text[i]) != NULL; /* 'e': of an exponent */
        if (!number) cause->kind = (cause->kind ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    }
}

static void find_cause(struct cause *cause)
{
    int frames = 0;
    cause->kind = UINT64_C(0xcbf29ce484222325);
    for (const char *line = cause->text; *line;) {
        size_t length = strcspn(line, "\n");
        const char *in = memmem(line, length, " in ", 4), *error = memmem(line, length, "runtime error", 13);
        bool finding = strncmp(line, "finding:", 8) == 0;
        if (finding) hash_text(cause, line, length < 90 ? length : 90);
        if (error) hash_text(cause, line, length);
        if (!finding && !error && in && line[strspn(line, " ")] == '#' && frames++ < 5)
            hash_text(cause, in, strcspn(in + 4, " ") + 4);
        line += length + (line[length] == '\n');
    }
}

static void keep_finding(const char *directory, const struct cause *cause)
{
    char name[512], text[520];
    struct stat about;
    snprintf(name, sizeof name, "%s/%s-%08x", directory, harness->name, (unsigned)(cause->kind ^ cause->kind >> 32));
    snprintf(text, sizeof text, "%s.txt", name);
    if (stat(name, &about) == 0 && (size_t)about.st_size <= shared->input.size) return;
    write_file(name, shared->input.data, shared->input.size);
    write_file(text, cause->text, strlen(cause->text));
    printf("%s: seed %llu, %s: %.*s\n", harness->name, (unsigned long long)shared->seed, name,
           (int)strcspn(cause->text, "\n"), cause->text);
    fflush(stdout);
}

static void run_seeds(const struct corpus *corpus, uint64_t first, uint64_t end)
{
    for (uint64_t seed = first; seed < end; seed++) run_seed(corpus, seed);
}

/* Runs seeds, or the input if there are none, in a child. True: something broke, cause says what. */
static enum status run_apart(const struct corpus *corpus, uint64_t first, uint64_t end, struct cause *cause,
                             bool *broke, struct err *err)
{
    int errors = memfd_create("errors", MFD_CLOEXEC), how;
    fflush(NULL);
    pid_t pid = errors >= 0 ? fork() : -1;
    if (pid < 0) return err_set(err, STATUS_SYSTEM, "fuzz", NULL, "no child process: %s", strerror(errno));
    if (pid == 0) {
        dup2(errors, STDERR_FILENO);
        catch_all();
        if (first == end) run_current();
        run_seeds(corpus, first, end);
        _exit(0);
    }
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR) continue;
    *broke = !WIFEXITED(how) || WEXITSTATUS(how) != 0;
    ssize_t length = *broke ? pread(errors, cause->text, sizeof cause->text - 1, 0) : 0;
    close(errors);
    cause->text[length > 0 ? length : 0] = '\0';
    find_cause(cause);
    return STATUS_OK;
}

static enum status run_on(const struct corpus *corpus, uint64_t first, uint64_t count, const char *directory,
                          struct err *err)
{
    enum { BATCH = 20000 };
    static struct cause cause;
    uint64_t findings = 0;
    for (uint64_t seed = first, end; seed < first + count; seed = end) {
        bool broke;
        end = first + count - seed < BATCH ? first + count : seed + BATCH;
        TRY(run_apart(corpus, seed, end, &cause, &broke, err));
        if (!broke) continue;
        keep_finding(directory, &cause);
        findings++;
        end = shared->seed + 1;
    }
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("%s: %llu inputs, seeds from %llu, %llu broke something, %ld s of CPU time\n", harness->name,
           (unsigned long long)count, (unsigned long long)first, (unsigned long long)findings,
           (long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec));
    return STATUS_OK;
}

/* --- making small --- */

/* The byte behind the count-th piece from `at` on. */
static size_t pass_pieces(const struct input *input, size_t at, size_t count, char end)
{
    while (count-- > 0 && at < input->size) {
        const uint8_t *stop = memchr(input->data + at, end, input->size - at);
        at = stop ? (size_t)(stop - input->data) + 1 : input->size;
    }
    return at;
}

/* Takes so many pieces (lines, words) out at each place, and keeps that where the same is broken. */
static enum status take_out(size_t pieces, char end, uint64_t kind, bool *smaller, struct err *err)
{
    static struct input best;
    static struct cause cause;
    best = shared->input;
    for (size_t at = 0; at < best.size;) {
        size_t behind = pass_pieces(&best, at, pieces, end);
        bool broke;
        shared->input = best;
        memmove(shared->input.data + at, best.data + behind, best.size - behind);
        shared->input.size -= behind - at;
        TRY(run_apart(NULL, 0, 0, &cause, &broke, err));
        if (broke && cause.kind == kind) {
            best = shared->input;
            *smaller = true;
        } else
            at = pass_pieces(&best, at, 1, end);
    }
    shared->input = best;
    return STATUS_OK;
}

/* FILE becomes the smallest input that breaks the same. */
static enum status shrink(const char *file, struct err *err)
{
    static struct cause cause;
    bool broke, smaller = true;
    TRY(run_apart(NULL, 0, 0, &cause, &broke, err));
    if (!broke) return err_set(err, STATUS_DATA, file, NULL, "breaks nothing");
    printf("%.*s\n", (int)strcspn(cause.text, "\n"), cause.text);
    uint64_t kind = cause.kind;
    while (smaller) {
        smaller = false;
        for (size_t lines = 32; lines > 0; lines /= 2) TRY(take_out(lines, '\n', kind, &smaller, err));
        if (!smaller) TRY(take_out(1, ' ', kind, &smaller, err));
    }
    write_file(file, shared->input.data, shared->input.size);
    return STATUS_OK;
}

/* Writes a correct input to standard output. */
static enum status write_made(const char *seed, struct err *err)
{
    struct random random = {strtoull(seed, NULL, 10)};
    if (!harness->make) return err_set(err, STATUS_USAGE, "fuzz", NULL, "%s makes no inputs", harness->name);
    fwrite(shared->input.data, 1, harness->make(&random, shared->input.data, FUZZ_ROOM), stdout);
    return STATUS_OK;
}

static enum status run(int argc, char **argv, struct corpus *corpus, struct err *err)
{
    if (strcmp(argv[2], "make") == 0) return write_made(argv[3], err);
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    const char *keep = getenv("RMACAST_FUZZ_KEEP");
    for (int i = strcmp(argv[2], "shrink") == 0 ? 3 : 4; i < argc; i++) TRY(add_path(corpus, argv[i], err));
    if (corpus->count == 0 && (count == 0 || !harness->make))
        return err_set(err, STATUS_USAGE, "fuzz", NULL, "no files for %s, expected some", harness->name);
    goes_on = (keep && count > 0) || strcmp(argv[2], "shrink") == 0;
    if (strcmp(argv[2], "shrink") == 0) {
        shared->input = *corpus->items[0];
        return shrink(argv[3], err);
    }
    if (goes_on) return run_on(corpus, first, count, keep, err);
    catch_all();
    for (size_t i = 0; i < corpus->count && count == 0; i++) {
        shared->input = *corpus->items[i];
        run_current();
    }
    run_seeds(corpus, first, first + count);
    printf("%s: %llu inputs, seeds from %llu, %zu files\n", harness->name,
           (unsigned long long)(count ? count : corpus->count), (unsigned long long)first, corpus->count);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct err err;
    struct corpus corpus = {.count = 0};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    fuzz_begin();
    harness = argc >= 4 ? fuzz_harness_by_name(argv[1]) : NULL;
    if (!harness) {
        fputs("run_fuzz HARNESS FIRST_SEED COUNT [FILE|DIRECTORY]..., expected one of\n", stderr);
        for (size_t i = 0; fuzz_harnesses[i]; i++)
            fprintf(stderr, "  %-10s %s\n", fuzz_harnesses[i]->name, fuzz_harnesses[i]->summary);
        return 2;
    }
    enum status status = run(argc, argv, &corpus, &err);
    for (size_t i = 0; i < corpus.count; i++) free(corpus.items[i]);
    free(corpus.items);
    if (status != STATUS_OK) fprintf(stderr, "%s\n", err.text);
    return status == STATUS_OK ? 0 : (int)status;
}
