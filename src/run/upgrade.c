/* Upgrades. Each version adds its step to the table, and a real file of it to tests/golden. The views are those of the
 * present version, whichever one the file comes from. */
#include "run/upgrade.h"

#include <stdio.h>

#include "base/error.h"
#include "run/database.h"
#include "run/record_sql.h"

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

static const upgrade_step STEPS[] = {
    {1, "ALTER TABLE chunk ADD COLUMN major_faults INTEGER; ALTER TABLE chunk ADD COLUMN storage_bytes_read INTEGER"},
    {2, "ALTER TABLE worker ADD COLUMN probe INTEGER"},
    {3, "CREATE TABLE work (round INTEGER, dataset INTEGER REFERENCES dataset, file INTEGER REFERENCES file, "
        "entry_start INTEGER, entry_stop INTEGER, files INTEGER, chunks INTEGER, events INTEGER, attempts INTEGER, "
        "whole INTEGER, error_type TEXT, error TEXT, raised INTEGER)"},
};

roast_code upgrade_database(sqlite3 *db, const char *path, roast_error *err)
{
    roast_code code = upgrade_with(db, path, RUN_VERSION, STEPS, sizeof STEPS / sizeof *STEPS, err);
    buf views = {0};
    if (!code)
        sql_views_anew(&views);
    if (!code)
        code = views.code ? fail_memory(err) : database_exec(db, path, views.data, err);
    buf_release(&views);
    return code;
}
