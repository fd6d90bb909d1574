/* Warnings: what a reader leaves out of an input that it takes all the same. Libraries do not print; the program that uses
 * them listens. */
#ifndef COMMON_WARNING_H
#define COMMON_WARNING_H

/* listener gets one line without newline, from any thread, one at a time; NULL, as at first: nobody listens. The same line is
 * told once, also when the input is read again. */
void warning_listen(void (*listener)(const char *text));

void warning_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
