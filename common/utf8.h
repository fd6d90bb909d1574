/* UTF-8 (RFC 3629) in text of users. */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

/* Bytes of the character at the begin of text, 1 to 4; 0: there is none. Overlong forms, halves of surrogate pairs and what
 * is beyond U+10FFFF are none. */
int utf8_length(const char *text);

/* Nothing is left that a terminal obeys: each byte of a control character but newline and tab becomes a question mark. */
void utf8_make_plain(char *text);

#endif
