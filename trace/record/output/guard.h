/* The tail of a buffer is mapped memory of a file. Where somebody else truncates that file, a store into it would end
 * the program by SIGBUS: then plain memory takes the tail's place and recording stops. A fault anywhere else goes to
 * the handler that was there before. */
#ifndef TRACE_RECORD_OUTPUT_GUARD_H
#define TRACE_RECORD_OUTPUT_GUARD_H

/* Installs the handler, unless it is installed. After MPI_Init, whose library may install one of its own, and whenever
 * a chunk is full. */
void rec_guard(void);

/* Once, after MPI_Init: signals that end the program leave their number in the tail of the thread that takes them, and
 * then do what they did before. Handlers that the program installs later are alone. */
void rec_guard_end(void);

#endif
