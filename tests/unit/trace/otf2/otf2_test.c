#include "otf2_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

/* The tests' own tools are the shell's: nothing here shares code with what is tested. */
static void run(const char *format, const char *one, const char *two)
{
    char command[1024];
    snprintf(command, sizeof command, format, one, two);
    assert_int_equal(system(command), 0);
}

void temp_dir_make(char path[TEMP_DIR_BYTES])
{
    snprintf(path, TEMP_DIR_BYTES, "/tmp/rmacast-test-XXXXXX");
    assert_non_null(mkdtemp(path));
}

void temp_dir_remove(const char *path)
{
    run("rm -rf '%s'%s", path, "");
}

const char *file_in(const char *directory, const char *name)
{
    static char buffers[4][512];
    static int next;
    char *buffer = buffers[next++ % 4];
    snprintf(buffer, sizeof buffers[0], "%s/%s", directory, name);
    return buffer;
}

unsigned char *bytes_of(const char *path, size_t *bytes)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(in);
    rewind(in);
    unsigned char *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, in), *bytes);
    fclose(in);
    return data;
}

void write_bytes(const char *path, const void *data, size_t bytes)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
}

void copy_tree(const char *from, const char *to)
{
    run("cp -r '%s' '%s'", from, to);
}

char *otf2_print(const char *directory, const char *options)
{
    char command[1024], *text = NULL;
    size_t bytes;
    snprintf(command, sizeof command, "otf2-print %s '%s/traces.otf2' 2>&1", options, directory);
    FILE *in = popen(command, "r"), *out = open_memstream(&text, &bytes);
    assert_non_null(in);
    assert_non_null(out);
    for (int byte; (byte = getc(in)) != EOF;) putc(byte, out);
    fclose(out);
    int status = pclose(in);
    if (status != 0 || strcasestr(text, "error") || strcasestr(text, "warning"))
        fail_msg("otf2-print %s: %d: %s", options, status, text);
    return text;
}
