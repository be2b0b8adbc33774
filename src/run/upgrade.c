/* Upgrades. Version 1 is the first: each version after it adds its step to the table, and a real file of it to
 * tests/golden. */
#include "run/upgrade.h"

#include <stdio.h>

#include "base/error.h"
#include "run/database.h"

static int version_of(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    int version = -1;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return version;
}

static const upgrade_step *step_from(int version, const upgrade_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i].from == version)
            return &steps[i];
    return NULL;
}

static roast_code apply(sqlite3 *db, const char *path, const upgrade_step *step, roast_error *err)
{
    char set_version[64];
    snprintf(set_version, sizeof set_version, "PRAGMA user_version=%d", step->from + 1);
    roast_code code = database_exec(db, path, step->sql, err);
    return code ? code : database_exec(db, path, set_version, err);
}

roast_code upgrade_with(sqlite3 *db, const char *path, int wanted, const upgrade_step *steps, size_t count,
                        roast_error *err)
{
    roast_code code = database_exec(db, path, "BEGIN", err);
    if (code)
        return code;
    for (int version = version_of(db); !code && version < wanted; version++) {
        const upgrade_step *step = step_from(version, steps, count);
        code = step ? apply(db, path, step, err)
                    : fail(err, ROAST_VERSION, "%s: no way from format %d to %d", path, version, wanted);
    }
    roast_code ended = database_exec(db, path, code ? "ROLLBACK" : "COMMIT", code ? NULL : err);
    return code ? code : ended;
}

roast_code upgrade_database(sqlite3 *db, const char *path, roast_error *err)
{
    static const upgrade_step none_yet = {0};
    return upgrade_with(db, path, RUN_VERSION, &none_yet, 0, err);
}
