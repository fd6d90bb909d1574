/* What a configuration of a sweep says, and which are refused: values and words by docs/sweep.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "predictors/sweep/config.h"

static char directory[] = "/tmp/rmacast-test-sweep-config-XXXXXX", file[80];

static void write_file(const char *name, const char *text)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static int make_inputs(void **state)
{
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(file, sizeof file, "%s/sweep.json", directory);
    write_file("one.txt", "rmacast-trace 1\nranks 1\n0 0 0 MPI_Barrier comm=0\n");
    write_file("two.txt", "rmacast-trace 1\nranks 2\n0 0 0 MPI_Barrier comm=0\n1 0 0 MPI_Barrier comm=0\n");
    return 0;
}

static int remove_inputs(void **state)
{
    char command[96];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    return system(command);
}

/* An axis is "VALUE,VALUE", each with the texts that it stands for in parentheses; axes are joined by "|". */
static void write_axes(const struct sweep_config *config, char *text, size_t room)
{
    size_t length = 0;
    for (int axis = 0; axis < SWEEP_AXES; axis++)
        for (size_t i = 0; i < config->axes[axis].count; i++) {
            const struct sweep_value *value = &config->axes[axis].items[i];
            length += (size_t)snprintf(text + length, room - length, "%s%s", i > 0 ? "," : axis > 0 ? "|" : "", value->name);
            for (size_t t = 0; t < value->count; t++)
                length += (size_t)snprintf(text + length, room - length, "(%s)", value->texts[t]);
        }
}

#define ONE "\"traces\": [\"one.txt\"], \"platforms\": [\"ideal\"]"

