/* Links in directories for all are followed only if they are ours or the directory's owner's. Made as root, with links
 * given to another user; without root only the rest is tested. */
#include "common/files/place.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/files/remove_tree.h"

enum { SOMEBODY = 12345, SOMEBODY_ELSE = 12346 };

static char directory[64];

static int enter(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/rmacast-place-XXXXXX");
    if (!mkdtemp(directory) || chdir(directory) != 0) return -1;
    return mkdir("mine", 0755) == 0 && mkdir("all", 0777) == 0 && chmod("all", 01777) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    remove_tree(directory);
    return chdir("/");
}

static void assert_leads(const char *path, const char *expected)
{
    char *whole, *below;
    assert_int_equal(place_path(path, &whole), 0);
    assert_int_equal(strncmp(whole, directory, strlen(directory)), 0);
    below = whole + strlen(directory);
    assert_string_equal(below, expected);
    free(whole);
}

static void assert_fails(const char *path, int cause)
{
    char *whole;
    assert_int_equal(place_path(path, &whole), cause);
}

static void leads(void **state)
{
    (void)state;
    assert_leads("new.txt", "/new.txt");
    assert_leads("./mine//new.txt", "/mine/new.txt");
    assert_leads("mine/../all/new", "/all/new");
    assert_leads("mine/", "/mine");
    assert_leads("mine/.", "/mine");
    assert_leads("mine/..", "");
    assert_leads(".", "");
    assert_int_equal(symlink("mine", "link"), 0);
    assert_int_equal(symlink("../link/new.txt", "all/far"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_leads("link", "/mine");
    assert_leads("link/new.txt", "/mine/new.txt");
    assert_leads("all/far", "/mine/new.txt");
    char *whole;
    assert_int_equal(place_path("/", &whole), 0);
    assert_string_equal(whole, "/");
    free(whole);
    assert_fails("loop", ELOOP);
    assert_fails("missing/new.txt", ENOENT);
    assert_fails("", ENOENT);
}

static void links_of_others(void **state)
{
    (void)state;
    if (geteuid() != 0) skip();
    assert_int_equal(symlink("../mine", "all/theirs"), 0);
    assert_int_equal(lchown("all/theirs", SOMEBODY, SOMEBODY), 0);
    assert_int_equal(symlink("../mine", "all/ours"), 0);
    assert_int_equal(symlink("../mine", "mine/theirs"), 0);
    assert_int_equal(lchown("mine/theirs", SOMEBODY, SOMEBODY), 0);
    assert_fails("all/theirs", PLACE_LINK_OF_OTHERS);
    assert_fails("all/theirs/new.txt", PLACE_LINK_OF_OTHERS);
    assert_leads("all/ours/new.txt", "/mine/new.txt");
    assert_leads("mine/theirs/new.txt", "/mine/new.txt"); /* not for all: who may write here made it */
    assert_int_equal(symlink("all/theirs", "by_way_of"), 0);
    assert_fails("by_way_of", PLACE_LINK_OF_OTHERS);
    assert_int_equal(chown("all", SOMEBODY, SOMEBODY), 0); /* the directory's owner may do as he likes in it anyway */
    assert_leads("all/theirs", "/mine");
    assert_int_equal(chown("all", SOMEBODY_ELSE, SOMEBODY_ELSE), 0);
    assert_fails("all/theirs", PLACE_LINK_OF_OTHERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(leads, enter, leave),
        cmocka_unit_test_setup_teardown(links_of_others, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
