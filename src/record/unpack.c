/* Unpacking. Keys that are not known are skipped, values of a wrong kind make the record invalid; the counts that are
 * allocated for are bounded by the bytes that are left. */
#include "record/unpack.h"

#include <stddef.h>

#include "base/error.h"
#include "base/msgpack_read.h"
#include "base/str.h"
#include "base/uuid.h"
#include "model/record.h"

enum { LONGEST_BRANCH = 4096 };

typedef struct unpacker {
    cursor at;
    arena *memory;
    bool no_memory;
} unpacker;

static void *allocate(unpacker *u, size_t count, size_t size)
{
    void *memory = arena_alloc(u->memory, count, size);
    if (!memory) {
        u->no_memory = true;
        u->at.failed = true;
    }
    return memory;
}

/* ---- Fields -------------------------------------------------------------------------------------------------- */

static void read_int(cursor *c, const record_field *field, bool alone, void *record)
{
    int64_t value = mp_int(c);
    int64_t base = *(const int64_t *)((const char *)record + field->base);
    bool relative = field->offset != field->base && !alone;
    if (relative && (base == ROAST_ABSENT || __builtin_add_overflow(value, base, &value)))
        c->failed = true;
    else
        *field_int(field, record) = value;
}

static roast_str read_uuid(unpacker *u)
{
    mp_value value = mp_read(&u->at);
    if (value.kind == MP_BYTES && value.as.text.len == UUID_BYTES) {
        roast_str text = uuid_text(u->memory, value.as.text.ptr);
        u->no_memory |= str_absent(text);
        u->at.failed |= u->no_memory;
        return text;
    }
    u->at.failed |= value.kind != MP_TEXT;
    return value.kind == MP_TEXT ? value.as.text : str_none();
}

static uint64_t read_hash(cursor *c)
{
    mp_value value = mp_read(c);
    if (value.kind == MP_UINT)
        return value.as.natural;
    if (value.kind != MP_INT || value.as.integer < 0)
        c->failed = true;
    return value.kind == MP_INT ? (uint64_t)value.as.integer : 0;
}

static bool read_flag(cursor *c)
{
    mp_value value = mp_read(c);
    if (value.kind != MP_BOOL)
        c->failed = true;
    return value.kind == MP_BOOL && value.as.boolean;
}

/* Reads the value of a key that is a field of this record; false if it is none. Bases come before what is relative to
 * them. */
static bool read_field(unpacker *u, record_id id, int64_t key, void *record)
{
    const record_spec *spec = &record_specs[id];
    for (size_t i = 0; i < spec->count; i++) {
        const record_field *field = &spec->fields[i];
        bool alone = field_is_int(field) && key == field->key + PACKED_ALONE;
        if (!field->key || (key != field->key && !alone))
            continue;
        if (field_is_int(field))
            read_int(&u->at, field, alone, record);
        else if (field->kind == KIND_UUID)
            *field_text(field, record) = read_uuid(u);
        else if (field_is_text(field))
            *field_text(field, record) = mp_text(&u->at);
        else if (field->kind == KIND_FLAG)
            *(bool *)field_at(field, record) = read_flag(&u->at);
        else
            *(uint64_t *)field_at(field, record) = read_hash(&u->at);
        return true;
    }
    return false;
}

/* ---- Parts --------------------------------------------------------------------------------------------------- */

static roast_str read_branch(unpacker *u, roast_str before)
{
    int64_t shared = mp_int(&u->at);
    roast_str rest = mp_text(&u->at);
    if (u->at.failed || shared < 0 || (uint64_t)shared > before.len || rest.len > LONGEST_BRANCH ||
        (size_t)shared + rest.len > LONGEST_BRANCH) {
        u->at.failed = true;
        return str_none();
    }
    char *name = allocate(u, (size_t)shared + rest.len + 1, 1);
    if (!name)
        return str_none();
    if (shared)
        memcpy(name, before.ptr, (size_t)shared);
    if (rest.len)
        memcpy(name + shared, rest.ptr, rest.len);
    return (roast_str){name, (size_t)shared + rest.len};
}

