/* A digest of 64 bits (FNV-1a: G. Fowler, L. C. Noll, K.-P. Vo) shows whether inputs have changed. It does not protect
 * against inputs that are made to have the same digest. */
#ifndef PREDICTORS_SWEEP_DIGEST_H
#define PREDICTORS_SWEEP_DIGEST_H

#include <stdint.h>

#include "common/status.h"

#define DIGEST_BEGIN UINT64_C(0xcbf29ce484222325)

/* Two consecutive texts or numbers give another digest than one that contains both. */
void digest_add_text(uint64_t *digest, const char *text);
void digest_add_number(uint64_t *digest, uint64_t number);
enum status digest_add_file(uint64_t *digest, const char *path, struct err *err);
/* All files below, in the order of their names. */
enum status digest_add_directory(uint64_t *digest, const char *path, struct err *err);
/* A file or a directory. */
enum status digest_add_path(uint64_t *digest, const char *path, struct err *err);

#endif
