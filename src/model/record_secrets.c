/* Stripping records. Lists belong to somebody else: one with a secret in it is copied, any other stays where it is. */
#include "model/record_secrets.h"

#include <string.h>

#include "base/secrets.h"
#include "base/str.h"

static bool strip_fields(const record_spec *spec, void *own, bool *changed, arena *memory)
{
    for (size_t i = 0; i < spec->count; i++) {
        if (!field_is_text(&spec->fields[i]))
            continue;
        roast_str *text = field_text(&spec->fields[i], own);
        const char *before = text->ptr;
        if (!strip_secrets(text, memory))
            return false;
        *changed |= text->ptr != before;
    }
    return true;
}

/* A list of sections or branches, each as large as its first one says. */
static bool strip_list(record_id id, const void **list, size_t count, arena *memory)
{
    const record_spec *spec = &record_specs[id];
    union {
        roast_section section;
        roast_branch branch;
    } own;
    bool changed = false;
    for (size_t i = 0; i < count && !changed; i++) {
        record_item(spec, &own, *list, i);
        if (!strip_fields(spec, &own, &changed, memory))
            return false;
    }
    char *copy = changed ? arena_alloc(memory, count, spec->size) : NULL;
    for (size_t i = 0; copy && i < count; i++) {
        record_item(spec, copy + i * spec->size, *list, i);
        if (!strip_fields(spec, copy + i * spec->size, &changed, memory))
            return false;
    }
    if (copy)
        *list = copy;
    return copy || !changed;
}

/* A copy of a list, to be changed; NULL if memory is out. */
static void *copy_list(const void *list, size_t bytes, arena *memory)
{
    void *copy = arena_bytes(memory, bytes);
    return copy ? memcpy(copy, list, bytes) : NULL;
}

/* With other names it is another set. */
static bool strip_branches(roast_chunk *chunk, arena *memory)
{
    roast_str *copy = NULL;
    for (size_t i = 0; i < chunk->n_branches; i++) {
        roast_str name = chunk->branches[i];
        if (!strip_secrets(&name, memory))
            return false;
        if (name.ptr == chunk->branches[i].ptr)
            continue;
        if (!copy && !(copy = copy_list(chunk->branches, chunk->n_branches * sizeof *copy, memory)))
            return false;
        copy[i] = name;
        chunk->branches = copy;
        chunk->branch_set = 0;
    }
    return true;
}

static bool strip_custom(roast_chunk *chunk, arena *memory)
{
    roast_custom *copy = NULL;
    for (size_t i = 0; i < chunk->n_custom; i++) {
        const roast_custom given = chunk->custom[i];
        roast_custom kept = given;
        if (!strip_secrets_in_msgpack(given.name, &kept.msgpack, memory) || !strip_secrets(&kept.name, memory))
            return false;
        if (kept.msgpack.ptr == given.msgpack.ptr && kept.name.ptr == given.name.ptr)
            continue;
        if (!copy && !(copy = copy_list(chunk->custom, chunk->n_custom * sizeof *copy, memory)))
            return false;
        copy[i] = kept;
        chunk->custom = copy;
    }
    return true;
}

bool record_strip_secrets(record_id id, void *own, arena *memory)
{
    bool changed = false;
    if (!strip_fields(&record_specs[id], own, &changed, memory))
        return false;
    roast_chunk *chunk = own;
    roast_file *file = own;
    const void *list;
    switch (id) {
    case RECORD_chunk:
        list = chunk->sections;
        if (!strip_list(RECORD_section, &list, chunk->n_sections, memory))
            return false;
        chunk->sections = list;
        return strip_branches(chunk, memory) && strip_custom(chunk, memory);
    case RECORD_file:
        list = file->branches;
        if (!strip_list(RECORD_branch, &list, file->n_branches, memory))
            return false;
        file->branches = list;
        return true;
    default:
        return true;
    }
}
