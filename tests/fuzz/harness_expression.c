/* Expressions of program models against an evaluator of our own, which works on the text, as docs/format-model.md
 * defines them. The first line has a grid: its rule, side, ranks and periodic dimensions (bits); each other line an
 * expression. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/harnesses.h"
#include "tests/fuzz/mutate_text.h"
#include "trace/program_model/expression.h"

enum { LINE_BYTES = 4096, RANKS_MAX = 24, DEPTH_MAX = 200 };

/* --- by hand --- */

/* What an expression is in one place. A value that is none is NAN; where fails is set there is no value. */
struct evaluator {
    const char *at;
    const double *variables;
    const struct grid *grid;
    bool wrong, fails; /* no expression; one without a value */
    int depth;
};

static double evaluate(struct evaluator *in, int level);

static void skip_blanks(struct evaluator *in)
{
    in->at += strspn(in->at, " \t\r\n");
}

static bool take(struct evaluator *in, const char *sign)
{
    skip_blanks(in);
    bool taken = !in->wrong && strncmp(in->at, sign, strlen(sign)) == 0;
    if (taken) in->at += strlen(sign);
    return taken;
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/* The length of a number as in C, without its unit. */
static size_t number_length(const char *at)
{
    size_t whole = strspn(at, "0123456789"), length = whole, more = 0;
    if (at[length] == '.') more = strspn(at + length + 1, "0123456789"), length += 1 + more;
    if (whole + more == 0) return 0;
    size_t exponent = at[length] == 'e' || at[length] == 'E' ? 1 : 0;
    if (exponent > 0 && (at[length + 1] == '-' || at[length + 1] == '+')) exponent++;
    size_t digits = exponent > 0 ? strspn(at + length + exponent, "0123456789") : 0;
    return digits > 0 ? length + exponent + digits : length;
}

static double read_number(struct evaluator *in)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"", 1},  {"ns", 1e-9}, {"us", 1e-6},   {"ms", 1e-3},
                 {"s", 1}, {"K", 1024},  {"M", 1048576}, {"G", 1073741824}};
    char text[LINE_BYTES], unit[LINE_BYTES];
    size_t length = number_length(in->at),
           behind = strspn(in->at + length, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    snprintf(text, sizeof text, "%.*s", (int)length, in->at);
    snprintf(unit, sizeof unit, "%.*s", (int)behind, in->at + length);
    in->at += length + behind;
    for (size_t i = 0; length > 0 && i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0 && isfinite(strtod(text, NULL) * units[i].factor))
            return strtod(text, NULL) * units[i].factor;
    in->wrong = true;
    return 0;
}

static double fail(struct evaluator *in)
{
    in->fails = true;
    return 0;
}

static double neighbor(struct evaluator *in, const double *steps)
{
    double found = 0, size = 1;
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        if (steps[d] != floor(steps[d]) || fabs(steps[d]) > INT32_MAX) return fail(in);
        double extent = in->grid->extents[d], place = in->variables[VARIABLE_X + d] + steps[d];
        if (in->grid->periodic[d]) place -= extent * floor(place / extent);
        if (place < 0 || place >= extent) found = NAN;
        found += size * place;
        size *= extent;
    }
    return found;
}

static double exclusive_or(struct evaluator *in, double a, double b)
{
    const double most = 9007199254740992;
    if (a < 0 || b < 0 || a > most || b > most || a != floor(a) || b != floor(b)) return fail(in);
    double value = 0, bit = 1;
    for (; bit <= most; bit *= 2) value += fmod(floor(a / bit), 2) != fmod(floor(b / bit), 2) ? bit : 0;
    return value;
}

/* Rounded up; NAN: the value is no power of two, where exact. */
static double whole_log2(struct evaluator *in, double a, bool exact)
{
    if (a <= 0) return fail(in);
    double power = 1, exponent = 0;
    while (power < a) power *= 2, exponent++;
    while (isfinite(power) && power / 2 >= a) power /= 2, exponent--;
    return exact && power != a ? fail(in) : exponent;
}

