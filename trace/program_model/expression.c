#include "trace/program_model/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum {
    OPERATIONS_MAX = 1024,
    STACK_MAX = 64,
    DEPTH_MAX = 64, /* of parentheses and signs */
};

enum operator{
    PUSH_NUMBER, PUSH_VARIABLE,
    NEGATE, NOT, ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, POWER,
    LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, UNEQUAL, AND, OR,
    NEIGHBOR, EXISTS, MINIMUM, MAXIMUM, ABSOLUTE, FLOOR, CEIL, SQRT, LOG2, WHOLE_LOG2, CEIL_LOG2, XOR, CHOOSE
};

struct operation {
    enum operator does;
    int takes; /* operands */
    uint32_t variable;
    double number;
};

static const struct function {
    const char *name;
    enum operator does;
    int least, most; /* numbers of arguments; missing ones are 0 */
} functions[] = {
    {"neighbor", NEIGHBOR, 1, 3}, {"exists", EXISTS, 1, 1},   {"min", MINIMUM, 2, 2},      {"max", MAXIMUM, 2, 2},
    {"abs", ABSOLUTE, 1, 1},      {"floor", FLOOR, 1, 1},     {"ceil", CEIL, 1, 1},        {"sqrt", SQRT, 1, 1},
    {"log2", LOG2, 1, 1},         {"ilog2", WHOLE_LOG2, 1, 1}, {"clog2", CEIL_LOG2, 1, 1}, {"xor", XOR, 2, 2},
    {"choose", CHOOSE, 3, 3},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const struct binary {
    const char *sign;
    enum operator does;
    int level;
} binaries[] = {
    {"||", OR, 0},         {"&&", AND, 1},           {"==", EQUAL, 2},   {"!=", UNEQUAL, 2},
    {"<=", LESS_EQUAL, 3}, {">=", GREATER_EQUAL, 3}, {"<", LESS, 3},     {">", GREATER, 3},
    {"+", ADD, 4},         {"-", SUBTRACT, 4},       {"*", MULTIPLY, 5}, {"/", DIVIDE, 5},
    {"%", MODULO, 5},
};
enum { BINARIES = sizeof binaries / sizeof *binaries, LEVELS = 6 };

static const struct unit {
    const char *name;
    double factor;
} units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"K", 1024}, {"M", 1048576}, {"G", 1073741824}};
enum { UNITS = sizeof units / sizeof *units };

/* --- names --- */

void scanner_skip_blanks(struct scanner *scanner)
{
    while (*scanner->at == ' ' || *scanner->at == '\t' || *scanner->at == '\r' || *scanner->at == '\n') scanner->at++;
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool continues_name(char c)
{
    return begins_name(c) || (c >= '0' && c <= '9');
}

enum status scanner_name(struct scanner *scanner, const char *what, char name[SCANNER_NAME_BYTES])
{
    size_t length = 0;
    scanner_skip_blanks(scanner);
    if (begins_name(*scanner->at))
        while (continues_name(scanner->at[length])) length++;
    if (length == 0) SCANNER_FAIL(scanner, "'%.20s', expected %s", scanner->at, what);
    if (length >= SCANNER_NAME_BYTES)
        SCANNER_FAIL(scanner, "'%.20s...' has %zu letters, expected fewer than %d", scanner->at, length, SCANNER_NAME_BYTES);
    memcpy(name, scanner->at, length);
    name[length] = '\0';
    scanner->at += length;
    return STATUS_OK;
}

void variables_open(struct variables *variables)
{
    static const char *const known[VARIABLE_FIRST_NAMED] = {"rank", "nranks", "x", "y", "z", "nx", "ny", "nz"};
    variables->count = VARIABLE_FIRST_NAMED;
    for (int i = 0; i < VARIABLE_FIRST_NAMED; i++) strcpy(variables->names[i], known[i]);
}

static bool find_variable(const struct variables *variables, const char *name, uint32_t *number)
{
    for (uint32_t i = variables->count; i-- > 0;) {
        if (strcmp(variables->names[i], name) != 0) continue;
        *number = i;
        return true;
    }
    return false;
}

static const struct function *find_function(const char *name)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}

