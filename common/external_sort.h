/* Records of one size, more of which may be added than memory holds (common/temp_file.h), given again in order. */
#ifndef COMMON_EXTERNAL_SORT_H
#define COMMON_EXTERNAL_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/temp_file.h"

struct runs;

/* As of qsort(): which of two records comes first. Equal ones come in any order. */
typedef int runs_compare(const void *one, const void *other);

/* Borrows scratch until runs_free. NULL is legal there. */
enum status runs_new(struct scratch *scratch, size_t record_bytes, runs_compare *compare, struct runs **runs,
                     struct err *err);
void runs_free(struct runs *runs);

enum status runs_add(struct runs *runs, const void *record, struct err *err);

/* No record is added any more. */
enum status runs_turn(struct runs *runs, struct err *err);
/* Copies the next record; *any false: there is none left. */
enum status runs_next(struct runs *runs, void *record, bool *any, struct err *err);

#endif
