/* rmacast itself, in a directory with a trace of each kind, a platform and files of the user's. Whatever it is told, it ends
 * with 0, 1 or 2, says why in its last line where that is not 0, and leaves its inputs as they were. */
#ifndef TESTS_FUZZ_COMMAND_H
#define TESTS_FUZZ_COMMAND_H

#include <stddef.h>

#include "common/status.h"

enum { COMMAND_WORDS_MAX = 40, COMMAND_SAID_BYTES = 4096 };

extern const char command_program[];

/* Makes the directory: t.txt, f.txt (faulty), a.rma, p.json, s.json (of SimGrid's x.xml), and what is not rmacast's. */
void command_place(char *directory, size_t room);
void command_write(const char *directory, const char *name, const char *text, size_t size);

/* Runs it there. said gets COMMAND_SAID_BYTES of standard error. Returns the status as of waitpid(). */
int command_run(const char *directory, char **words, char *said);

/* A finding unless it ended as it has to. words: for the message. */
void command_check_end(int how, const char *said, const char *words);
/* A finding unless the command (NULL at its end), run in the directory, ends as a function of ours did: with its status, and with
 * its error in the last line. */
void command_check_same(const char *directory, char **words, enum status status, const struct err *err);
/* A finding where a file is not as it was. What the words name once may be an output. */
void command_check_files(const char *directory, const char *words);

#endif
