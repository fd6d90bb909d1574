#include "export/tar.h"

#include <inttypes.h>
#include <string.h>

enum { BLOCK = 512 };

struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], typeflag, linkname[100];
    char magic[6], version[2], uname[32], gname[32], devmajor[8], devminor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

static unsigned sum_bytes(const struct header *header)
{
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof *header; i++) sum += ((const unsigned char *)header)[i];
    return sum;
}

/* Time and owner are zero: the same trace gives the same bytes. */
void tar_file_begin(FILE *out, const char *name, uint64_t size)
{
    struct header header = {.mode = "0000644", .uid = "0000000", .gid = "0000000", .mtime = "00000000000", .typeflag = '0'};
    memcpy(header.name, name, strlen(name));
    memcpy(header.magic, "ustar", sizeof header.magic);
    memcpy(header.version, "00", sizeof header.version);
    snprintf(header.size, sizeof header.size, "%011" PRIo64, size);
    memset(header.checksum, ' ', sizeof header.checksum); /* as which it counts */
    snprintf(header.checksum, sizeof header.checksum, "%06o", sum_bytes(&header) & 0777777);
    fwrite(&header, sizeof header, 1, out);
}

static void write_zeros(FILE *out, size_t count)
{
    static const char zeros[2 * BLOCK];
    fwrite(zeros, 1, count, out);
}

void tar_file_end(FILE *out, uint64_t size)
{
    write_zeros(out, (size_t)((BLOCK - size % BLOCK) % BLOCK));
}

void tar_end(FILE *out)
{
    write_zeros(out, 2 * BLOCK);
}
