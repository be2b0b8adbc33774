/* Opening the database of a run without writing anything, wherever and in whatever state it is. */
#ifndef RUN_LOCATE_H
#define RUN_LOCATE_H

#include <roast.h>
#include <sqlite3.h>

#include "base/buf.h"

typedef struct located_run {
    sqlite3 *db;
    char *private_copy; /* a folder to remove when done; NULL if the run is read in place */
    bool final;         /* finished, or in memory: nothing will be added to it */
    bool sealed;        /* every page is as it was written: SQLite need not look at each cell again */
    bool damaged;       /* opened to salvage; what says how it is damaged */
    roast_error what;
} located_run;

/* Recognises the file, checks its seal, and opens it. */
roast_code locate_run(located_run *out, const char *path, const roast_open_options *options, roast_error *err);
void locate_release(located_run *located);

#endif
