/* Many files: which ones are meant, and reading them side by side. */
#ifndef SOURCE_ROOT_MANY_H
#define SOURCE_ROOT_MANY_H

#include <stdio.h>

#include "source/root/root.h"

/* Paths and addresses in the order in which they were named. Zero-initialised is empty and ready. */
typedef struct root_paths {
    arena memory;
    const char **items;
    size_t count, capacity;
} root_paths;

/* Adds a path or an address. A local path with *, ? or [ that does not exist as it is stands for the files that match,
 * in order; none is an error. */
roast_code root_paths_add(root_paths *paths, const char *pattern, roast_error *err);
/* Adds one per line; empty lines and lines that begin with # do not count. */
roast_code root_paths_add_list(root_paths *paths, FILE *list, const char *name, roast_error *err);
void root_paths_release(root_paths *paths);

/* Called in the order of the paths, in the thread of the caller. file is NULL if it could not be read, and why says
 * why; it is closed after the call. A code other than ROAST_OK ends it all. */
typedef roast_code root_visitor(void *context, const char *path, const root_file *file, const roast_error *why,
                                roast_error *err);

/* Reads all files in up to jobs threads (0: as many as there are processors, at most 8). */
roast_code root_read_many(const root_paths *paths, const root_options *options, size_t jobs, root_visitor *visit,
                          void *context, roast_error *err);

#endif
