/* An engine that tells of every message at its moment: what the loggp engine gains by telling late changes nothing. */
#ifndef TESTS_PROPERTY_AT_ONCE_H
#define TESTS_PROPERTY_AT_ONCE_H

#include "simulate/engine.h"

/* The same engine, to which all messages are ENGINE_NOW. One at a time. */
struct engine_descriptor engine_at_once(const struct engine_descriptor *engine);

#endif
