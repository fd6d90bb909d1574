/* Random programs and their traces without what the reference model does not know. */
#ifndef TESTS_REFERENCE_NARROW_H
#define TESTS_REFERENCE_NARROW_H

#include "tests/property/program.h"

/* Without communicators made on the way; messages are found by receives only, collectives are those that the model
 * knows. */
void narrow_program(struct program *program);

/* Without the calls that make the program's communicators. The caller owns *narrowed. */
enum status narrow_trace(const struct trace *trace, struct trace **narrowed, struct err *err);

#endif
