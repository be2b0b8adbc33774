/* What the writer and the reader of a run file share: how the file is recognised, where it may live, who wrote it. */
#ifndef RUN_DATABASE_H
#define RUN_DATABASE_H

#include <roast.h>
#include <sqlite3.h>

#include "base/buf.h"

#define RUN_APPLICATION_ID 0x526F7374 /* "Rost", in the header of every run file */
#define RUN_VERSION        4          /* of the schema; upgrade.c lists the steps between versions */
#define RUN_SEAL_BYTES     8          /* reserved at the end of each page for seal.c */

/* Turns what SQLite says into our error. */
roast_code database_fail(sqlite3 *db, const char *path, const char *doing, roast_error *err);
roast_code database_exec(sqlite3 *db, const char *path, const char *sql, roast_error *err);

/* Whether the file system of path (or of its folder, if it does not exist yet) is one where POSIX locks and shared
 * memory cannot be relied on: network and user-space file systems. */
bool database_on_network(const char *path);

/* Identifies a process beyond its number: "host boot-id pid start-time". Absent text where it cannot be told. */
void database_process_identity(buf *out, int64_t pid);

#endif
