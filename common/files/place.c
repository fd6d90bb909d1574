#include "common/files/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { LINKS_MOST = 40, DESCRIPTOR_PATH_BYTES = 64 };

struct walk {
    int directory;
    char rest[2 * PATH_MAX]; /* the part of the path that is still to go */
    char name[NAME_MAX + 1];
    int links;
    bool last, magic;
};

/* As the kernel's rule of protected_symlinks. */
static bool may_follow(int directory, const struct stat *link)
{
    struct stat at;
    if (fstat(directory, &at) != 0) return false;
    bool for_all = (at.st_mode & S_ISVTX) && (at.st_mode & S_IWOTH);
    return !for_all || link->st_uid == geteuid() || link->st_uid == at.st_uid;
}

static bool is_proc(int directory)
{
    struct statfs about;
    return fstatfs(directory, &about) == 0 && about.f_type == PROC_SUPER_MAGIC;
}

static void go_to(struct walk *walk, int directory)
{
    close(walk->directory);
    walk->directory = directory;
}

static int begin_at(const char *path)
{
    return open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int follow_link(struct walk *walk, int link)
{
    char target[PATH_MAX];
    ssize_t bytes = readlinkat(link, "", target, sizeof target - 1);
    if (bytes < 0) return errno;
    target[bytes] = '\0';
    if (++walk->links > LINKS_MOST) return ELOOP;
    size_t left = strlen(walk->rest);
    if ((size_t)bytes + 1 + left >= sizeof walk->rest) return ENAMETOOLONG;
    memmove(walk->rest + bytes + 1, walk->rest, left + 1);
    memcpy(walk->rest, target, (size_t)bytes);
    walk->rest[bytes] = '/';
    walk->last = false;
    if (*target != '/') return 0;
    int root = begin_at(target);
    if (root < 0) return errno;
    go_to(walk, root);
    return 0;
}

/* The part of the path in walk->name, which is looked at while it is open. */
static int step_into(struct walk *walk)
{
    struct stat about = {0};
    int cause = 0, here = openat(walk->directory, walk->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (here < 0) return errno == ENOENT && walk->last ? 0 : errno;
    if (fstat(here, &about) != 0) {
        cause = errno;
        close(here);
        return cause;
    }
    bool link = S_ISLNK(about.st_mode);
    walk->magic = link && walk->last && is_proc(walk->directory);
    if (link && !walk->magic)
        cause = may_follow(walk->directory, &about) ? follow_link(walk, here) : PLACE_LINK_OF_OTHERS;
    else if (!walk->last || strcmp(walk->name, "..") == 0) {
        if (!S_ISDIR(about.st_mode)) cause = ENOTDIR;
        if (cause == 0) {
            go_to(walk, here);
            here = -1;
        }
        strcpy(walk->name, ".");
    }
    if (here >= 0) close(here);
    return cause;
}

static int take_name(struct walk *walk)
{
    char *begin = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(begin, "/");
    if (length > NAME_MAX) return ENAMETOOLONG;
    memcpy(walk->name, begin, length);
    walk->name[length] = '\0';
    begin += length;
    walk->last = begin[strspn(begin, "/")] == '\0';
    memmove(walk->rest, begin, strlen(begin) + 1);
    if (length == 0) strcpy(walk->name, ".");
    return 0;
}

int place_open(const char *path, struct place *place)
{
    struct walk walk = {.links = 0};
    if (!*path) return ENOENT;
    if (strlen(path) >= PATH_MAX) return ENAMETOOLONG;
    strcpy(walk.rest, path);
    walk.directory = begin_at(path);
    if (walk.directory < 0) return errno;
    int cause = 0;
    do {
        cause = take_name(&walk);
        if (cause == 0) cause = step_into(&walk);
    } while (cause == 0 && !walk.last);
    *place = (struct place){.directory = walk.directory, .magic = walk.magic};
    if (cause == 0 && !(place->name = strdup(walk.name))) cause = ENOMEM;
    if (cause != 0) close(walk.directory);
    return cause;
}

void place_close(struct place *place)
{
    close(place->directory);
    free(place->name);
    place->name = NULL;
}

int place_path(const char *path, char **whole)
{
    struct place place;
    char descriptor[DESCRIPTOR_PATH_BYTES], directory[PATH_MAX];
    int cause = place_open(path, &place);
    if (cause != 0) return cause;
    snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%d", place.directory);
    ssize_t bytes = readlink(descriptor, directory, sizeof directory - 1);
    if (bytes < 0) cause = errno;
    directory[bytes > 0 ? bytes : 0] = '\0';
    bool itself = strcmp(place.name, ".") == 0, root = strcmp(directory, "/") == 0;
    if (cause == 0 && asprintf(whole, "%s%s%s", directory, itself || root ? "" : "/", itself ? "" : place.name) < 0)
        cause = ENOMEM;
    place_close(&place);
    return cause;
}

enum status place_look(const char *path, bool *there, struct err *err)
{
    int cause = access(path, F_OK) == 0 ? 0 : errno;
    if (err_refused(cause)) return err_set(err, STATUS_SYSTEM, path, NULL, "cannot be looked up: %s", strerror(cause));
    *there = cause != ENOENT && cause != ENOTDIR;
    return STATUS_OK;
}

const char *place_error(int cause)
{
    return cause == PLACE_LINK_OF_OTHERS ? "a link of another user's in a directory that all may write to"
                                         : strerror(cause);
}
