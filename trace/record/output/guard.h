/* The tail of a buffer is the mapped memory of a file. If another process truncates the file, a store into it would end
 * the program by SIGBUS. Then plain memory replaces the tail, and recording stops. A fault at any other address goes
 * where it would have gone without the recorder. */
#ifndef TRACE_RECORD_OUTPUT_GUARD_H
#define TRACE_RECORD_OUTPUT_GUARD_H

#include <stdint.h>

/* Installs the handler, unless it is installed. After MPI_Init, whose library may install one of its own, and whenever
 * a chunk is full. */
void rec_guard(void);

/* Once, after MPI_Init: signals that end the program leave their number in the tail of the thread that takes them, and
 * then do what they did before. Handlers that the program installs later are alone, unless they end with raise() or abort(),
 * which note a signal of the default action. */
void rec_guard_end(void);

/* Installs the handler again that gave way to the program's action for this signal, which the program has survived. */
void rec_guard_again(uint32_t number);

#endif
