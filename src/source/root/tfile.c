/* The container. A ROOT file is a header and a sequence of records, each with a key in front; a directory is a record
 * that says where its list of keys is. Layout of the header (positions have 8 bytes if the version is ≥ 1,000,000):
 *
 *     "root" version begin end seek_free nbytes_free nfree nbytes_name units compress seek_info nbytes_info uuid    */
#include "source/root/tfile.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/uuid.h"
#include "source/root/decompress.h"
#include "source/root/stream.h"

enum { LARGE_VERSION = 1000000, LARGE_KEY = 1000, DEEPEST_DIRECTORY = 64, SMALLEST_KEY = 26 };
/* A record may not unpack to more than this; all records of a file and what is made of them may not take more than
 * twice that. */
#define LARGEST_RECORD (INT64_C(384) << 20)

static int64_t read_position(cursor *c, bool large)
{
    return large ? (int64_t)cursor_be64(c) : (int64_t)cursor_be32(c);
}

static int64_t read_i32(cursor *c)
{
    return (int32_t)cursor_be32(c);
}

bool root_key_parse(cursor *c, root_key *key)
{
    *key = (root_key){0};
    key->nbytes = read_i32(c);
    int version = cursor_be16(c);
    key->objlen = read_i32(c);
    cursor_skip(c, 4); /* date */
    key->keylen = cursor_be16(c);
    key->cycle = (int16_t)cursor_be16(c);
    key->seek = read_position(c, version > LARGE_KEY);
    (void)read_position(c, version > LARGE_KEY); /* of the directory */
    key->class_name = root_stream_string(c);
    key->name = root_stream_string(c);
    key->title = root_stream_string(c);
    return !c->failed && key->keylen >= SMALLEST_KEY - 8 && key->nbytes >= key->keylen && key->objlen >= 0 &&
           key->seek >= 0;
}

/* ---- Records ------------------------------------------------------------------------------------------------ */

static roast_code unpack(root_tfile *file, root_record *out, const unsigned char *packed, size_t packed_len,
                         roast_error *err)
{
    if (!root_blocks_plausible(packed, packed_len, out->len))
        return fail(err, ROAST_CORRUPT, "a record's compressed blocks do not add up to its size");
    unsigned char *content = arena_bytes(&file->result->memory, out->len);
    if (!content)
        return fail_memory(err);
    out->bytes = content;
    return root_decompress(content, out->len, packed, packed_len, err);
}

static roast_code read_packed(root_tfile *file, root_record *out, int64_t seek, size_t nbytes, roast_error *err)
{
    unsigned char *raw = malloc(nbytes);
    if (!raw)
        return fail_memory(err);
    roast_code code = root_transport_read(file->transport, raw, seek, nbytes, err);
    if (!code)
        code = unpack(file, out, raw + out->keylen, nbytes - out->keylen, err);
    free(raw);
    return code;
}

static roast_code read_plain(root_tfile *file, root_record *out, int64_t seek, size_t nbytes, roast_error *err)
{
    unsigned char *raw = arena_bytes(&file->result->memory, nbytes);
    if (!raw)
        return fail_memory(err);
    out->bytes = raw + out->keylen;
    return root_transport_read(file->transport, raw, seek, nbytes, err);
}

bool root_tfile_spend(root_tfile *file, size_t count, size_t size)
{
    size_t bytes;
    bool enough = !__builtin_mul_overflow(count, size, &bytes) && bytes <= (uint64_t)file->memory_left;
    if (enough)
        file->memory_left -= (int64_t)bytes;
    file->refused_memory |= !enough;
    return enough;
}

/* nbytes on disk, of which keylen are the key, become len bytes. */
static roast_code read_record(root_tfile *file, root_record *out, int64_t seek, int64_t nbytes, int64_t keylen,
                              int64_t len, roast_error *err)
{
    *out = (root_record){NULL, (size_t)len, (size_t)keylen};
    if (nbytes > file->transport->size || seek > file->transport->size - nbytes)
        return fail(err, ROAST_CORRUPT, "a record lies beyond the end of the file; was it cut off?");
    if (nbytes - keylen > len) /* what does not get smaller is not packed; and so nbytes has a limit too */
        return fail(err, ROAST_CORRUPT, "a record is larger on disk than unpacked");
    if (nbytes > file->bytes_left)
        return fail(err, ROAST_CORRUPT, "its records are damaged: together they are larger than the file");
    if (len > LARGEST_RECORD || !root_tfile_spend(file, (size_t)len, 1))
        return fail(err, ROAST_LIMIT, "a record claims %lld bytes, more than is read of one file", (long long)len);
    file->bytes_left -= nbytes;
    return len == nbytes - keylen ? read_plain(file, out, seek, (size_t)nbytes, err)
                                  : read_packed(file, out, seek, (size_t)nbytes, err);
}

