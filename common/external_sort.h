/* Sorts records of one size, of which there may be more than memory holds (common/files/temp_file.h). */
#ifndef COMMON_EXTERNAL_SORT_H
#define COMMON_EXTERNAL_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "common/files/temp_file.h"

struct external_sort;

/* As of qsort(): which of two records comes first. Equal ones come in any order. */
typedef int external_sort_compare(const void *one, const void *other);

/* Borrows temp until external_sort_free, where NULL is legal. Opens it when it is needed, if its descriptor is -1. */
enum status external_sort_new(struct temp_file *temp, size_t record_bytes, external_sort_compare *compare,
                              struct external_sort **sorter, struct err *err);
void external_sort_free(struct external_sort *sorter);

enum status external_sort_add(struct external_sort *sorter, const void *record, struct err *err);

/* All records are added: sorts them. */
enum status external_sort_turn(struct external_sort *sorter, struct err *err);
/* Copies the next record; *any false: there is none left. */
enum status external_sort_next(struct external_sort *sorter, void *record, bool *any, struct err *err);

#endif
