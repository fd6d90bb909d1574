/* UTF-8 (RFC 3629) in text of users. */
#ifndef COMMON_TEXT_UTF8_H
#define COMMON_TEXT_UTF8_H

#include <stdint.h>

/* Bytes of the character at the begin of text, 1 to 4; 0: there is none. Overlong forms, halves of surrogate pairs and what
 * is beyond U+10FFFF are none. */
int utf8_length(const char *text);

/* The character of so many bytes, which utf8_length() found. */
uint32_t utf8_character(const char *text, int length);

/* Bytes of the character at the begin of text if a reader sees it and it changes nothing around it. 0 for what is no
 * character, controls (newline and tab, too), marks of direction, and all else that formats or separates lines (Unicode's
 * categories Cc, Cf, Zl and Zp, and noncharacters). */
int utf8_visible(const char *text);

/* Nothing is left that a terminal obeys: each byte of what is not visible becomes a question mark. */
void utf8_make_plain(char *text);

#endif
