#include "predictors/sweep/digest.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/files/input_file.h"

static void add_bytes(uint64_t *digest, const unsigned char *bytes, size_t count)
{
    uint64_t value = *digest;
    for (size_t i = 0; i < count; i++) value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    *digest = value;
}

void digest_add_number(uint64_t *digest, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i);
    add_bytes(digest, bytes, sizeof bytes);
}

void digest_add_text(uint64_t *digest, const char *text)
{
    size_t length = strlen(text);
    digest_add_number(digest, length);
    add_bytes(digest, (const unsigned char *)text, length);
}

enum status digest_add_file(uint64_t *digest, const char *path, struct err *err)
{
    static unsigned char buffer[1 << 16];
    struct input_file in;
    TRY(input_file_open(path, &in, err));
    uint64_t all = 0;
    for (size_t n; (n = input_file_read(&in, buffer, sizeof buffer)) > 0; all += n) add_bytes(digest, buffer, n);
    digest_add_number(digest, all);
    return input_file_close(&in, STATUS_OK, err);
}

enum status digest_add_directory(uint64_t *digest, const char *path, struct err *err)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    enum status status = STATUS_OK;
    for (int i = 0; i < count; i++) {
        char *below;
        if (status == STATUS_OK && entries[i]->d_name[0] != '.') {
            if (asprintf(&below, "%s/%s", path, entries[i]->d_name) < 0)
                status = err_memory(err);
            else {
                digest_add_text(digest, entries[i]->d_name);
                status = digest_add_path(digest, below, err);
                free(below);
            }
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    return status;
}

enum status digest_add_path(uint64_t *digest, const char *path, struct err *err)
{
    struct stat about;
    if (stat(path, &about) != 0) return err_set(err, STATUS_DATA, path, NULL, "cannot be opened: %s", strerror(errno));
    if (S_ISDIR(about.st_mode)) return digest_add_directory(digest, path, err);
    return S_ISREG(about.st_mode) ? digest_add_file(digest, path, err) : STATUS_OK;
}
