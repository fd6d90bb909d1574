/* Writes a tar archive (POSIX.1-2017, pax, "ustar Interchange Format") sequentially: for each file its name and size,
 * then its bytes. */
#ifndef EXPORT_TAR_H
#define EXPORT_TAR_H

#include <stdint.h>
#include <stdio.h>

#define TAR_FILE_MAX ((UINT64_C(1) << 33) - 1) /* bytes of a file */

/* Between the two calls the caller writes size bytes, up to TAR_FILE_MAX. name has less than 100 bytes. */
void tar_file_begin(FILE *out, const char *name, uint64_t size);
void tar_file_end(FILE *out, uint64_t size);
/* Ends the archive, after the last file. */
void tar_end(FILE *out);

#endif
