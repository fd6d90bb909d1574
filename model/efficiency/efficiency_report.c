/* Checks of efficiency, POP's metrics, and the text form. */
#include <inttypes.h>
#include <string.h>

#include "common/text/text.h"
#include "common/units.h"
#include "model/efficiency/efficiency.h"

static double ratio_of(double part, double whole)
{
    return whole > 0 ? part / whole : -1;
}

struct efficiency_pop efficiency_pop(const struct efficiency *efficiency, size_t index)
{
    const struct efficiency_interval *interval = &efficiency->intervals[index];
    const struct efficiency_range *cpu = &interval->range[EFFICIENCY_CPU];
    double run_s = units_s(interval->execution_ps), most_s = units_s(cpu->max_ps);
    struct efficiency_pop pop = {
        .load_balance = ratio_of(cpu->mean_s, most_s),
        .communication = ratio_of(most_s, run_s),
        .serialization = -1,
        .transfer = -1,
        .parallel = ratio_of(cpu->mean_s, run_s),
        .computation_scaling = -1,
        .global = -1,
    };
    if (index != 0) return pop;
    if (efficiency->ideal_run_time_s > 0) {
        pop.transfer = ratio_of(efficiency->ideal_run_time_s, run_s);
        pop.serialization = ratio_of(most_s, efficiency->ideal_run_time_s);
    }
    if (efficiency->reference_user_s > 0 && pop.parallel >= 0) {
        pop.computation_scaling = ratio_of(efficiency->reference_user_s, wide_s(interval->sum_ps[EFFICIENCY_CPU]));
        if (pop.computation_scaling >= 0) pop.global = pop.parallel * pop.computation_scaling;
    }
    return pop;
}

static void expect_equal(struct efficiency *efficiency, const struct efficiency_interval *interval, const char *what,
                         wide_ps one_ps, wide_ps other_ps)
{
    if (one_ps == other_ps || !efficiency->holds) return;
    efficiency->holds = false;
    snprintf(efficiency->broken, sizeof efficiency->broken, "%.60s: %s: %.12f s, %.12f s apart", interval->path, what,
             wide_s(one_ps), wide_s(one_ps - other_ps));
}

static wide_ps parts_ps(const wide_ps *sum_ps, int first, int last)
{
    wide_ps ps = 0;
    for (int c = first; c <= last; c++) ps += sum_ps[c];
    return ps;
}

/* Whether a rank's loss has reached the limit of 64 bits, so that its parts may sum to more. */
static bool is_saturated(const struct efficiency_interval *interval, enum characteristic loss)
{
    return interval->range[loss].max_ps == INT64_MAX;
}

static void check_interval(struct efficiency *efficiency, const struct efficiency_interval *interval)
{
    const wide_ps *sum_ps = interval->sum_ps;
    wide_ps kinds_ps = parts_ps(sum_ps, EFFICIENCY_SEND_RECEIVE, EFFICIENCY_OTHER);
    expect_equal(efficiency, interval, "lost time and its parts", interval->lost_ps,
                 sum_ps[EFFICIENCY_INSUFFICIENT_USER] + sum_ps[EFFICIENCY_INSUFFICIENT_SYSTEM] +
                     sum_ps[EFFICIENCY_COMMUNICATION] + sum_ps[EFFICIENCY_THREADS] + sum_ps[EFFICIENCY_IDLE]);
    expect_equal(efficiency, interval, "lost time and that of the processors", interval->lost_ps,
                 sum_ps[EFFICIENCY_LOST]);
    expect_equal(efficiency, interval, "total time and CPU, MPI, threads and idle", interval->total_ps,
                 sum_ps[EFFICIENCY_CPU] + sum_ps[EFFICIENCY_MPI] + sum_ps[EFFICIENCY_THREADS] +
                     sum_ps[EFFICIENCY_IDLE]);
    expect_equal(efficiency, interval, "MPI time and its kinds", sum_ps[EFFICIENCY_MPI], kinds_ps);
    expect_equal(efficiency, interval, "real synchronization and its parts", sum_ps[EFFICIENCY_REAL_SYNCHRONIZATION],
                 parts_ps(sum_ps, EFFICIENCY_REAL_SEND_RECEIVE, EFFICIENCY_THREAD_SYNCHRONIZATION));
    if (!is_saturated(interval, EFFICIENCY_POTENTIAL_SYNCHRONIZATION))
        expect_equal(efficiency, interval, "potential synchronization and its parts",
                     sum_ps[EFFICIENCY_POTENTIAL_SYNCHRONIZATION],
                     parts_ps(sum_ps, EFFICIENCY_POTENTIAL_SEND_RECEIVE, EFFICIENCY_POTENTIAL_RMA));
    if (!is_saturated(interval, EFFICIENCY_TIME_VARIATION))
        expect_equal(efficiency, interval, "time variation and its parts", sum_ps[EFFICIENCY_TIME_VARIATION],
                     parts_ps(sum_ps, EFFICIENCY_VARIATION_COLLECTIVE, EFFICIENCY_VARIATION_RMA));
}