static double call(struct evaluator *in, const char *name, const double *a)
{
    if (strcmp(name, "exists") == 0) return !isnan(a[0]);
    if (strcmp(name, "choose") == 0) return isnan(a[0]) ? fail(in) : a[0] != 0 ? a[1] : a[2];
    if (isnan(a[0]) || isnan(a[1]) || isnan(a[2])) return NAN;
    if (strcmp(name, "neighbor") == 0) return neighbor(in, a);
    if (strcmp(name, "min") == 0) return a[1] < a[0] ? a[1] : a[0];
    if (strcmp(name, "max") == 0) return a[1] > a[0] ? a[1] : a[0];
    if (strcmp(name, "abs") == 0) return a[0] < 0 ? -a[0] : a[0];
    if (strcmp(name, "floor") == 0) return floor(a[0]);
    if (strcmp(name, "ceil") == 0) return -floor(-a[0]);
    if (strcmp(name, "sqrt") == 0) return a[0] < 0 ? fail(in) : pow(a[0], 0.5);
    if (strcmp(name, "log2") == 0) return a[0] > 0 ? log2(a[0]) : fail(in);
    if (strcmp(name, "ilog2") == 0) return whole_log2(in, a[0], true);
    if (strcmp(name, "clog2") == 0) return whole_log2(in, a[0], false);
    return exclusive_or(in, a[0], a[1]);
}

static double read_call(struct evaluator *in, const char *name, int least, int most)
{
    double arguments[3] = {0, 0, 0}, value;
    int count = 0;
    if (!take(in, "(")) in->wrong = true;
    do {
        value = evaluate(in, 0);
        if (count < 3) arguments[count] = value;
        count++;
    } while (take(in, ","));
    if (count < least || count > most || !take(in, ")")) in->wrong = true;
    return in->wrong || in->fails ? 0 : call(in, name, arguments);
}

static double read_named(struct evaluator *in)
{
    static const char *const variables[] = {"rank", "nranks", "x", "y", "z", "nx", "ny", "nz"};
    static const struct {
        const char *name;
        int least, most;
    } functions[] = {{"neighbor", 1, 3}, {"exists", 1, 1}, {"choose", 3, 3}, {"min", 2, 2},  {"max", 2, 2},
                     {"abs", 1, 1},      {"floor", 1, 1},  {"ceil", 1, 1},   {"sqrt", 1, 1}, {"log2", 1, 1},
                     {"ilog2", 1, 1},    {"clog2", 1, 1},  {"xor", 2, 2}};
    char name[SCANNER_NAME_BYTES];
    size_t length = strcspn(in->at, letters) > 0 ? 0 : strspn(in->at, letters);
    while (length > 0 && strspn(in->at + length, letters) + strspn(in->at + length, "0123456789") > 0) length++;
    in->wrong = in->wrong || length == 0 || length >= sizeof name;
    if (in->wrong) return 0;
    snprintf(name, sizeof name, "%.*s", (int)length, in->at);
    in->at += length;
    if (strcmp(name, "none") == 0) return NAN;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (strcmp(variables[i], name) == 0) return in->variables[i];
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return read_call(in, name, functions[i].least, functions[i].most);
    in->wrong = true;
    return 0;
}

static double read_operand(struct evaluator *in)
{
    double value;
    skip_blanks(in);
    if (strspn(in->at, "0123456789.") > 0) return read_number(in);
    if (!take(in, "(")) return read_named(in);
    value = evaluate(in, 0);
    if (!take(in, ")")) in->wrong = true;
    return value;
}

static double expect_finite(struct evaluator *in, double value)
{
    return isfinite(value) || in->fails ? value : fail(in);
}

static double read_signed(struct evaluator *in)
{
    double value, exponent;
    if (++in->depth > DEPTH_MAX) in->wrong = true;
    if (in->wrong) return 0;
    if (take(in, "-")) {
        value = -read_signed(in);
    } else if (take(in, "+")) {
        value = read_signed(in);
    } else if (strncmp(in->at, "!=", 2) != 0 && take(in, "!")) {
        value = read_signed(in);
        value = isnan(value) ? fail(in) : value == 0;
    } else {
        value = read_operand(in);
        if (take(in, "^")) {
            exponent = read_signed(in);
            value = isnan(value) || isnan(exponent) ? (double)NAN : expect_finite(in, pow(value, exponent));
        }
    }
    in->depth--;
    return value;
}