enum status variables_add(struct variables *variables, const struct scanner *scanner, const char *name, uint32_t *number)
{
    if (find_variable(variables, name, number) || find_function(name) || strcmp(name, "none") == 0)
        SCANNER_FAIL(scanner, "'%s' has a meaning already, expected another name", name);
    uint32_t free_place = VARIABLE_FIRST_NAMED;
    while (free_place < variables->count && variables->names[free_place][0] != '\0') free_place++;
    if (free_place == VARIABLES_MAX) SCANNER_FAIL(scanner, "more than %d names, expected fewer", VARIABLES_MAX);
    strcpy(variables->names[free_place], name);
    if (free_place == variables->count) variables->count++;
    *number = free_place;
    return STATUS_OK;
}

/* --- reading --- */

struct maker {
    struct scanner *scanner;
    const struct variables *variables;
    struct operation *made; /* room for OPERATIONS_MAX */
    uint32_t count;
    int stack, depth;
};

static int operand_count(enum operator does)
{
    if (does == PUSH_NUMBER || does == PUSH_VARIABLE) return 0;
    if (does == NEIGHBOR || does == CHOOSE) return 3;
    if (does == NEGATE || does == NOT || does == EXISTS || (does >= ABSOLUTE && does <= CEIL_LOG2)) return 1;
    return 2;
}

static enum status add_operation(struct maker *maker, enum operator does, double number, uint32_t variable)
{
    maker->stack += 1 - operand_count(does);
    if (maker->count == OPERATIONS_MAX || maker->stack > STACK_MAX)
        SCANNER_FAIL(maker->scanner, "the expression is too long, expected up to %d operations", OPERATIONS_MAX);
    maker->made[maker->count++] = (struct operation){does, operand_count(does), variable, number};
    return STATUS_OK;
}

static enum status read_level(struct maker *maker, int level);

static bool take_sign(struct scanner *scanner, const char *sign)
{
    scanner_skip_blanks(scanner);
    size_t length = strlen(sign);
    if (strncmp(scanner->at, sign, length) != 0) return false;
    scanner->at += length;
    return true;
}

static enum status read_number(struct maker *maker)
{
    struct scanner *scanner = maker->scanner;
    char *end;
    const char *begin = scanner->at;
    double value = strtod(begin, &end), factor = 1;
    bool decimal = strspn(begin, "0123456789.eE+-") >= (size_t)(end - begin);
    scanner->at = end;
    size_t length = 0;
    while (continues_name(end[length])) length++;
    for (int i = 0; length > 0 && i < UNITS; i++)
        if (strlen(units[i].name) == length && strncmp(units[i].name, end, length) == 0) {
            factor = units[i].factor;
            scanner->at += length;
            length = 0;
        }
    if (length > 0) SCANNER_FAIL(scanner, "'%.20s' behind a number, expected ns, us, ms, s, K, M or G", end);
    if (end == begin || !decimal || !isfinite(value * factor)) SCANNER_FAIL(scanner, "'%.20s', expected a number", begin);
    return add_operation(maker, PUSH_NUMBER, value * factor, 0);
}

static enum status read_arguments(struct maker *maker, const struct function *function)
{
    int count = 0;
    do {
        TRY(read_level(maker, 0));
        count++;
    } while (count <= function->most && take_sign(maker->scanner, ","));
    if (count < function->least || count > function->most || !take_sign(maker->scanner, ")"))
        SCANNER_FAIL(maker->scanner, "%s takes %d to %d arguments in parentheses", function->name, function->least,
                     function->most);
    for (; count < function->most; count++) TRY(add_operation(maker, PUSH_NUMBER, 0, 0));
    return add_operation(maker, function->does, 0, 0);
}

static enum status read_named(struct maker *maker)
{
    char name[SCANNER_NAME_BYTES];
    uint32_t variable;
    TRY(scanner_name(maker->scanner, "a number, a name or '('", name));
    const struct function *function = find_function(name);
    if (function) {
        if (!take_sign(maker->scanner, "(")) SCANNER_FAIL(maker->scanner, "%s is a function, expected '(' behind it", name);
        return read_arguments(maker, function);
    }
    if (strcmp(name, "none") == 0) return add_operation(maker, PUSH_NUMBER, NAN, 0);
    if (!find_variable(maker->variables, name, &variable))
        SCANNER_FAIL(
            maker->scanner,
            "'%s' is no variable, expected rank, nranks, x, y, z, nx, ny, nz, none, a parameter or a loop's name",
            name);
    return add_operation(maker, PUSH_VARIABLE, 0, variable);
}