static void read_branches(unpacker *u, roast_chunk *chunk)
{
    size_t count = mp_array(&u->at) / 2;
    roast_str *names = allocate(u, count, sizeof *names);
    roast_str before = STR("");
    for (size_t i = 0; i < count && !u->at.failed; i++)
        names[i] = before = read_branch(u, before);
    chunk->branches = names;
    chunk->n_branches = count;
}

static void read_section(unpacker *u, roast_section *sections, size_t place)
{
    roast_section *section = &sections[place];
    *section = roast_section_none();
    section->name = mp_text(&u->at);
    mp_value parent = mp_read(&u->at);
    if (parent.kind == MP_TEXT)
        section->parent = parent.as.text;
    else if (parent.kind == MP_INT && parent.as.integer > 0 && (uint64_t)parent.as.integer <= place)
        section->parent = sections[parent.as.integer - 1].name;
    else if (parent.kind != MP_INT || parent.as.integer != 0)
        u->at.failed = true;
    size_t pairs = mp_map(&u->at);
    for (size_t i = 0; i < pairs && !u->at.failed; i++) {
        int64_t key = mp_int(&u->at);
        if (!read_field(u, RECORD_section, key, section))
            mp_skip(&u->at, PACKED_DEPTH);
    }
}

static void read_sections(unpacker *u, roast_chunk *chunk)
{
    size_t count = mp_array(&u->at) / 3;
    roast_section *sections = allocate(u, count, sizeof *sections);
    for (size_t i = 0; i < count && !u->at.failed; i++)
        read_section(u, sections, i);
    chunk->sections = sections;
    chunk->n_sections = count;
}

static void read_custom(unpacker *u, roast_chunk *chunk)
{
    size_t count = mp_map(&u->at);
    roast_custom *custom = allocate(u, count, sizeof *custom);
    for (size_t i = 0; i < count && !u->at.failed; i++) {
        custom[i].name = mp_text(&u->at);
        custom[i].msgpack = mp_raw(&u->at, PACKED_DEPTH);
    }
    chunk->custom = custom;
    chunk->n_custom = count;
}

static void read_part(unpacker *u, int64_t key, roast_chunk *chunk)
{
    switch (key) {
    case PACKED_BRANCHES:
        read_branches(u, chunk);
        break;
    case PACKED_SECTIONS:
        read_sections(u, chunk);
        break;
    case PACKED_CUSTOM:
        read_custom(u, chunk);
        break;
    default:
        mp_skip(&u->at, PACKED_DEPTH);
    }
}

/* ---- Records ------------------------------------------------------------------------------------------------- */

static void read_chunk(unpacker *u, roast_chunk *chunk)
{
    *chunk = roast_chunk_none();
    size_t pairs = mp_map(&u->at);
    for (size_t i = 0; i < pairs && !u->at.failed; i++) {
        int64_t key = mp_int(&u->at);
        if (!read_field(u, RECORD_chunk, key, chunk))
            read_part(u, key, chunk);
    }
}

static int64_t read_size(cursor *c)
{
    mp_value value = mp_read(c);
    if (value.kind != MP_INT && value.kind != MP_NIL)
        c->failed = true;
    return value.kind == MP_INT ? value.as.integer : ROAST_ABSENT;
}

static void read_file_branches(unpacker *u, roast_file *file)
{
    size_t count = mp_array(&u->at) / PACKED_FILE_BRANCH_PARTS;
    roast_branch *branches = allocate(u, count, sizeof *branches);
    roast_str before = str_none();
    for (size_t i = 0; i < count && !u->at.failed; i++) {
        branches[i] = roast_branch_none();
        branches[i].name = before = read_branch(u, before);
        branches[i].compressed = read_size(&u->at);
        branches[i].uncompressed = read_size(&u->at);
        branches[i].baskets = read_size(&u->at);
    }
    file->branches = branches;
    file->n_branches = count;
}

