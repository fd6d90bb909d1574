#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/terminal/activity.h"
#include "cli/terminal/progress_bar.h"
#include "platforms/platform.h"
#include "simulate/replay/replay.h"
#include "trace/generate/generate.h"

static void the_text_says_share_rate_and_time_left(void **state)
{
    (void)state;
    char text[PROGRESS_BAR_BYTES];
    /* 3 of 10 million in 6 s: 500 k per second, 7 million left take 14 s */
    assert_string_equal(progress_bar_text(6, 3000000, 10000000, text),
                        "[######              ]  30 %, 500 k events/s, 14 s left");
    /* a quarter in 40 s: 120 s left; 2.5 per second */
    assert_string_equal(progress_bar_text(40, 100, 400, text),
                        "[#####               ]  25 %, 2.5 events/s, 2 min 00 s left");
    /* a thousandth in 20 s: 19980 s = 5 h 33 min */
    assert_string_equal(progress_bar_text(20, 1000, 1000000, text),
                        "[                    ]   0 %, 50 events/s, 5 h 33 min left");
    assert_string_equal(progress_bar_text(2, 4000000000, 4000000000, text),
                        "[####################] 100 %, 2.0 G events/s, 0 s left");
    assert_string_equal(progress_bar_text(1, 0, 0, text), "[                    ]   0 %, 0.0 events/s, 0 s left");
}

/* A terminal hands over in pieces what was written to it: reads until the cleared line at the end. */
static size_t read_shown(int terminal, char *text, size_t size)
{
    size_t bytes = 0;
    const char *left = NULL;
    while (bytes < size - 1 && !(left && strstr(left, "\r\033[K") && strcmp(text + bytes - 4, "\r\033[K") == 0)) {
        struct pollfd readable = {.fd = terminal, .events = POLLIN};
        if (poll(&readable, 1, 10000) != 1) break;
        ssize_t more = read(terminal, text + bytes, size - 1 - bytes);
        if (more <= 0) break;
        bytes += (size_t)more;
        text[bytes] = '\0';
        left = strstr(text, " 20 %, ");
    }
    return bytes;
}

static void pause_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Makes *shown, the side of *terminal that programs write to, standard error; returns what it was before. */
static int use_terminal(int *terminal, int *shown)
{
    int before = dup(STDERR_FILENO);
    *terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (*terminal < 0 && (errno == ENODEV || errno == ENOENT)) skip(); /* no /dev/pts, as in a bare chroot */
    assert_true(*terminal >= 0 && grantpt(*terminal) == 0 && unlockpt(*terminal) == 0);
    *shown = open(ptsname(*terminal), O_RDWR | O_NOCTTY);
    dup2(*shown, STDERR_FILENO);
    return before;
}

static void leave_terminal(int before)
{
    dup2(before, STDERR_FILENO);
    close(before);
}

static struct progress_bar *begin_on_terminal(size_t count, int *terminal, int *shown)
{
    struct progress_bar *bar;
    struct err err;
    int before = use_terminal(terminal, shown);
    assert_int_equal(progress_bar_begin(count, &bar, &err), STATUS_OK);
    leave_terminal(before);
    return bar;
}

/* Two replays of 10 events: 3 of 20 in a child (the other has not begun), then one more here. */
static void processes_share_a_bar_on_a_terminal(void **state)
{
    (void)state;
    int terminal, shown, how;
    struct progress_bar *bar = begin_on_terminal(2, &terminal, &shown);
    progress_bar_show(progress_bar_share(bar, 0), 0, 10); /* too early for anybody to see */
    pause_ms(1100);
    pid_t child = fork();
    if (child == 0) {
        progress_bar_show(progress_bar_share(bar, 1), 3, 10);
        _exit(0);
    }
    waitpid(child, &how, 0);
    pause_ms(300);
    progress_bar_show(progress_bar_share(bar, 0), 1, 10);
    progress_bar_end(bar);
    char text[512] = "";
    size_t bytes = read_shown(terminal, text, sizeof text);
    const char *first = strstr(text, " 15 %, "), *second = strstr(text, " 20 %, "),
               *end = strstr(text, " left\r\033[K");
    assert_true(first && second && first < second && end);
    assert_string_equal(text + bytes - 4, "\r\033[K");
    close(shown);
    close(terminal);
}

