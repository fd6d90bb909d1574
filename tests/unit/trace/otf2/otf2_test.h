/* Shared by the tests of OTF2 archives: directories to write in, files to damage, otf2-print as the independent
 * reader. */
#ifndef TESTS_OTF2_TEST_H
#define TESTS_OTF2_TEST_H

#include <stddef.h>

/* A new directory that temp_dir_remove takes away with all it holds. */
enum { TEMP_DIR_BYTES = 64 };
void temp_dir_make(char path[TEMP_DIR_BYTES]);
void temp_dir_remove(const char *path);

/* Path of a file in an archive directory, in a buffer that the next call but three overwrites. */
const char *file_in(const char *directory, const char *name);

/* A file's bytes, which the caller frees; and a file of these bytes. */
unsigned char *bytes_of(const char *path, size_t *bytes);
void write_bytes(const char *path, const void *data, size_t bytes);
void copy_tree(const char *from, const char *to);

/* What otf2-print says of an archive directory, which the caller frees; it must exit 0 and name no error and no
 * warning. */
char *otf2_print(const char *directory, const char *options);

#endif