void efficiency_check(struct efficiency *efficiency)
{
    efficiency->holds = true;
    if (efficiency->count > 0) {
        const struct efficiency_interval *run = &efficiency->intervals[0];
        wide_ps caused_ps = 0;
        for (size_t i = 0; i < efficiency->caused.count; i++) caused_ps += efficiency->caused.rows[i].time_ps;
        expect_equal(efficiency, run, "real synchronization and waits by cause", run->sum_ps[EFFICIENCY_REAL_SYNCHRONIZATION],
                     caused_ps);
    }
    for (size_t i = 0; i < efficiency->count; i++) {
        const struct efficiency_interval *interval = &efficiency->intervals[i];
        const struct efficiency_interval *parent = &efficiency->intervals[efficiency->parents[i]];
        check_interval(efficiency, interval);
        for (uint32_t p = 0; p < efficiency->processor_count; p++) {
            int64_t own_ps = interval->value_ps[EFFICIENCY_TIME][p], outer_ps = parent->value_ps[EFFICIENCY_TIME][p];
            expect_equal(efficiency, interval, "time beyond that of the interval around it",
                         own_ps > outer_ps ? own_ps - outer_ps : 0, 0);
        }
    }
}

static void print_value(const char *indent, const char *title, wide_ps ps, FILE *out)
{
    text_print(out, "%s%-*s %14.6f\n", indent, (int)(36 - strlen(indent)), title, wide_s(ps));
}

static void print_sum(const struct efficiency_interval *interval, const char *indent, int c, FILE *out)
{
    print_value(indent, characteristic_row((enum characteristic)c)->title, interval->sum_ps[c], out);
}

static void print_ratio(const char *title, double value, FILE *out)
{
    if (value >= 0)
        text_print(out, "%-36s %14.6f\n", title, value);
    else
        text_print(out, "%-36s %14s\n", title, "not known");
}

/* Thesis 4.3: where to look first. */
static void print_advice(const struct efficiency_interval *interval, FILE *out)
{
    static const int lost[] = {EFFICIENCY_COMMUNICATION, EFFICIENCY_IDLE, EFFICIENCY_INSUFFICIENT_USER,
                               EFFICIENCY_INSUFFICIENT_SYSTEM, EFFICIENCY_THREADS};
    const wide_ps *sum_ps = interval->sum_ps;
    int worst = lost[0];
    for (size_t i = 1; i < sizeof lost / sizeof *lost; i++)
        if (sum_ps[lost[i]] > sum_ps[worst]) worst = lost[i];
    if (sum_ps[worst] <= 0) return;
    text_print(out, "Look first at: %s", characteristic_row((enum characteristic)worst)->title);
    if (worst == EFFICIENCY_COMMUNICATION) {
        /* communication is time in MPI, without the waits of threads for each other */
        wide_ps lost_ps = sum_ps[EFFICIENCY_REAL_SYNCHRONIZATION] - sum_ps[EFFICIENCY_THREAD_SYNCHRONIZATION];
        if (lost_ps < sum_ps[worst] / 2)
            fputs(", mostly not synchronization: the transfers themselves", out);
        else if (sum_ps[EFFICIENCY_LOAD_IMBALANCE] >= lost_ps / 2)
            fputs(", mostly synchronization, as large as the load imbalance: balance the work", out);
        else if (sum_ps[EFFICIENCY_TIME_VARIATION] >= lost_ps / 2)
            fputs(", mostly synchronization, as large as the spread of the collectives' ends", out);
        else
            fputs(
                ", mostly synchronization, but the load is balanced over the interval: descend to the intervals inside",
                out);
    }
    if (worst == EFFICIENCY_THREADS && sum_ps[EFFICIENCY_THREAD_SYNCHRONIZATION] >= sum_ps[worst] / 2)
        fputs(", mostly waiting for each other", out);
    fputc('\n', out);
}