static enum status read_operand(struct maker *maker)
{
    struct scanner *scanner = maker->scanner;
    scanner_skip_blanks(scanner);
    if (isdigit((unsigned char)*scanner->at) || *scanner->at == '.') return read_number(maker);
    if (!take_sign(scanner, "(")) return read_named(maker);
    TRY(read_level(maker, 0));
    if (!take_sign(scanner, ")")) SCANNER_FAIL(scanner, "'%.20s', expected ')'", scanner->at);
    return STATUS_OK;
}

/* Signs bind less than powers, and powers bind to the right: -2^-2 is -(2^(-2)). */
static enum status read_signed(struct maker *maker)
{
    if (++maker->depth > DEPTH_MAX) SCANNER_FAIL(maker->scanner, "the expression is nested deeper than %d", DEPTH_MAX);
    bool minus = take_sign(maker->scanner, "-");
    bool not = !minus && strncmp(maker->scanner->at, "!=", 2) != 0 && take_sign(maker->scanner, "!");
    bool plus = !minus && !not && take_sign(maker->scanner, "+");
    if (minus || not || plus) {
        TRY(read_signed(maker));
        if (!plus) TRY(add_operation(maker, minus ? NEGATE : NOT, 0, 0));
    } else {
        TRY(read_operand(maker));
        if (take_sign(maker->scanner, "^")) {
            TRY(read_signed(maker));
            TRY(add_operation(maker, POWER, 0, 0));
        }
    }
    maker->depth--;
    return STATUS_OK;
}

static const struct binary *take_binary(struct scanner *scanner, int level)
{
    scanner_skip_blanks(scanner);
    for (int i = 0; i < BINARIES; i++) {
        if (strncmp(scanner->at, binaries[i].sign, strlen(binaries[i].sign)) != 0) continue;
        if (binaries[i].level != level) return NULL;
        scanner->at += strlen(binaries[i].sign);
        return &binaries[i];
    }
    return NULL;
}

static enum status read_level(struct maker *maker, int level)
{
    if (level == LEVELS) return read_signed(maker);
    TRY(read_level(maker, level + 1));
    for (const struct binary *found; (found = take_binary(maker->scanner, level));) {
        TRY(read_level(maker, level + 1));
        TRY(add_operation(maker, found->does, 0, 0));
    }
    return STATUS_OK;
}

enum status expression_read(struct scanner *scanner, const struct variables *variables, struct expression *made)
{
    struct operation operations[OPERATIONS_MAX];
    struct maker maker = {.scanner = scanner, .variables = variables, .made = operations};
    TRY(read_level(&maker, 0));
    made->operations = malloc(maker.count * sizeof *operations);
    if (!made->operations) return err_memory(scanner->err);
    memcpy(made->operations, operations, maker.count * sizeof *operations);
    made->count = maker.count;
    return STATUS_OK;
}

void expression_clear(struct expression *expression)
{
    free(expression->operations);
    *expression = (struct expression){.count = 0};
}

/* --- values --- */

static bool is_whole(double value, double least, double most)
{
    return value >= least && value <= most && value == floor(value);
}

static const char *neighbor_value(double *at, const double *variables, const struct grid *grid)
{
    struct grid_offset offset;
    int32_t place[GRID_DIMENSIONS];
    if (isnan(variables[VARIABLE_RANK])) return "neighbor() depends on the rank";
    for (int d = 0; d < GRID_DIMENSIONS; d++) {
        place[d] = (int32_t)variables[VARIABLE_X + d];
        if (!is_whole(at[d], -INT32_MAX, INT32_MAX)) return "the steps of neighbor() are no whole numbers";
        offset.of[d] = (int32_t)at[d];
    }
    int32_t found = grid_neighbor_of_place(grid, place, &offset);
    at[0] = found < 0 ? (double)NAN : found;
    return NULL;
}

static const char *log2_value(enum operator does, double *a)
{
    if (!(*a > 0)) return "the logarithm of a number that is not above 0";
    int exponent;
    bool power = frexp(*a, &exponent) == 0.5;
    if (does == WHOLE_LOG2 && !power) return "ilog2() of a number that is no power of two";
    *a = does == LOG2 ? log2(*a) : power ? exponent - 1 : exponent; /* ceil(log2()) is too low just above a power */
    return NULL;
}

