/* Three ways to read a run without writing beside it:
 *   finished           nothing is beside the file: opened as immutable, after its seal was checked
 *   being written      its write-ahead log is there: opened read-only with read-only shared memory
 *   everything else    (no shared memory to be had, a rollback journal): a private copy elsewhere, recovered there */
#include "run/locate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "run/database.h"
#include "run/seal.h"
#include "run/upgrade.h"

enum { HEADER_BYTES = 100 };

/* What people pass by mistake, by its first bytes, and what to do instead. */
static const struct {
    const char *magic;
    size_t length;
    const char *what;
    bool name_follows;
} other_files[] = {
    {"root", 4, "this is a ROOT file, not a run; for its contents: roast inspect ", true},
    {"\x89PNG", 4, "this is a PNG picture, not a run file", false},
    {"%PDF", 4, "this is a PDF document, not a run file", false},
    {"\x1F\x8B", 2, "this is a gzip archive, not a run file; unpack it first", false},
    {"PK\x03\x04", 4, "this is a zip archive, not a run file; unpack it first", false},
    {"{", 1, "this is JSON, not a run file; for a measurement give its folder", false},
};

static roast_code fail_not_a_run(const char *path, const unsigned char *bytes, size_t length, roast_error *err)
{
    if (length == 0)
        return fail(err, ROAST_FORMAT, "%s: empty, not a run file", path);
    for (size_t i = 0; i < sizeof other_files / sizeof *other_files; i++)
        if (length >= other_files[i].length && memcmp(bytes, other_files[i].magic, other_files[i].length) == 0)
            return fail(err, ROAST_FORMAT, "%s: %s%s", path, other_files[i].what,
                        other_files[i].name_follows ? path : "");
    return fail(err, ROAST_FORMAT, "%s: not a run file", path);
}

static roast_code check_ours(const char *path, uint32_t application_id, uint32_t version, roast_error *err)
{
    if (application_id != RUN_APPLICATION_ID)
        return fail(err, ROAST_FORMAT, "%s: a SQLite database, but not a run file", path);
    if (version == 0)
        return fail(err, ROAST_CORRUPT, "%s: damaged in its header (format 0)", path);
    if (version > RUN_VERSION)
        return fail(err, ROAST_VERSION,
                    "%s: written by a newer roastcoffea (format %u, this one reads up to %d); update", path, version,
                    RUN_VERSION);
    return ROAST_OK;
}

static roast_code check_header(const char *path, const unsigned char *header, size_t length, roast_error *err)
{
    if (length < HEADER_BYTES || memcmp(header, "SQLite format 3", 16) != 0)
        return fail_not_a_run(path, header, length, err);
    cursor c = cursor_over(header, length);
    cursor_seek(&c, 60);
    uint32_t version = cursor_be32(&c);
    cursor_seek(&c, 68);
    return check_ours(path, cursor_be32(&c), version, err);
}