static double modulo(struct evaluator *in, double a, double b)
{
    if (b == 0) return fail(in);
    double rest = fmod(fabs(a), fabs(b)); /* exact */
    if (a < 0) rest = -rest;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static double apply(struct evaluator *in, const char *sign, double a, double b)
{
    bool none = isnan(a) || isnan(b);
    if (none) return strchr("+-*/%", *sign) ? NAN : fail(in);
    if (strcmp(sign, "||") == 0) return a != 0 || b != 0;
    if (strcmp(sign, "&&") == 0) return a != 0 && b != 0;
    if (strcmp(sign, "==") == 0) return a == b;
    if (strcmp(sign, "!=") == 0) return a != b;
    if (strcmp(sign, "<=") == 0) return a <= b;
    if (strcmp(sign, ">=") == 0) return a >= b;
    if (strcmp(sign, "<") == 0) return a < b;
    if (strcmp(sign, ">") == 0) return a > b;
    if (strcmp(sign, "+") == 0) return expect_finite(in, a + b);
    if (strcmp(sign, "-") == 0) return expect_finite(in, a - b);
    if (strcmp(sign, "*") == 0) return expect_finite(in, a * b);
    if (strcmp(sign, "/") == 0) return b == 0 ? fail(in) : expect_finite(in, a / b);
    return modulo(in, a, b);
}

/* From the weakest operators of level 0 on. */
static double evaluate(struct evaluator *in, int level)
{
    static const char *const signs[][5] = {{"||"},     {"&&"},         {"==", "!="}, {"<=", ">=", "<", ">"},
                                           {"+", "-"}, {"*", "/", "%"}};
    const char *found;
    if (level == sizeof signs / sizeof *signs) return read_signed(in);
    double value = evaluate(in, level + 1);
    do {
        found = NULL;
        for (int i = 0; i < 5 && signs[level][i] && !found; i++)
            if (take(in, signs[level][i])) found = signs[level][i];
        double other = found ? evaluate(in, level + 1) : 0;
        if (found && !in->wrong) value = apply(in, found, value, other);
    } while (found);
    return value;
}

/* --- both --- */

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-14 * fabs(a);
}

static void check_value(const char *text, const struct expression *expression, const struct grid *grid, int32_t rank)
{
    int32_t at[GRID_DIMENSIONS];
    double variables[VARIABLE_FIRST_NAMED] = {rank, grid->ranks}, value = 0;
    grid_coordinates(grid, rank, at);
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        variables[VARIABLE_X + d] = at[d];
        variables[VARIABLE_NX + d] = grid->extents[d];
    }
    struct evaluator own = {.at = text, .variables = variables, .grid = grid};
    double by_hand = evaluate(&own, 0);
    const char *why = expression_value(expression, variables, grid, &value);
    if (own.wrong) fuzz_finding("'%s' is taken, expected to be refused at '%s'", text, own.at);
    if (!why != !own.fails)
        fuzz_finding("'%s' of rank %d is %g, %s; expected %g", text, rank, value, why ? why : "good", by_hand);
    if (!why && !is_same(value, by_hand))
        fuzz_finding("'%s' of rank %d is %.17g, expected %.17g", text, rank, value, by_hand);
    double whole = expression_whole(value);
    if (!why && fabs(value) < 1e15 && (whole != floor(whole) || whole > value + 1 || whole < value - 1))
        fuzz_finding("%.17g becomes %.17g", value, whole);
}

static bool is_limit(const char *error)
{
    return strstr(error, "too long") || strstr(error, "nested deeper");
}

static void check_expression(const char *text, const struct grid *grid)
{
    static struct variables variables;
    struct err err;
    struct scanner scanner = {.file = "input", .line = 1, .at = text, .err = &err};
    struct expression expression = {.operations = NULL};
    double numbers[VARIABLE_FIRST_NAMED] = {0};
    struct evaluator own = {.at = text, .variables = numbers, .grid = grid};
    variables_open(&variables);
    evaluate(&own, 0);
    enum status status = expression_read(&scanner, &variables, &expression);
    fuzz_check_error("expression_read", status, &err);
    if (status != STATUS_OK && !own.wrong && !is_limit(err.text)) fuzz_finding("'%s' is refused: %s", text, err.text);
    if (status != STATUS_OK) return;
    scanner_skip_blanks(&scanner);
    skip_blanks(&own);
    if (scanner.at != own.at) fuzz_finding("'%s' is read up to '%s', expected '%s'", text, scanner.at, own.at);
    for (int32_t rank = 0; rank < grid->ranks; rank++) check_value(text, &expression, grid, rank);
    expression_clear(&expression);
}

static bool read_grid(const char *line, struct grid *grid)
{
    unsigned rule, side, ranks, periodic;
    struct grid made;
    if (sscanf(line, "%u %u %u %u", &rule, &side, &ranks, &periodic) != 4) return false;
    if (ranks < 1 || ranks > RANKS_MAX || side < 1 || side > RANKS_MAX) return false;
    const struct grid_shape shape = {
        (enum grid_rule)(rule % GRID_RULES), (int32_t)side, {periodic & 1, periodic & 2, periodic & 4}};
    bool good = grid_make(&shape, (int32_t)ranks, &made);
    if (good) *grid = made;
    return good;
}

