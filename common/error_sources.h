/* Kinds of measured values of a platform whose errors a prediction inherits. Values of one kind are measured together, so they
 * are taken to err together; those of different kinds err independently. */
#ifndef COMMON_ERROR_SOURCES_H
#define COMMON_ERROR_SOURCES_H

enum error_source { ERROR_LATENCY, ERROR_RATE, ERROR_CALLS, ERROR_ONE_SIDED, ERROR_NODES, ERROR_SOURCES };

#define ERROR_SOURCE_NAMES {"latency", "rate", "calls", "one_sided", "nodes"}

#endif
