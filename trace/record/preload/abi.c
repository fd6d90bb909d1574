#include "trace/record/preload/abi.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

const char *rec_abi_file(const void *function)
{
    Dl_info about;
    return function && dladdr(function, &about) && about.dli_fname ? about.dli_fname : "";
}

/* The name that programs are linked with, by the file that holds the symbol; "" none. */
static const char *soname_of(const void *symbol)
{
    Dl_info about;
    struct link_map *file = NULL;
    const char *names = NULL;
    size_t at = 0;
    if (!symbol || !dladdr1(symbol, &about, (void **)&file, RTLD_DL_LINKMAP)) return "";
    for (const ElfW(Dyn) *entry = file->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_SONAME) at = entry->d_un.d_val;
        if (entry->d_tag == DT_STRTAB) names = (const char *)entry->d_un.d_ptr;
    }
    return at > 0 && names ? names + at : "";
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), bytes = strlen(end);
    return length >= bytes && strcmp(text + length - bytes, end) == 0;
}

/* A library with the standard ABI may have the symbols of the library that it is built from. mpi.h of Open MPI makes
 * MPI_COMM_WORLD of the address of ompi_mpi_comm_world. mpi.h of MPICH makes MPI_DUP_FN of MPIR_Dup_fn; libraries of its
 * ABI are called libmpi.so.12, or as Debian's libmpich.so.12, and others with this end. */
enum rec_abi rec_abi_of(const void *init)
{
    if (strncmp(soname_of(init), "libmpi_abi", strlen("libmpi_abi")) == 0) return REC_ABI_STANDARD;
    if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world")) return REC_ABI_OPEN_MPI;
    return ends_with(soname_of(dlsym(RTLD_DEFAULT, "MPIR_Dup_fn")), ".so.12") ? REC_ABI_MPICH : REC_ABI_UNKNOWN;
}