/* Its two parts follow in brackets, as in the thesis. */
static void print_productive(const struct efficiency *efficiency, size_t index, FILE *out)
{
    const struct efficiency_interval *interval = &efficiency->intervals[index];
    const bool inherited = index > 0 && interval->useful_rank == efficiency->intervals[efficiency->parents[index]].useful_rank;
    int64_t mpi_ps = interval->useful_mpi_ps;
    text_print(out, "%-36s %14.6f (CPU %.6f, MPI %.6f)\n", "Productive time", wide_s(interval->productive_ps),
               wide_s(interval->productive_ps - mpi_ps), units_s(mpi_ps));
    if (efficiency->lost_all)
        fputs("  The MPI time of all ranks counts as lost.\n", out);
    else
        text_print(out,
            "  The MPI time of one rank, %" PRIu32
            ", %s, counts as useful, that of the others as lost.\n",
            interval->useful_rank, inherited ? "as around this interval" : "which has least of it");
}

static void print_parts(const struct efficiency_interval *interval, int first, int last, FILE *out)
{
    for (int c = first; c <= last; c++) print_sum(interval, "  ", c, out);
}

static void print_main(const struct efficiency *efficiency, size_t index, FILE *out)
{
    const struct efficiency_interval *interval = &efficiency->intervals[index];
    fputs("---Main characteristics---\n", out);
    print_ratio("Parallelization efficiency", ratio_of(wide_s(interval->productive_ps), wide_s(interval->total_ps)),
                out);
    print_value("", "Execution time", interval->execution_ps, out);
    text_print(out, "%-36s %14" PRIu32 "\n", "Processors", interval->processors);
    print_value("", "Total time", interval->total_ps, out);
    print_productive(efficiency, index, out);
    print_value("", "Lost time", interval->lost_ps, out);
    print_sum(interval, "  ", EFFICIENCY_INSUFFICIENT_USER, out);
    print_sum(interval, "  ", EFFICIENCY_INSUFFICIENT_SYSTEM, out);
    print_sum(interval, "  ", EFFICIENCY_COMMUNICATION, out);
    if (interval->sum_ps[EFFICIENCY_THREADS] > 0) print_sum(interval, "  ", EFFICIENCY_THREADS, out);
    print_sum(interval, "  ", EFFICIENCY_IDLE, out);
    print_sum(interval, "", EFFICIENCY_MPI, out);
    print_parts(interval, EFFICIENCY_SEND_RECEIVE, EFFICIENCY_OTHER, out);
    print_sum(interval, "", EFFICIENCY_REAL_SYNCHRONIZATION, out);
    for (int c = EFFICIENCY_REAL_SEND_RECEIVE; c <= EFFICIENCY_REAL_OTHER; c++)
        if (interval->sum_ps[c] > 0) print_sum(interval, "  ", c, out);
    if (interval->sum_ps[EFFICIENCY_THREAD_SYNCHRONIZATION] > 0)
        print_sum(interval, "  ", EFFICIENCY_THREAD_SYNCHRONIZATION, out);
    print_sum(interval, "", EFFICIENCY_POTENTIAL_SYNCHRONIZATION, out);
    print_parts(interval, EFFICIENCY_POTENTIAL_SEND_RECEIVE, EFFICIENCY_POTENTIAL_RMA, out);
    print_sum(interval, "", EFFICIENCY_TIME_VARIATION, out);
    print_parts(interval, EFFICIENCY_VARIATION_COLLECTIVE, EFFICIENCY_VARIATION_RMA, out);
    print_sum(interval, "", EFFICIENCY_START, out);
    print_sum(interval, "", EFFICIENCY_OVERLAP, out);
    print_sum(interval, "", EFFICIENCY_LOAD_IMBALANCE, out);
}

static const int compared[] = {EFFICIENCY_LOST,
                               EFFICIENCY_IDLE,
                               EFFICIENCY_COMMUNICATION,
                               EFFICIENCY_CPU,
                               EFFICIENCY_MPI,
                               EFFICIENCY_REAL_SYNCHRONIZATION,
                               EFFICIENCY_POTENTIAL_SYNCHRONIZATION,
                               EFFICIENCY_TIME_VARIATION,
                               EFFICIENCY_LOAD_IMBALANCE,
                               EFFICIENCY_START,
                               EFFICIENCY_OVERLAP};

