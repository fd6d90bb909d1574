/* A digest of 64 bits (FNV-1a: G. Fowler, L. C. Noll, K.-P. Vo) by which inputs are found to be the same as before. It
 * is no protection against inputs that are made to have an equal one. */
#ifndef PREDICTORS_SWEEP_DIGEST_H
#define PREDICTORS_SWEEP_DIGEST_H

#include <stdint.h>

#include "common/status.h"

#define DIGEST_BEGIN UINT64_C(0xcbf29ce484222325)

/* Texts and numbers are told apart from others behind each other. */
void digest_add_text(uint64_t *digest, const char *text);
void digest_add_number(uint64_t *digest, uint64_t number);
enum status digest_add_file(uint64_t *digest, const char *path, struct err *err);
/* All files below, in the order of their names. */
enum status digest_add_directory(uint64_t *digest, const char *path, struct err *err);
/* A file or a directory. */
enum status digest_add_path(uint64_t *digest, const char *path, struct err *err);

#endif