roast_code root_tfile_record(root_tfile *file, root_record *out, const root_key *key, roast_error *err)
{
    return read_record(file, out, key->seek, key->nbytes, key->keylen, key->objlen, err);
}

roast_code root_tfile_blob(root_tfile *file, root_record *out, int64_t seek, int64_t nbytes, int64_t len,
                           roast_error *err)
{
    if (seek < 0 || nbytes < 0 || len < 0)
        return fail(err, ROAST_CORRUPT, "a record has a negative position or size");
    return read_record(file, out, seek, nbytes, 0, len, err);
}

/* ---- Header ------------------------------------------------------------------------------------------------- */

static roast_code not_a_root_file(const root_transport *t, roast_error *err)
{
    if (t->size == 0)
        return fail(err, ROAST_FORMAT, "the file is empty");
    if (t->head_len >= 15 && memcmp(t->head, "SQLite format 3", 15) == 0)
        return fail(err, ROAST_FORMAT, "this is a run or another database, not a ROOT file; for a run: roast show");
    return fail(err, ROAST_FORMAT, "this is not a ROOT file");
}

typedef struct directory {
    int64_t nbytes_keys, seek_keys;
} directory;

static directory parse_directory(cursor *c)
{
    directory d;
    bool large = cursor_be16(c) > LARGE_KEY;
    cursor_skip(c, 8); /* dates */
    d.nbytes_keys = read_i32(c);
    cursor_skip(c, 4); /* length of the name */
    (void)read_position(c, large);
    (void)read_position(c, large); /* own and parent's position */
    d.seek_keys = read_position(c, large);
    return d;
}

static roast_code parse_header(root_tfile *file, cursor *c, int64_t *directory_at, roast_error *err)
{
    root_file *result = file->result;
    const void *magic = cursor_bytes(c, 4);
    if (!magic || memcmp(magic, "root", 4) != 0)
        return not_a_root_file(file->transport, err);
    int64_t version = cursor_be32(c);
    int64_t begin = cursor_be32(c);
    result->large = version >= LARGE_VERSION;
    result->version = (int32_t)(version % LARGE_VERSION);
    int64_t end = read_position(c, result->large);
    (void)read_position(c, result->large); /* free segments */
    cursor_skip(c, 8);
    int64_t nbytes_name = cursor_be32(c);
    cursor_skip(c, 1);
    result->setting = (int32_t)cursor_be32(c);
    file->info_seek = read_position(c, result->large);
    file->info_nbytes = read_i32(c);
    cursor_skip(c, 2); /* version of the UUID */
    result->uuid = uuid_text(&result->memory, cursor_bytes(c, UUID_BYTES));
    if (c->failed)
        return fail(err, ROAST_CORRUPT, "the file is cut off in its header");
    if (end > file->transport->size)
        return fail(err, ROAST_CORRUPT, "the file is cut off: its header says %lld bytes, there are %lld",
                    (long long)end, (long long)file->transport->size);
    *directory_at = begin + nbytes_name;
    result->metadata_bytes = begin;
    return ROAST_OK;
}

enum { DIRECTORY_BYTES = 42 };

/* The top directory's own record, behind the header. */
static roast_code read_top_directory(root_tfile *file, int64_t at, directory *out, roast_error *err)
{
    unsigned char raw[DIRECTORY_BYTES] = {0};
    int64_t left = file->transport->size - at;
    size_t len = left < DIRECTORY_BYTES ? (size_t)(left > 0 ? left : 0) : sizeof raw;
    roast_code code = root_transport_read(file->transport, raw, at, len, err);
    if (code)
        return code;
    cursor c = cursor_over(raw, len);
    *out = parse_directory(&c);
    if (c.failed)
        return fail(err, ROAST_CORRUPT, "the file is cut off in its top directory");
    return ROAST_OK;
}

roast_code root_tfile_open(root_tfile *file, roast_error *err)
{
    cursor c = cursor_over(file->transport->head, file->transport->head_len);
    int64_t directory_at = 0;
    directory top = {0, 0};
    file->result->size = file->transport->size;
    file->memory_left = 2 * LARGEST_RECORD;
    file->bytes_left = file->transport->size < INT64_MAX / 2 ? 2 * file->transport->size : INT64_MAX;
    roast_code code = parse_header(file, &c, &directory_at, err);
    if (!code)
        code = read_top_directory(file, directory_at, &top, err);
    if (code)
        return code;
    file->result->closed = top.seek_keys != 0;
    file->top_seek = top.seek_keys;
    file->top_nbytes = top.nbytes_keys;
    return ROAST_OK;
}

