/* The runs that are in a folder, and those of the cache folder by number and by name. */
#ifndef TOOLS_CACHE_H
#define TOOLS_CACHE_H

#include <sys/stat.h>

#include "base/buf.h"

typedef struct run_place {
    char *path;
    char *name;              /* of the run, once it was asked for */
    struct timespec written; /* the run file, or the log beside it */
    size_t number;           /* in the cache folder, from 1 for the newest; 0 elsewhere */
    bool mine;
    bool logged; /* a log is beside it: it is being written, or its writer went away */
    bool named;  /* given by name, not found in a folder */
} run_place;

typedef struct run_places {
    run_place *places;
    size_t count, capacity;
} run_places;

/* Where collectors keep their runs. */
void cache_folder(buf *out);
/* Adds a run, whatever is there. */
roast_code run_places_add(run_places *out, const char *path, bool named, roast_error *err);
/* Adds the run files of a folder, and the measurements in folders within it. */
roast_code run_places_find(run_places *out, const char *folder, roast_error *err);
/* Adds those of the cache folder, numbered, the newest first. None if there is no such folder. */
roast_code run_places_cached(run_places *out, roast_error *err);
/* The newest first. */
void run_places_sort(run_places *places);
void run_places_release(run_places *places);

/* Whether a folder is a measurement, and not a place for some. */
bool is_measurement(const char *folder);

/* What somebody calls a run, as a path: "latest", "@2", a file or a folder that is there, or else the front of the name
 * of a file in the cache folder, or of the name of a run there. */
roast_code run_argument_path(buf *path, const char *argument, roast_error *err);

#endif