static void run(const uint8_t *data, size_t size)
{
    struct grid grid = {.ranks = 6, .extents = {3, 2, 1}, .periodic = {true, false, false}};
    char line[LINE_BYTES];
    for (size_t at = 0; at < size;) {
        const uint8_t *stop = memchr(data + at, '\n', size - at);
        size_t length = stop ? (size_t)(stop - data) - at : size - at;
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1),
                 (const char *)data + at);
        if (at > 0 || !read_grid(line, &grid)) check_expression(line, &grid);
        at += length + 1;
    }
    int64_t ranks = (int64_t)grid.extents[0] * grid.extents[1] * grid.extents[2];
    if (ranks != grid.ranks) fuzz_finding("a grid of %d ranks has %d places", grid.ranks, (int)ranks);
}

/* --- making --- */

static void write_expression(struct random *random, FILE *out, int depth)
{
    static const char *const leaves[] = {"rank",
                                         "nranks",
                                         "x",
                                         "y",
                                         "z",
                                         "nx",
                                         "ny",
                                         "nz",
                                         "none",
                                         "0",
                                         "1",
                                         "2",
                                         "3",
                                         "7",
                                         "64K",
                                         "1.5us",
                                         "2ms",
                                         "1e300",
                                         "4503599627370497",
                                         "9007199254740993",
                                         "0.1",
                                         ".5",
                                         "1e-320",
                                         "3G"};
    static const char *const signs[] = {"||", "&&", "==", "!=", "<=", ">=", "<", ">",
                                        "+",  "-",  "*",  "/",  "%",  "^",  "^"};
    static const char *const calls[] = {"neighbor(", "exists(", "choose(", "min(",   "max(",   "abs(", "floor(",
                                        "ceil(",     "sqrt(",   "log2(",   "ilog2(", "clog2(", "xor("};
    static const int arguments[] = {1, 1, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 2};
    uint32_t choice = depth > 5 ? 0 : random_below(random, 10), which = random_below(random, 13);
    if (choice < 3) {
        fputs(leaves[random_below(random, sizeof leaves / sizeof *leaves)], out);
    } else if (choice < 4) {
        fputs(random_chance(random, 70) ? "-" : "! ", out);
        write_expression(random, out, depth + 1);
    } else if (choice < 6) {
        int count = which == 0 ? 1 + (int)random_below(random, 3) : arguments[which];
        fputs(calls[which], out);
        for (int i = 0; i < count; i++) {
            if (i > 0) fputs(", ", out);
            write_expression(random, out, depth + 1);
        }
        fputc(')', out);
    } else {
        bool apart = random_chance(random, 40);
        if (apart) fputc('(', out);
        write_expression(random, out, depth + 1);
        fprintf(out, " %s ", signs[random_below(random, sizeof signs / sizeof *signs)]);
        write_expression(random, out, depth + 1);
        if (apart) fputc(')', out);
    }
}

static size_t make(struct random *random, uint8_t *data, size_t room)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    fprintf(out, "%u %u %u %u\n", random_below(random, GRID_RULES), 1 + random_below(random, 4),
            1 + random_below(random, RANKS_MAX), random_below(random, 8));
    for (int i = 0; i < 8; i++) {
        write_expression(random, out, 0);
        fputc('\n', out);
    }
    fclose(out);
    if (size > room) size = room;
    memcpy(data, text, size);
    free(text);
    return size;
}

static size_t mutate(struct random *random, uint8_t *data, size_t size, size_t room)
{
    static const char *const lines[] = {"1 2 6 1",
                                        "4 3 12 7",
                                        "- - - 1 ^ - 2",
                                        "! ! none",
                                        "( ( 1 ) )",
                                        "1 = 2",
                                        "2 | 3",
                                        "0x10",
                                        "neighbor ( 1 , - 1 )",
                                        "choose(exists(neighbor(1)),neighbor(1),rank)",
                                        "1e",
                                        "1e5e",
                                        "inf",
                                        "nan(1)"};
    return mutate_any(random, lines, sizeof lines / sizeof *lines, data, size, room);
}

const struct fuzz_harness harness_expression = {
    .name = "expression",
    .summary = "expressions of program models: values on each rank against an evaluator of our own",
    .run = run,
    .mutate = mutate,
    .make = make,
    .splices = true,
};