/* ---- Directories -------------------------------------------------------------------------------------------- */

typedef struct walk {
    root_tfile *file;
    root_key_visitor *visit;
    void *context;
} walk;

static roast_code walk_directory(const walk *w, const directory *d, roast_str path, int depth, roast_error *err);

static roast_code walk_subdirectory(const walk *w, const root_key *key, roast_str path, int depth, roast_error *err)
{
    root_record record;
    roast_code code = root_tfile_record(w->file, &record, key, err);
    if (code)
        return code;
    cursor c = cursor_over(record.bytes, record.len);
    directory d = parse_directory(&c);
    if (c.failed)
        return fail(err, ROAST_CORRUPT, "a directory is cut off");
    roast_str below;
    code = root_path_join(w->file, path, key->name, &below, err);
    return code ? code : walk_directory(w, &d, below, depth + 1, err);
}

static bool is_directory(roast_str class_name)
{
    return str_equal(class_name, STR("TDirectory")) || str_equal(class_name, STR("TDirectoryFile"));
}

static roast_code walk_keys(const walk *w, cursor *c, roast_str path, int depth, roast_error *err)
{
    root_key key;
    if (!root_key_parse(c, &key))
        return fail(err, ROAST_CORRUPT, "the list of keys of a directory is damaged");
    cursor_seek(c, (size_t)key.keylen); /* what follows the key is the number of keys */
    int64_t count = read_i32(c);
    if (c->failed || count < 0 || count > (int64_t)(cursor_left(c) / (SMALLEST_KEY - 8)))
        return fail(err, ROAST_CORRUPT, "the list of keys of a directory is damaged");
    for (int64_t i = 0; i < count; i++) {
        if (!root_key_parse(c, &key))
            return fail(err, ROAST_CORRUPT, "the list of keys of a directory is damaged");
        roast_code code = is_directory(key.class_name) ? walk_subdirectory(w, &key, path, depth, err)
                                                       : w->visit(w->context, &key, path, err);
        if (code)
            return code;
    }
    return ROAST_OK;
}

/* Directories that contain each other would go on for ever, were it not for their depth and for bytes_left. */
static roast_code walk_directory(const walk *w, const directory *d, roast_str path, int depth, roast_error *err)
{
    root_tfile *file = w->file;
    if (d->seek_keys == 0)
        return ROAST_OK; /* never written */
    if (depth > DEEPEST_DIRECTORY || d->nbytes_keys <= 0 || d->nbytes_keys > file->bytes_left)
        return fail(err, ROAST_CORRUPT, "its directories are damaged: they do not fit into the file");
    root_record keys;
    roast_code code = root_tfile_blob(file, &keys, d->seek_keys, d->nbytes_keys, d->nbytes_keys, err);
    if (code)
        return code;
    file->result->metadata_bytes += d->nbytes_keys;
    cursor c = cursor_over(keys.bytes, keys.len);
    return walk_keys(w, &c, path, depth, err);
}

roast_code root_path_join(root_tfile *file, roast_str directory_path, roast_str name, roast_str *out, roast_error *err)
{
    size_t len = directory_path.len ? directory_path.len + 1 + name.len : name.len;
    *out = name;
    if (len > ROOT_LONGEST_NAME || !root_tfile_spend(file, len + 1, 1))
        return fail(err, ROAST_LIMIT, "a directory or a tree has a path of more than %d letters", ROOT_LONGEST_NAME);
    if (directory_path.len == 0)
        return ROAST_OK;
    char *path = arena_alloc(&file->result->memory, len + 1, 1);
    if (!path)
        return fail_memory(err);
    memcpy(path, directory_path.ptr, directory_path.len);
    path[directory_path.len] = '/';
    if (name.len > 0)
        memcpy(path + directory_path.len + 1, name.ptr, name.len);
    *out = (roast_str){path, len};
    return ROAST_OK;
}

roast_code root_tfile_walk(root_tfile *file, root_key_visitor *visit, void *context, roast_error *err)
{
    walk w = {file, visit, context};
    directory top = {file->top_nbytes, file->top_seek};
    return walk_directory(&w, &top, STR(""), 0, err);
}
