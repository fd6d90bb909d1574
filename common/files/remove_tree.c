#include "common/files/remove_tree.h"

#include <ftw.h>
#include <stdio.h>

#include "common/files/file_claims.h"

enum { OPEN_MOST = 16 };

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *walk)
{
    (void)walk;
    int failed = remove(path);
    if (failed == 0 && type != FTW_NS) file_claims_forget(about);
    return failed;
}

void remove_tree(const char *path)
{
    nftw(path, remove_one, OPEN_MOST, FTW_DEPTH | FTW_PHYS);
}
