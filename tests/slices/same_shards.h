/* Whether a trace gives the same result in several shards (model/shards/shards.h), each in a thread of its own, as in
 * one. */
#ifndef TESTS_SLICES_SAME_SHARDS_H
#define TESTS_SLICES_SAME_SHARDS_H

#include "tests/slices/same_result.h"

/* Compares with the whole trace for many numbers of shards and sizes of slices. A trace at fault must be so in shards,
 * too; the fault that is named may be another one. */
enum status same_in_shards(const struct trace *trace, bool *same, char what[SAME_RESULT_BYTES], struct err *err);

/* Whether no shard of three ever holds an eighth of a long trace: final calls are released, copies too. */
enum status shards_hold_little(const struct trace *trace, bool *little, char what[SAME_RESULT_BYTES], struct err *err);

#endif
