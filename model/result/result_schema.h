/* Names of the JSON schemas that results are written in. */
#ifndef MODEL_RESULT_RESULT_SCHEMA_H
#define MODEL_RESULT_RESULT_SCHEMA_H

#define RESULT_SCHEMA "rmacast.result/1"
#define RESULT_COMPARISON_SCHEMA "rmacast.comparison/1"

#endif