/* Reading took longer than a replay may go unseen: the first call told of says no rate yet. */
static void time_counts_from_the_first_call(void **state)
{
    (void)state;
    int terminal, shown;
    struct progress_bar *bar = begin_on_terminal(1, &terminal, &shown);
    pause_ms(1100);
    progress_bar_show(progress_bar_share(bar, 0), 1, 1000);
    progress_bar_end(bar);
    dprintf(shown, "end\n");
    char text[64] = "";
    assert_true(read(terminal, text, sizeof text - 1) > 0);
    assert_memory_equal(text, "end", 3);
    close(shown);
    close(terminal);
}

/* Nothing before the second second; the line goes when the command ends. */
static void a_command_that_takes_long_shows_its_seconds(void **state)
{
    (void)state;
    int terminal, shown;
    char text[512] = "";
    int before = use_terminal(&terminal, &shown);
    activity_begin("rmacast quick");
    activity_end();
    activity_end();
    activity_begin("rmacast slow");
    struct pollfd readable = {.fd = terminal, .events = POLLIN};
    assert_int_equal(poll(&readable, 1, 60000), 1);
    activity_end();
    leave_terminal(before);
    dprintf(shown, "end\n");
    size_t bytes = 0;
    while (bytes < sizeof text - 1 && !strstr(text, "end")) {
        ssize_t more = read(terminal, text + bytes, sizeof text - 1 - bytes);
        assert_true(more > 0);
        bytes += (size_t)more;
        text[bytes] = '\0';
    }
    assert_memory_equal(text, "\r\033[Krmacast slow, 2 s", strlen("\r\033[Krmacast slow, 2 s"));
    assert_non_null(strstr(text, " s\r\033[Kend"));
    close(shown);
    close(terminal);
}

struct told {
    uint64_t times, last, all;
    bool forward;
};

static void take(void *context, uint64_t calls, uint64_t all_calls)
{
    struct told *told = context;
    told->forward = told->forward && calls > told->last && calls <= all_calls;
    told->last = calls;
    told->all = all_calls;
    told->times++;
}

/* From the first call on, about a thousand times, never backwards. */
static void a_replay_tells_how_far_it_is(void **state)
{
    (void)state;
    struct generate_options what = {.pattern = "ring", .sync = "pscw", .ranks = 4, .iterations = 1000, .bytes = 8};
    struct trace *trace;
    struct platform *platform;
    struct err err;
    struct told told = {.forward = true};
    struct replay_options options = {.engine = engine_by_name("loggp"), .progress = take, .progress_context = &told};
    struct replay_outcome outcome;
    assert_int_equal(generate_trace(&what, &trace, &err), STATUS_OK);
    assert_int_equal(platform_open("ideal", NULL, 0, &platform, &err), STATUS_OK);
    assert_int_equal(replay_run(trace, platform, &options, &outcome, &err), STATUS_OK);
    size_t all = 0;
    for (uint32_t r = 0; r < trace->rank_count; r++) all += trace->ranks[r].count;
    assert_true(told.forward);
    assert_int_equal(told.all, all);
    assert_in_range(told.times, 900, 1001);
    assert_in_range(told.last, all - all / 500, all);
    replay_outcome_clear(&outcome);
    platform_free(platform);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_says_share_rate_and_time_left),
        cmocka_unit_test(processes_share_a_bar_on_a_terminal),
        cmocka_unit_test(time_counts_from_the_first_call),
        cmocka_unit_test(a_command_that_takes_long_shows_its_seconds),
        cmocka_unit_test(a_replay_tells_how_far_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
