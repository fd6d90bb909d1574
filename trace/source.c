#include "trace/source.h"

void source_close(struct trace_source *source)
{
    if (source->close) source->close(source);
    trace_free(source->trace);
    *source = (struct trace_source){0};
}
