/* Makes a failing program small: leaves out and simplifies whatever it can while the same property still fails. */
#ifndef TESTS_PROPERTY_SHRINK_H
#define TESTS_PROPERTY_SHRINK_H

#include "tests/property/property.h"

/* verdict is the program's and becomes that of the small one. *tries counts the programs that were tried. */
enum status shrink(const struct property *property, const struct trial *trial, struct program *program,
                   struct verdict *verdict, uint32_t *tries, struct err *err);

#endif
