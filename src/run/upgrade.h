/* From an older version of the schema to the present one. A run that is only read is upgraded in a private copy. */
#ifndef RUN_UPGRADE_H
#define RUN_UPGRADE_H

#include <roast.h>
#include <sqlite3.h>

/* Takes a database from one version to the next. */
typedef struct upgrade_step {
    int from;
    const char *sql;
} upgrade_step;

/* Applies, in one transaction, the steps that lead from the database's version to the wanted one. ROAST_VERSION if a
 * step is missing; then, as after any failure, the database is as it was. */
roast_code upgrade_with(sqlite3 *db, const char *path, int wanted, const upgrade_step *steps, size_t count,
                        roast_error *err);
/* The same with the steps of this program, to RUN_VERSION. */
roast_code upgrade_database(sqlite3 *db, const char *path, roast_error *err);

#endif
