/* Archives byte by byte, as POSIX.1-2017 (pax, "ustar Interchange Format") has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/tar.h"

enum { BLOCK = 512 };

/* A file is its header, its bytes and zeros up to a whole number of blocks; two blocks of zeros end the archive. */
static void files_fill_blocks(void **state)
{
    static const struct {
        size_t bytes, blocks;
    } rows[] = {{0, 0}, {1, 1}, {511, 1}, {512, 1}, {513, 2}, {1024, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        tar_file_begin(out, "a", rows[i].bytes);
        for (size_t k = 0; k < rows[i].bytes; k++) fputc('x', out);
        tar_file_end(out, rows[i].bytes);
        assert_int_equal(fflush(out), 0);
        assert_int_equal(size, (1 + rows[i].blocks) * BLOCK);
        tar_end(out);
        fclose(out);
        assert_int_equal(size, (3 + rows[i].blocks) * BLOCK);
        for (size_t k = BLOCK; k < size; k++) assert_int_equal(text[k], k - BLOCK < rows[i].bytes ? 'x' : 0);
        free(text);
    }
}

/* Of a name of 99 letters a, the most, and the largest file. The sum counts the eight bytes of the checksum as blanks:
 * 99 * 97 of the name, 7 digits of 48 and 6 + 4 + 4 in the mode, 7 and 7 digits of owner and group, 11 sevens in the
 * size, 11 zeros of time, the type 0, "ustar" of 117 + 115 + 116 + 97 + 114 and "00". 9603 + 350 + 336 + 336 + 605 +
 * 528 + 48 + 559 + 96 + 256 is 12717, octal 30655. */
static void a_header_says_its_sum(void **state)
{
    char name[100], *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    memset(name, 'a', 99);
    name[99] = '\0';
    tar_file_begin(out, name, TAR_FILE_MAX);
    fclose(out);
    assert_int_equal(size, BLOCK);
    assert_string_equal(text, name);
    assert_string_equal(text + 100, "0000644");
    assert_string_equal(text + 124, "77777777777");
    assert_string_equal(text + 148, "030655");
    assert_int_equal(text[156], '0');
    assert_memory_equal(text + 257, "ustar\00000", 8);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_fill_blocks),
        cmocka_unit_test(a_header_says_its_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