static roast_code recognise(const char *path, roast_error *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return fail(err, ROAST_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return fail(err, ROAST_FORMAT, "%s: a directory, not a run file", path);
    int fd = S_ISREG(info.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return fail(err, ROAST_IO, "%s: %s", path, S_ISREG(info.st_mode) ? strerror(errno) : "not a regular file");
    unsigned char header[HEADER_BYTES];
    ssize_t length = read(fd, header, sizeof header);
    close(fd);
    if (length < 0)
        return fail(err, ROAST_IO, "%s: %s", path, strerror(errno));
    return check_header(path, header, (size_t)length, err);
}

static bool has_companion(const char *path, const char *suffix)
{
    char *name;
    struct stat info;
    if (asprintf(&name, "%s%s", path, suffix) < 0)
        return false;
    bool there = stat(name, &info) == 0;
    free(name);
    return there;
}

static void uri_of(buf *uri, const char *path, const char *parameters)
{
    buf_text(uri, "file:");
    if (path[0] != '/') /* "file:a//b" would read a as a host */
        buf_text(uri, "./");
    for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
        if (*c == '%' || *c == '?' || *c == '#' || *c < ' ' || *c >= 0x7F)
            buf_format(uri, "%%%02X", *c);
        else
            buf_char(uri, (char)*c);
    }
    buf_format(uri, "?%s", parameters);
}

/* Opens and makes sure that the first page can really be read. */
static roast_code open_as(located_run *out, const char *path, const char *parameters, int flags, roast_error *err)
{
    buf uri = {0};
    uri_of(&uri, path, parameters);
    int code = uri.code ? SQLITE_NOMEM
                        : sqlite3_open_v2(uri.data, &out->db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    buf_release(&uri);
    if (code == SQLITE_OK && out->damaged) /* or SQLite takes no file that is shorter than its header says */
        code = sqlite3_exec(out->db, "PRAGMA writable_schema=ON", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(out->db,
                            out->sealed ? "PRAGMA trusted_schema=OFF; SELECT count(*) FROM sqlite_schema"
                                        : "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"
                                          " SELECT count(*) FROM sqlite_schema",
                            NULL, NULL, NULL);
    if (code == SQLITE_OK)
        return ROAST_OK;
    roast_code failed = database_fail(out->db, path, "opening", err);
    sqlite3_close(out->db);
    out->db = NULL;
    return failed;
}

static uint32_t pragma_int(sqlite3 *db, const char *pragma)
{
    sqlite3_stmt *statement;
    uint32_t value = 0;
    if (sqlite3_prepare_v2(db, pragma, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        value = (uint32_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* A run whose log is beside it may be being written by this very process. Opening and closing its file ourselves
 * would drop the locks that SQLite holds for the writer (POSIX locks belong to the process), so SQLite does it. */
static roast_code open_logged(located_run *out, const char *path, roast_error *err)
{
    roast_code code = open_as(out, path, "mode=ro&readonly_shm=1", SQLITE_OPEN_READONLY, err);
    if (!code)
        code = check_ours(path, pragma_int(out->db, "PRAGMA application_id"),
                          pragma_int(out->db, "PRAGMA user_version"), err);
    return code;
}

static roast_code copy_file(const char *from, const char *to, roast_error *err)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
    if (in < 0 && errno == ENOENT)
        return ROAST_OK;
    roast_code code = ROAST_OK;
    if (in < 0 || (out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
        code = fail(err, ROAST_IO, "%s: cannot be copied to %s: %s", from, to, strerror(errno));
    ssize_t copied = 1;
    while (!code && copied > 0)
        if ((copied = sendfile(out, in, NULL, 1 << 24)) < 0)
            code = fail(err, ROAST_IO, "%s: cannot be copied to %s: %s", from, to, strerror(errno));
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return code;
}

static void remove_copy(char *folder)
{
    static const char *const names[] = {"run", "run-wal", "run-shm", "run-journal"};
    for (size_t i = 0; folder && i < sizeof names / sizeof *names; i++) {
        char *name;
        if (asprintf(&name, "%s/%s", folder, names[i]) < 0)
            continue;
        unlink(name);
        free(name);
    }
    if (folder)
        rmdir(folder);
    free(folder);
}

static roast_code copy_with_companions(const char *path, const char *folder, roast_error *err)
{
    /* The log before the database: a checkpoint in between then only repeats what the log holds. */
    static const char *const suffixes[] = {"-wal", "-journal", ""};
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < sizeof suffixes / sizeof *suffixes; i++) {
        char *from = NULL, *to = NULL;
        if (asprintf(&from, "%s%s", path, suffixes[i]) < 0 || asprintf(&to, "%s/run%s", folder, suffixes[i]) < 0)
            code = fail_memory(err);
        else
            code = copy_file(from, to, err);
        free(from);
        free(to);
    }
    return code;
}

static roast_code open_private_copy(located_run *out, const char *path, const char *scratch_dir, roast_error *err)
{
    char *folder, *copy;
    if (asprintf(&folder, "%s/roast-XXXXXX", scratch_dir ? scratch_dir : "/tmp") < 0)
        return fail_memory(err);
    if (!mkdtemp(folder)) {
        roast_code code = fail(err, ROAST_IO, "%s: no room for a private copy in %s: %s", path,
                               scratch_dir ? scratch_dir : "/tmp", strerror(errno));
        free(folder);
        return code;
    }
    out->private_copy = folder;
    roast_code code = copy_with_companions(path, folder, err);
    if (code)
        return code;
    if (asprintf(&copy, "%s/run", folder) < 0)
        return fail_memory(err);
    code = open_as(out, copy, "mode=rw", SQLITE_OPEN_READWRITE, err);
    if (code && code != ROAST_MEMORY) /* the user knows the original, not the copy */
        fail(err, code, "%s: not readable: its log does not fit or is damaged; what can be read: --salvage", path);
    free(copy);
    return code;
}

static roast_code open_finished(located_run *out, const char *path, bool salvage, roast_error *err)
{
    seal_state seal;
    roast_code code = seal_check(path, &seal, &out->what);
    out->damaged = code == ROAST_CORRUPT;
    out->sealed = !code && seal == SEAL_INTACT;
    out->final = true;
    if (code && !(salvage && out->damaged)) {
        if (err)
            *err = out->what;
        return code;
    }
    return open_as(out, path, "mode=ro&immutable=1", SQLITE_OPEN_READONLY, err);
}

/* Unfinished, and not readable in place. */
static roast_code open_unfinished(located_run *out, const char *path, const roast_open_options *options,
                                  roast_error *err)
{
    roast_code code = recognise(path, err);
    if (code)
        return code;
    code = open_private_copy(out, path, options->scratch_dir, err);
    if (!code || code == ROAST_MEMORY || !options->salvage)
        return code;
    remove_copy(out->private_copy);
    out->private_copy = NULL; /* what is opened now is not ours to upgrade */
    out->damaged = true;
    fail(&out->what, ROAST_CORRUPT, "%s: the log beside it is damaged and was left out", path);
    return open_as(out, path, "mode=ro&immutable=1", SQLITE_OPEN_READONLY, err);
}

static roast_code open_somehow(located_run *out, const char *path, const roast_open_options *options, roast_error *err)
{
    if (has_companion(path, "-wal")) {
        roast_code code = open_logged(out, path, err);
        bool final = !code || code == ROAST_MEMORY || code == ROAST_FORMAT || code == ROAST_VERSION;
        return final ? code : open_unfinished(out, path, options, err);
    }
    if (has_companion(path, "-journal"))
        return open_unfinished(out, path, options, err);
    roast_code code = recognise(path, err);
    return code ? code : open_finished(out, path, options->salvage, err);
}

/* A run of an older version is read as it is: what it does not have is absent. A private copy is ours to upgrade. */
static roast_code upgrade_copy(located_run *out, const char *path, roast_error *err)
{
    bool old = pragma_int(out->db, "PRAGMA user_version") < RUN_VERSION;
    return old && out->private_copy ? upgrade_database(out->db, path, err) : ROAST_OK;
}

roast_code locate_run(located_run *out, const char *path, const roast_open_options *options, roast_error *err)
{
    *out = (located_run){0};
    roast_code code = open_somehow(out, path, options, err);
    if (!code)
        code = upgrade_copy(out, path, err);
    char *hint = strstr(out->what.message, "; what can be read");
    if (hint) /* that is what is being done */
        *hint = '\0';
    if (code == ROAST_CORRUPT && out->damaged && options->salvage)
        fail(err, code, "%s: too damaged: nothing of it can be read", path);
    if (code)
        locate_release(out);
    return code;
}

void locate_release(located_run *located)
{
    sqlite3_close(located->db);
    remove_copy(located->private_copy);
    *located = (located_run){0};
}
