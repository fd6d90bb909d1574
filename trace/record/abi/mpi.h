/* The standard ABI of MPI-5.0 (chapter 20, Application Binary Interface), as much of it as the recorder needs: it takes the place
 * of the mpi.h of a library, since libmpi_abi.so.0 of every library has the same. Prototypes are those of the rows.
 *
 * Handles are pointers. Those of predefined objects are numbers below 0x400, which no object has as its address. */
#ifndef TRACE_RECORD_ABI_MPI_H
#define TRACE_RECORD_ABI_MPI_H

#include <stdint.h>

#define MPI_VERSION     5
#define MPI_SUBVERSION  0
#define MPI_ABI_VERSION 1

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Count, MPI_Offset;

typedef struct {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR, reserved[5];
} MPI_Status;

typedef struct abi_op *MPI_Op;
typedef struct abi_comm *MPI_Comm;
typedef struct abi_group *MPI_Group;
typedef struct abi_win *MPI_Win;
typedef struct abi_file *MPI_File;
typedef struct abi_session *MPI_Session;
typedef struct abi_message *MPI_Message;
typedef struct abi_info *MPI_Info;
typedef struct abi_errhandler *MPI_Errhandler;
typedef struct abi_request *MPI_Request;
typedef struct abi_datatype *MPI_Datatype;

#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM     ((MPI_Op)0x21)
#define MPI_MIN     ((MPI_Op)0x22)
#define MPI_MAX     ((MPI_Op)0x23)
#define MPI_PROD    ((MPI_Op)0x24)
#define MPI_BAND    ((MPI_Op)0x28)
#define MPI_BOR     ((MPI_Op)0x29)
#define MPI_BXOR    ((MPI_Op)0x2a)
#define MPI_LAND    ((MPI_Op)0x30)
#define MPI_LOR     ((MPI_Op)0x31)
#define MPI_LXOR    ((MPI_Op)0x32)
#define MPI_MINLOC  ((MPI_Op)0x38)
#define MPI_MAXLOC  ((MPI_Op)0x39)
#define MPI_REPLACE ((MPI_Op)0x3c)
#define MPI_NO_OP   ((MPI_Op)0x3d)

#define MPI_COMM_NULL        ((MPI_Comm)0x100)
#define MPI_COMM_WORLD       ((MPI_Comm)0x101)
#define MPI_COMM_SELF        ((MPI_Comm)0x102)
#define MPI_GROUP_NULL       ((MPI_Group)0x108)
#define MPI_WIN_NULL         ((MPI_Win)0x110)
#define MPI_MESSAGE_NULL     ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC  ((MPI_Message)0x129)
#define MPI_INFO_NULL        ((MPI_Info)0x130)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_REQUEST_NULL     ((MPI_Request)0x180)
#define MPI_DATATYPE_NULL    ((MPI_Datatype)0x200)
#define MPI_INT              ((MPI_Datatype)0x209)
#define MPI_CHAR             ((MPI_Datatype)0x243)
#define MPI_BYTE             ((MPI_Datatype)0x247)
#define MPI_UINT64_T         ((MPI_Datatype)0x259)

#define MPI_BOTTOM          ((void *)0)
#define MPI_IN_PLACE        ((void *)1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_UNWEIGHTED      ((int *)10)

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_UNKNOWN = 14,
    MPI_ERR_TRUNCATE = 15,
    MPI_ERR_OTHER = 16,
    MPI_ERR_INTERN = 17,
    MPI_ERR_PENDING = 18,
    MPI_ERR_IN_STATUS = 19
};
enum { MPI_ANY_SOURCE = -1, MPI_ANY_TAG = -2, MPI_PROC_NULL = -3, MPI_ROOT = -4, MPI_UNDEFINED = -32766 };
enum { MPI_CART = 211, MPI_GRAPH = 212, MPI_DIST_GRAPH = 213, MPI_LOCK_EXCLUSIVE = 301 };
enum { MPI_THREAD_SINGLE = 0, MPI_THREAD_MULTIPLE = 4096, MPI_MAX_LIBRARY_VERSION_STRING = 8192 };
enum {
    MPI_MODE_NOCHECK = 1024,
    MPI_MODE_NOPRECEDE = 2048,
    MPI_MODE_NOPUT = 4096,
    MPI_MODE_NOSTORE = 8192,
    MPI_MODE_NOSUCCEED = 16384
};

typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void *, void *, void *, int *);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void *, void *);
typedef int MPI_Win_copy_attr_function(MPI_Win, int, void *, void *, void *, int *);
typedef int MPI_Win_delete_attr_function(MPI_Win, int, void *, void *);
typedef void MPI_Comm_errhandler_function(MPI_Comm *, int *, ...);
typedef void MPI_File_errhandler_function(MPI_File *, int *, ...);
typedef void MPI_Win_errhandler_function(MPI_Win *, int *, ...);
typedef int MPI_Grequest_query_function(void *, MPI_Status *);
typedef int MPI_Grequest_free_function(void *);
typedef int MPI_Grequest_cancel_function(void *, int);
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)

#define ABI_BOTH(NAME, PARAMETERS)                                                                                     \
    int MPI_##NAME PARAMETERS;                                                                                         \
    int PMPI_##NAME PARAMETERS;
#define REC_ROW(NAME, KIND, NEEDED, ALLOWED, PARAMETERS, ARGUMENTS, BEFORE, AFTER) ABI_BOTH(NAME, PARAMETERS)
#include "trace/record/mpi/rows.def"
#undef REC_ROW
/* What the recorder calls and does not record. */
ABI_BOTH(Abi_get_version, (int *major, int *minor))
ABI_BOTH(Cart_shift, (MPI_Comm comm, int direction, int disp, int *source, int *destination))
ABI_BOTH(Cartdim_get, (MPI_Comm comm, int *count))
ABI_BOTH(Comm_get_parent, (MPI_Comm *parent))
ABI_BOTH(Comm_rank, (MPI_Comm comm, int *rank))
ABI_BOTH(Comm_size, (MPI_Comm comm, int *size))
ABI_BOTH(Comm_test_inter, (MPI_Comm comm, int *flag))
ABI_BOTH(Dist_graph_neighbors, (MPI_Comm comm, int in, int sources[], int in_weights[], int out, int targets[], int weights[]))
ABI_BOTH(Dist_graph_neighbors_count, (MPI_Comm comm, int *in, int *out, int *weighted))
ABI_BOTH(Error_class, (int code, int *class))
ABI_BOTH(Finalized, (int *flag))
ABI_BOTH(Get_elements_x, (const MPI_Status *status, MPI_Datatype type, MPI_Count *count))
ABI_BOTH(Get_library_version, (char *version, int *length))
ABI_BOTH(Graph_neighbors, (MPI_Comm comm, int rank, int most, int neighbors[]))
ABI_BOTH(Graph_neighbors_count, (MPI_Comm comm, int rank, int *count))
ABI_BOTH(Group_from_session_pset, (MPI_Session session, const char *pset, MPI_Group *group))
ABI_BOTH(Group_size, (MPI_Group group, int *size))
ABI_BOTH(Group_translate_ranks, (MPI_Group group, int count, const int ranks[], MPI_Group other, int translated[]))
ABI_BOTH(Query_thread, (int *level))
ABI_BOTH(Test_cancelled, (const MPI_Status *status, int *flag))
ABI_BOTH(Topo_test, (MPI_Comm comm, int *topology))
ABI_BOTH(Type_free, (MPI_Datatype *type))
ABI_BOTH(Type_get_extent_x, (MPI_Datatype type, MPI_Count *lower, MPI_Count *extent))
ABI_BOTH(Type_get_true_extent_x, (MPI_Datatype type, MPI_Count *lower, MPI_Count *extent))
ABI_BOTH(Type_size_x, (MPI_Datatype type, MPI_Count *size))
#undef ABI_BOTH

#endif