/* "3", or "3:1" if ranks have several processors. */
enum { PROCESSOR_BYTES = 24 };
static const char *processor_text(const struct efficiency *efficiency, uint32_t processor, char text[PROCESSOR_BYTES])
{
    const struct efficiency_processor *at = &efficiency->processors[processor];
    snprintf(text, PROCESSOR_BYTES, efficiency->several ? "%" PRIu32 ":%" PRIu32 : "%" PRIu32, at->rank, at->index);
    return text;
}

static void print_comparison(const struct efficiency *efficiency, const struct efficiency_interval *interval, FILE *out)
{
    char low[PROCESSOR_BYTES], high[PROCESSOR_BYTES];
    fputs("---Comparative characteristics---\n", out);
    text_print(out, "%-28s %12s %6s %12s %6s %12s\n", "", "Tmin", "rank", "Tmax", "rank", "Tmid");
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        const struct efficiency_range *range = &interval->range[compared[i]];
        text_print(out, "%-28s %12.6f %6s %12.6f %6s %12.6f\n",
                   characteristic_row((enum characteristic)compared[i])->title, units_s(range->min_ps),
                   processor_text(efficiency, range->min_processor, low), units_s(range->max_ps),
                   processor_text(efficiency, range->max_processor, high), range->mean_s);
    }
}

static void print_ranks(const struct efficiency *efficiency, const struct efficiency_interval *interval, FILE *out)
{
    char name[PROCESSOR_BYTES];
    fputs("---Ranks---\n", out);
    for (int c = 0; c < CHARACTERISTIC_COUNT; c++) {
        text_print(out, "%-32s", characteristic_row((enum characteristic)c)->title);
        for (uint32_t p = 0; p < efficiency->processor_count; p++)
            if (interval->takes_part[p])
                text_print(out, " %s: %.6f", processor_text(efficiency, p, name), units_s(interval->value_ps[c][p]));
        fputc('\n', out);
    }
}

static void print_pop(const struct efficiency *efficiency, size_t index, FILE *out)
{
    struct efficiency_pop pop = efficiency_pop(efficiency, index);
    fputs("---POP metrics---\n", out);
    print_ratio("Global efficiency", pop.global, out);
    print_ratio("  Computation scaling", pop.computation_scaling, out);
    print_ratio("  Parallel efficiency", pop.parallel, out);
    print_ratio("    Load balance", pop.load_balance, out);
    print_ratio("    Communication efficiency", pop.communication, out);
    print_ratio("      Serialization", pop.serialization, out);
    print_ratio("      Transfer", pop.transfer, out);
}

/* Prints the longest waits by cause; the sum of all is the real synchronization of the run. */
static void print_caused(const struct efficiency *efficiency, FILE *out)
{
    enum { MOST_ROWS = 20 };
    const struct caused *caused = &efficiency->caused;
    wide_ps rest_ps = 0;
    if (caused->count == 0) return;
    text_print(out, "\n---Waits by interval and cause---\n%14s  %-30s %s\n", "Seconds", "Waits in", "Caused in");
    for (size_t i = 0; i < caused->count; i++) {
        const struct caused_row *row = &caused->rows[i];
        if (i >= MOST_ROWS)
            rest_ps += row->time_ps;
        else
            text_print(out, "%14.6f  %-30s %s\n", wide_s(row->time_ps), efficiency->intervals[row->interval].path,
                       row->cause == CAUSED_NOWHERE ? "not known" : efficiency->intervals[row->cause].path);
    }
    if (caused->count > MOST_ROWS)
        text_print(out, "%14.6f  in %zu other rows\n", wide_s(rest_ps), caused->count - MOST_ROWS);
}

void efficiency_print(const struct efficiency *efficiency, bool per_rank, FILE *out)
{
    for (size_t i = 0; i < efficiency->count; i++) {
        const struct efficiency_interval *interval = &efficiency->intervals[i];
        text_print(out, "\nInterval %s (LineNumber = %" PRId32 " SourceFile = %s) Level=%" PRIu32 " EXE_Count=%zu\n",
                   interval->path, interval->line, interval->file ? interval->file : "?", interval->level,
                   interval->executions);
        print_main(efficiency, i, out);
        print_comparison(efficiency, interval, out);
        if (per_rank) print_ranks(efficiency, interval, out);
        print_pop(efficiency, i, out);
        print_advice(interval, out);
    }
    print_caused(efficiency, out);
    text_print(out, "\nSums and parts agree on every interval: %s\n", efficiency->holds ? "yes" : efficiency->broken);
}
