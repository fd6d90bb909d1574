/* Loads the library of its argument, for itself only, and runs it. Not linked with MPI. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(int *, char ***) = library ? (int (*)(int *, char ***))dlsym(library, "run_loaded") : NULL;
    if (!run) {
        fprintf(stderr, "%s\n", dlerror());
        return 9;
    }
    return run(&argc, &argv);
}
