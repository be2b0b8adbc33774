/* Common ground of the writer and the reader of a run file. */
#include "run/database.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

roast_code database_fail(sqlite3 *db, const char *path, const char *doing, roast_error *err)
{
    int code = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    const char *text = db ? sqlite3_errmsg(db) : "out of memory";
    switch (code & 0xFF) {
    case SQLITE_NOMEM:
        return fail_memory(err);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return fail(err, ROAST_CORRUPT, "%s: damaged while %s (%s); what can be read: --salvage", path, doing, text);
    case SQLITE_FULL:
        return fail(err, ROAST_IO, "%s: no space left while %s", path, doing);
    case SQLITE_ERROR:
        return fail(err, ROAST_CORRUPT, "%s: not laid out as a run file (%s)", path, text);
    default:
        return fail(err, ROAST_IO, "%s: %s failed (%s)", path, doing, text);
    }
}

roast_code database_exec(sqlite3 *db, const char *path, const char *sql, roast_error *err)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return ROAST_OK;
    return database_fail(db, path, "writing", err);
}

/* Magic numbers of statfs(2). FUSE stands for EOS, CernVM-FS, sshfs and the like. */
static const uint32_t network_file_systems[] = {
    0x6969,     /* NFS */
    0x5346414F, /* AFS, in-kernel client */
    0x6B414653, /* AFS, OpenAFS client */
    0x0BD00BD0, /* Lustre */
    0x65735546, /* FUSE */
    0xFF534D42, /* CIFS */
    0xFE534D42, /* SMB2 */
    0x47504653, /* GPFS */
    0x19830326, /* BeeGFS */
    0x00C36400, /* Ceph */
    0x01021997, /* 9P */
    0x7461636F, /* OCFS2 */
    0x01161970, /* GFS2 */
    0xAAD7AAEA, /* PanFS */
};

static bool statfs_of_file_or_folder(const char *path, struct statfs *fs)
{
    if (statfs(path, fs) == 0)
        return true;
    const char *slash = strrchr(path, '/');
    char folder[4096];
    int length = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return length > 0 && (size_t)length < sizeof folder && statfs(folder, fs) == 0;
}

bool database_on_network(const char *path)
{
    struct statfs fs;
    if (!statfs_of_file_or_folder(path, &fs))
        return false;
    for (size_t i = 0; i < sizeof network_file_systems / sizeof *network_file_systems; i++)
        if ((uint32_t)fs.f_type == network_file_systems[i])
            return true;
    return false;
}

static bool read_small_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    text[length] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return length > 0;
}

/* Field 22 of /proc/PID/stat. The command's name, in brackets, may hold spaces and brackets: count from the last. */
static bool read_start_time(int64_t pid, char *text, size_t size)
{
    char path[64], stat[1024];
    snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
    char *at;
    if (!read_small_file(path, stat, sizeof stat) || !(at = strrchr(stat, ')')))
        return false;
    for (int field = 2; field < 22; field++)
        if (!(at = strchr(at + 1, ' ')))
            return false;
    snprintf(text, size, "%.*s", (int)strcspn(at + 1, " "), at + 1);
    return true;
}

void database_process_identity(buf *out, int64_t pid)
{
    char host[256] = "", boot[64], started[64];
    gethostname(host, sizeof host - 1);
    if (!read_small_file("/proc/sys/kernel/random/boot_id", boot, sizeof boot))
        return;
    if (read_start_time(pid, started, sizeof started))
        buf_format(out, "%s %s %" PRId64 " %s", host, boot, pid, started);
}