static const char *one_value(enum operator does, double *a)
{
    switch (does) {
    case NEGATE: *a = -*a; return NULL;
    case ABSOLUTE: *a = fabs(*a); return NULL;
    case FLOOR: *a = floor(*a); return NULL;
    case CEIL: *a = ceil(*a); return NULL;
    case NOT: *a = *a == 0; return NULL;
    case SQRT:
        if (*a < 0) return "the root of a negative number";
        *a = sqrt(*a);
        return NULL;
    default: return log2_value(does, a);
    }
}

static const char *two_values(enum operator does, double *a, double b)
{
    static const double most = 9007199254740992; /* 2^53 */
    switch (does) {
    case ADD: *a += b; return NULL;
    case SUBTRACT: *a -= b; return NULL;
    case MULTIPLY: *a *= b; return NULL;
    case POWER: *a = pow(*a, b); return NULL;
    case LESS: *a = *a < b; return NULL;
    case LESS_EQUAL: *a = *a <= b; return NULL;
    case GREATER: *a = *a > b; return NULL;
    case GREATER_EQUAL: *a = *a >= b; return NULL;
    case EQUAL: *a = *a == b; return NULL;
    case UNEQUAL: *a = *a != b; return NULL;
    case AND: *a = *a != 0 && b != 0; return NULL;
    case OR: *a = *a != 0 || b != 0; return NULL;
    case MINIMUM: *a = *a < b ? *a : b; return NULL;
    case MAXIMUM: *a = *a > b ? *a : b; return NULL;
    case XOR:
        if (!is_whole(*a, 0, most) || !is_whole(b, 0, most)) return "xor() of what is no whole number, 0 or more";
        *a = (double)((uint64_t)*a ^ (uint64_t)b);
        return NULL;
    default: break;
    }
    if (b == 0) return "division by 0";
    if (does == DIVIDE) *a /= b;
    else {
        *a = fmod(*a, b);
        if (*a != 0 && (*a < 0) != (b < 0)) *a += b; /* the sign of the divisor */
    }
    return NULL;
}

/* Applies an operator; a result computed from none is none. */
static const char *apply_operator(enum operator does, double *at, const double *variables, const struct grid *grid)
{
    if (does == EXISTS) {
        at[0] = !isnan(at[0]);
        return NULL;
    }
    int count = operand_count(does);
    for (int i = 0; i < (does == CHOOSE ? 1 : count); i++) {
        if (!isnan(at[i])) continue;
        if (does == NOT || does == CHOOSE || (does >= LESS && does <= OR)) return "none is compared, expected exists()";
        at[0] = NAN;
        return NULL;
    }
    if (does == NEIGHBOR) return neighbor_value(at, variables, grid);
    if (does == CHOOSE) {
        at[0] = at[0] != 0 ? at[1] : at[2];
        return NULL;
    }
    const char *why = count == 1 ? one_value(does, &at[0]) : two_values(does, &at[0], at[1]);
    return why ? why : isfinite(at[0]) ? NULL : "a value that is no number";
}

const char *expression_value(const struct expression *expression, const double *variables, const struct grid *grid,
                             double *value)
{
    double stack[STACK_MAX + 1];
    int top = 0; /* the next free place */
    for (uint32_t i = 0; i < expression->count; i++) {
        const struct operation *operation = &expression->operations[i];
        top -= operation->takes;
        if (operation->does == PUSH_NUMBER) stack[top] = operation->number;
        else if (operation->does == PUSH_VARIABLE) stack[top] = variables[operation->variable];
        else {
            const char *why = apply_operator(operation->does, &stack[top], variables, grid);
            if (why) return why;
        }
        top++;
    }
    *value = stack[0];
    return NULL;
}

bool expression_uses(const struct expression *expression, uint32_t variable)
{
    for (uint32_t i = 0; i < expression->count; i++)
        if (expression->operations[i].does == PUSH_VARIABLE && expression->operations[i].variable == variable) return true;
    return false;
}

double expression_whole(double value)
{
    double near = nearbyint(value);
    return fabs(value - near) <= fabs(value) * 1e-15 ? near : floor(value);
}
