/* file_metadata: what is known of each file. It stands at the top, by file name, and in the record of the first chunk
 * that each worker made of a file; each file is given once. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/intern.h"
#include "source/legacy/parts.h"

typedef struct files {
    legacy_reader *r;
    intern given; /* by url */
    roast_branch *branches;
    size_t n_branches, branches_capacity;
} files;

static roast_code read_branches(files *f, const json_place *at, json_t *value)
{
    json_t *sizes, *size;
    const char *name;
    f->n_branches = 0;
    roast_code code = json_read_object(at, value, &sizes, f->r->err);
    if (code)
        return code;
    json_object_foreach(sizes, name, size)
    {
        json_place place = place_member(at, name);
        roast_branch branch = roast_branch_none();
        branch.name = str_from(name);
        code = json_read_int(&place, size, &branch.compressed, f->r->err);
        if (code)
            return code;
        if (!legacy_grow((void **)&f->branches, &f->branches_capacity, f->n_branches, sizeof branch))
            return fail_memory(f->r->err);
        f->branches[f->n_branches++] = branch;
    }
    return ROAST_OK;
}

static roast_code read_numbers(files *f, const json_place *at, json_t *object, roast_file *file)
{
    const struct {
        const char *key;
        int64_t *field;
    } integers[] = {
        {"num_entries", &file->entries},         {"total_branches", &file->total_branches},
        {"total_tree_bytes", &file->compressed}, {"tree_uncompressed_bytes", &file->uncompressed},
        {"clusters", &file->clusters},           {"level", &file->level},
    };
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < sizeof integers / sizeof *integers; i++) {
        json_place place = place_member(at, integers[i].key);
        code = json_read_int(&place, json_object_get(object, integers[i].key), integers[i].field, f->r->err);
    }
    if (file->total_branches == 0) /* a tree that could not be read */
        file->total_branches = ROAST_ABSENT;
    return code;
}

/* The uncompressed size is not there, but compressed / uncompressed is, to the last digit. */
static roast_code read_ratio(files *f, const json_place *at, json_t *object, roast_file *file)
{
    double ratio;
    json_place place = place_member(at, "compression_ratio");
    roast_code code = json_read_real(&place, json_object_get(object, "compression_ratio"), &ratio, f->r->err);
    if (code || file->uncompressed != ROAST_ABSENT || file->compressed == ROAST_ABSENT || !(ratio > 0))
        return code;
    double uncompressed = round((double)file->compressed / ratio);
    if (uncompressed < 9e18)
        file->uncompressed = (int64_t)uncompressed;
    return ROAST_OK;
}

static roast_code read_texts(files *f, const json_place *at, json_t *object, roast_file *file)
{
    const struct {
        const char *key;
        roast_str *field;
    } texts[] = {{"uuid", &file->uuid}, {"treename", &file->tree}, {"algorithm", &file->algorithm}};
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < sizeof texts / sizeof *texts; i++) {
        json_place place = place_member(at, texts[i].key);
        code = json_read_text(&place, json_object_get(object, texts[i].key), texts[i].field, f->r->err);
    }
    return code;
}

/* How much of it the analysis read stands apart, in file_read_metrics, without the sizes of the branches. */
static roast_code read_bytes_read(files *f, roast_file *file)
{
    json_place place = place_member(&f->r->metrics_file, "file_read_metrics"),
               of_file = place_member(&place, file->url.ptr), number = place_member(&of_file, "bytes_read");
    json_t *table, *object = NULL;
    roast_code code = json_read_object(&place, json_object_get(f->r->metrics, "file_read_metrics"), &table, f->r->err);
    if (!code)
        code = json_read_object(&of_file, json_object_getn(table, file->url.ptr, file->url.len), &object, f->r->err);
    if (!code)
        code = json_read_int(&number, json_object_get(object, "bytes_read"), &file->bytes_read, f->r->err);
    return code;
}

static roast_code give_file(files *f, const json_place *at, json_t *object, roast_str url)
{
    bool added;
    if (intern_add(&f->given, url, &added) == INTERN_NONE)
        return fail_memory(f->r->err);
    if (!added)
        return ROAST_OK;
    roast_file file = roast_file_none();
    json_place sizes = place_member(at, "branch_bytes");
    file.url = url;
    roast_code code = read_numbers(f, at, object, &file);
    if (!code)
        code = read_ratio(f, at, object, &file);
    if (!code)
        code = read_texts(f, at, object, &file);
    if (!code)
        code = read_branches(f, &sizes, json_object_get(object, "branch_bytes"));
    if (!code)
        code = read_bytes_read(f, &file);
    if (code)
        return code;
    file.branches = f->branches;
    file.n_branches = f->n_branches;
    return f->r->sink->file(f->r->sink->context, &file, f->r->err);
}

static roast_code read_top(files *f)
{
    json_place place = place_member(&f->r->metrics_file, "file_metadata");
    json_t *table, *value, *object;
    const char *url;
    roast_code code = json_read_object(&place, json_object_get(f->r->metrics, "file_metadata"), &table, f->r->err);
    json_object_foreach(table, url, value)
    {
        json_place at = place_member(&place, url);
        if (!code)
            code = json_read_object(&at, value, &object, f->r->err);
        if (!code && object)
            code = give_file(f, &at, object, str_from(url));
    }
    return code;
}

static roast_code read_of_chunk(files *f, const json_place *chunk_place, json_t *chunk)
{
    json_place place = place_member(chunk_place, "file_metadata");
    json_place name_place = place_member(&place, "filename");
    json_t *object = NULL;
    roast_str url = str_none();
    roast_code code = json_read_object(&place, json_object_get(chunk, "file_metadata"), &object, f->r->err);
    if (!code)
        code = json_read_text(&name_place, json_object_get(object, "filename"), &url, f->r->err);
    return code || str_absent(url) ? code : give_file(f, &place, object, url);
}

static roast_code read_chunks(files *f)
{
    json_place place;
    json_t *list, *chunk;
    size_t index;
    roast_code code = legacy_chunk_list(f->r, &place, &list);
    if (code)
        return code;
    json_array_foreach(list, index, chunk)
    {
        json_place at = place_item(&place, index);
        code = read_of_chunk(f, &at, chunk);
        if (code)
            return code;
    }
    return ROAST_OK;
}

roast_code files_read(legacy_reader *r)
{
    files f = {.r = r};
    roast_code code = read_top(&f);
    if (!code)
        code = read_chunks(&f);
    intern_release(&f.given);
    free(f.branches);
    return code;
}
