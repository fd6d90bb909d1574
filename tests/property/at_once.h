/* Engines without what the loggp engine does to be fast, which changes nothing: one tells of every message at its
 * moment. */
#ifndef TESTS_PROPERTY_AT_ONCE_H
#define TESTS_PROPERTY_AT_ONCE_H

#include "simulate/engine/engine.h"

/* The same engine, to which all messages are ENGINE_DELIVER_NOW. One at a time. */
struct engine_descriptor engine_at_once(const struct engine_descriptor *engine);

#endif
