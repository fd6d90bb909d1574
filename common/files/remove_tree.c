#include "common/files/remove_tree.h"

#include <ftw.h>
#include <stdio.h>

enum { OPEN_MOST = 16 };

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *walk)
{
    (void)about, (void)type, (void)walk;
    return remove(path);
}

void remove_tree(const char *path)
{
    nftw(path, remove_one, OPEN_MOST, FTW_DEPTH | FTW_PHYS);
}
