#ifndef COMMON_FILES_REMOVE_TREE_H
#define COMMON_FILES_REMOVE_TREE_H

/* Removes a file, or a directory with all that it holds; links are removed, not followed. What cannot be
 * removed stays. */
void remove_tree(const char *path);

#endif
