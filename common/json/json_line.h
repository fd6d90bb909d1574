/* The lines of a JSON text, for messages about its values. */
#ifndef COMMON_JSON_JSON_LINE_H
#define COMMON_JSON_JSON_LINE_H

/* Returns the line, from 1, of the key at the path ("network.segments[2].latency_s") or, of an element, of its value.
 * If the text lacks it, the line is that of the nearest key above it. text: valid JSON. If a key occurs twice, the last
 * one counts. */
int json_line(const char *text, const char *path);

#endif