static void read_file(unpacker *u, roast_file *file)
{
    *file = roast_file_none();
    size_t pairs = mp_map(&u->at);
    for (size_t i = 0; i < pairs && !u->at.failed; i++) {
        int64_t key = mp_int(&u->at);
        if (read_field(u, RECORD_file, key, file))
            continue;
        if (key == PACKED_FILE_BRANCHES)
            read_file_branches(u, file);
        else
            mp_skip(&u->at, PACKED_DEPTH);
    }
    if (str_absent(file->url))
        u->at.failed = true;
}

/* Adds a difference in these units to a sum; nil leaves it and gives an absent value. */
static int64_t read_step(cursor *c, int64_t unit, int64_t *sum)
{
    mp_value step = mp_read(c);
    int64_t difference;
    if (step.kind == MP_NIL)
        return ROAST_ABSENT;
    if (step.kind != MP_INT || __builtin_mul_overflow(step.as.integer, unit, &difference) ||
        __builtin_add_overflow(*sum, difference, sum))
        c->failed = true;
    return *sum;
}

static void read_sample_rows(unpacker *u, int64_t t_ns, unpacked *out)
{
    size_t count = mp_array(&u->at) / 3;
    int64_t rss = 0;
    out->samples = allocate(u, count, sizeof *out->samples);
    for (size_t i = 0; i < count && !u->at.failed; i++) {
        roast_sample sample = roast_sample_none();
        int64_t tenths = 0;
        sample.t_ns = read_step(&u->at, 1000, &t_ns);
        sample.memory = read_step(&u->at, 1024, &rss);
        if (read_step(&u->at, 1, &tenths) != ROAST_ABSENT)
            sample.cpu = (double)tenths / 10;
        if (sample.t_ns == ROAST_ABSENT)
            u->at.failed = true;
        out->samples[i] = sample;
    }
    out->n_samples = count;
}

static void read_samples(unpacker *u, unpacked *out)
{
    int64_t t_ns = 0;
    size_t pairs = mp_map(&u->at);
    for (size_t i = 0; i < pairs && !u->at.failed; i++) {
        int64_t key = mp_int(&u->at);
        if (key == PACKED_T_NS)
            t_ns = mp_int(&u->at);
        else if (key == PACKED_SAMPLE_ROWS)
            read_sample_rows(u, t_ns, out);
        else
            mp_skip(&u->at, PACKED_DEPTH);
    }
}

roast_code unpack_record(unpacked *out, arena *memory, roast_str packed, roast_error *err)
{
    *out = (unpacked){0};
    if (packed.len > PACKED_LARGEST)
        return fail(err, ROAST_LIMIT, "a packed record of %zu bytes is refused; the largest is %d", packed.len,
                    PACKED_LARGEST);
    unpacker u = {.at = cursor_over(packed.ptr, packed.len), .memory = memory};
    size_t parts = mp_array(&u.at);
    int64_t kind = mp_int(&u.at), version = mp_int(&u.at);
    if (u.at.failed || parts != 3 || kind < PACKED_CHUNK || kind > PACKED_FILE)
        return fail(err, ROAST_CORRUPT, "a packed record of %zu bytes is damaged: it does not start as one",
                    packed.len);
    if (version > PACKED_VERSION)
        return fail(
            err, ROAST_VERSION,
            "a packed record is of version %lld; this is roastcoffea %s, which knows up to %d: the workers have "
            "a newer one",
            (long long)version, roast_version(), PACKED_VERSION);
    out->kind = (enum packed_kind)kind;
    if (kind == PACKED_CHUNK)
        read_chunk(&u, &out->chunk);
    else if (kind == PACKED_FILE)
        read_file(&u, &out->file);
    else
        read_samples(&u, out);
    if (u.no_memory)
        return fail_memory(err);
    if (u.at.failed || cursor_left(&u.at))
        return fail(err, ROAST_CORRUPT, "a packed record of %zu bytes is damaged at byte %zu", packed.len,
                    cursor_position(&u.at));
    return ROAST_OK;
}