static void axes_have_the_values_of_the_file(void **state)
{
    static const struct {
        const char *text, *axes;
    } rows[] = {
        {"{" ONE "}", "recorded|ideal|platform|none|a,b,c,d"},
        {"{" ONE ", \"semantics\": [\"c\", \"a\"]}", "recorded|ideal|platform|none|c,a"},
        {"{" ONE ", \"transforms\": [\"post-early+put=rput\", \"none\", \"wait-late\"]}",
         "recorded|ideal|platform|post-early+put=rput(post-early)(put=rput),none,wait-late(wait-late)|a,b,c,d"},
        /* a mapping has its own text for a name, unless it has one; a comment is none of it */
        {"{" ONE ", \"mappings\": [\"platform\", {\"ranks\": [0, 1]}, "
         "{\"ranks_per_node\": 2, \"name\": \"pairs\", \"comment\": 1}]}",
         "recorded|ideal|platform,{\"ranks\":[0,1]}(mapping.ranks=[0,1]),pairs(mapping.ranks_per_node=2)|none|a,b,c,d"},
        /* several traces: at these ranks */
        {"{\"traces\": [\"one.txt\", \"two.txt\"], \"ranks\": [4, 1], \"platforms\": [\"ideal\"], \"semantics\": [\"a\"]}",
         "4,1|ideal|platform|none|a"},
        /* a platform has its file's name unless it has one; texts are as they are, other values are JSON */
        {"{\"traces\": [\"one.txt\"], \"semantics\": [\"a\"], \"platforms\": [{\"file\": \"ideal\"}, {\"file\": \"ideal\", "
         "\"name\": \"slow\", \"set\": {\"network.latency_s\": \"1s\", \"mapping.ranks_per_node\": 1}}]}",
         "recorded|ideal,slow(network.latency_s=1s)(mapping.ranks_per_node=1)|platform|none|a"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sweep_config config;
        struct err err;
        char found[500] = "";
        write_file("sweep.json", rows[i].text);
        if (sweep_config_read(file, &config, &err) != STATUS_OK) fail_msg("%s: %s", rows[i].text, err.text);
        write_axes(&config, found, sizeof found);
        assert_string_equal(found, rows[i].axes);
        assert_int_equal(config.axes[SWEEP_RANKS].items[0].ranks, atoi(found)); /* 0: as recorded */
        sweep_config_clear(&config);
        assert_int_equal(config.trace_count, 0);
    }
}

static void single_settings(void **state)
{
    static const struct {
        const char *more, *engine;
        uint64_t seed;
        bool keep_going, grow;
    } rows[] = {
        {"", "simgrid", 1, false, false},
        {", \"engine\": \"loggp\", \"seed\": 0, \"keep_going\": false", "loggp", 0, false, false},
        {", \"seed\": 2147483647, \"keep_going\": true", "simgrid", 2147483647, true, false},
        {", \"grow\": true, \"schema\": \"rmacast.sweep-config/1\"", "simgrid", 1, false, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sweep_config config;
        struct err err;
        char text[300];
        snprintf(text, sizeof text, "{" ONE "%s}", rows[i].more);
        write_file("sweep.json", text);
        if (sweep_config_read(file, &config, &err) != STATUS_OK) fail_msg("%s: %s", text, err.text);
        assert_string_equal(config.engine->name, rows[i].engine);
        assert_int_equal(config.seed, rows[i].seed);
        assert_int_equal(config.keep_going, rows[i].keep_going);
        assert_int_equal(config.grow, rows[i].grow);
        assert_false(config.model);
        assert_string_equal(config.file, file);
        sweep_config_clear(&config);
    }
}

/* A file is the configuration's neighbour, else one of the working directory (the sources'); a path from / is itself. */
static void files_are_looked_for_in_both_directories(void **state)
{
    static const char *const names[] = {"LAYERS", "./one.txt", "one.txt", "%s/one.txt"};
    char expected[4][100], text[600];
    struct sweep_config config;
    struct err err;
    (void)state;
    snprintf(expected[0], sizeof *expected, "LAYERS");
    snprintf(expected[1], sizeof *expected, "%s/./one.txt", directory);
    snprintf(expected[2], sizeof *expected, "%s/one.txt", directory);
    snprintf(expected[3], sizeof *expected, "%s/one.txt", directory);
    snprintf(text, sizeof text, "{\"traces\": [\"%s\", \"%s\", \"%s\", \"%s\"], \"ranks\": [1], \"platforms\": [\"ideal\"]}",
             names[0], names[1], names[2], expected[3]);
    write_file("sweep.json", text);
    if (sweep_config_read(file, &config, &err) != STATUS_OK) fail_msg("%s", err.text);
    assert_int_equal(config.trace_count, 4);
    for (int i = 0; i < 4; i++) assert_string_equal(config.traces[i], expected[i]);
    sweep_config_clear(&config);
}

static void wrong_configurations_are_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"{\"platforms\": [\"ideal\"]}", "traces: "},
        {"{\"traces\": [\"one.txt\"]}", "platforms: "},
        {"{" ONE ", \"seed\": -1}", "seed: "},
        {"{" ONE ", \"seed\": 2147483648}", "seed: "},
        {"{" ONE ", \"semantics\": []}", "semantics: is empty, expected one value at least"},
        {"{" ONE ", \"semantics\": [\"a\", \"b\", \"a\"]}", "semantics[2]: 'a' stands twice"},
        {"{" ONE ", \"mappings\": [\"block\"]}", "mappings[0]: 'block', expected platform or an object"},
        {"{" ONE ", \"transforms\": [\"none+post-early\"]}", "transforms[0]: unknown rewrite 'none'"},
        {"{" ONE ", \"ranks\": [1]}", "ranks: one trace is replayed at its own number of ranks"},
        {"{\"traces\": [\"one.txt\", \"two.txt\"], \"platforms\": [\"ideal\"]}", "ranks: "},
        {"{\"traces\": [\"one.txt\", \"two.txt\"], \"platforms\": [\"ideal\"], \"ranks\": [0]}", "ranks[0]: "},
        {"{\"traces\": [\"one.txt\", \"two.txt\"], \"platforms\": [\"ideal\"], \"ranks\": [1048577]}", "ranks[0]: "},
        {"{\"traces\": [\"one.txt\", \"none.txt\"], \"platforms\": [\"ideal\"], \"ranks\": [1]}",
         "traces[1]: no such file 'none.txt', expected a trace"},
        {"{\"traces\": [\"one.txt\"], \"platforms\": [{\"name\": \"x\"}]}", "platforms[0].file: "},
        {"{\"traces\": [\"one.txt\"], \"platforms\": [{\"file\": \"ideal\", \"sets\": {}}]}", "platforms[0].sets: unknown key"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sweep_config config;
        struct err err;
        write_file("sweep.json", rows[i].text);
        assert_int_equal(sweep_config_read(file, &config, &err), STATUS_DATA);
        if (!strstr(err.text, rows[i].words)) fail_msg("\"%s\" does not hold \"%s\"", err.text, rows[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_have_the_values_of_the_file),
        cmocka_unit_test(single_settings),
        cmocka_unit_test(files_are_looked_for_in_both_directories),
        cmocka_unit_test(wrong_configurations_are_refused),
    };
    return cmocka_run_group_tests(tests, make_inputs, remove_inputs);
}
