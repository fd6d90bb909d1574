/* Which MPI library the program has, by marks of its own that its ABI has: handles of one ABI mean nothing, or are wild
 * addresses, to a library of another one. Internal to libraries that are preloaded. */
#ifndef TRACE_RECORD_PRELOAD_ABI_H
#define TRACE_RECORD_PRELOAD_ABI_H

enum rec_abi {
    REC_ABI_UNKNOWN,
    REC_ABI_MPICH,   /* of the libraries that agreed on MPICH's: Intel MPI, MVAPICH2, Cray MPICH, ParaStation MPI */
    REC_ABI_OPEN_MPI,
    REC_ABI_STANDARD, /* of MPI-5.0 (chapter 20): libmpi_abi.so.0 of any library */
    REC_ABI_COUNT
};

/* init: PMPI_Init of that library. */
enum rec_abi rec_abi_of(const void *init);

/* The file of a function; "" if it is not known. */
const char *rec_abi_file(const void *function);

#endif
