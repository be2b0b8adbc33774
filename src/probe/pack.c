/* Packing records with msgpack-c, straight into a buffer. */
#include "probe/pack.h"

#include <math.h>
#include <msgpack.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/u64map.h"
#include "base/uuid.h"
#include "model/branch_set.h"
#include "model/packed.h"
#include "model/record.h"
#include "model/record_secrets.h"
#include "probe/readings.h"

/* ---- What the process remembers ------------------------------------------------------------------------------ */

static struct {
    pthread_mutex_t lock;
    u64map sets; /* records packed of each set of branches */
    uint64_t seed, uids;
    uint32_t generation; /* of the process that this is about */
    bool seeded;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void unlock_in_child(void)
{
    pthread_mutex_init(&memory.lock, NULL);
}

static void install_fork_handler(void)
{
    probe_after_fork(unlock_in_child);
}

/* With the lock held. A forked child starts afresh: its parent's numbers are the parent's. */
static void lock_state(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_mutex_lock(&memory.lock);
    if (memory.seeded && memory.generation == probe_generation())
        return;
    pthread_once(&once, install_fork_handler);
    u64map_release(&memory.sets);
    memory.uids = 0;
    if (getrandom(&memory.seed, sizeof memory.seed, GRND_NONBLOCK) != sizeof memory.seed) {
        int64_t unique[] = {clock_wall_ns(), clock_monotonic_ns(), getpid()};
        memory.seed = XXH3_64bits(unique, sizeof unique);
    }
    memory.generation = probe_generation();
    memory.seeded = true;
}

uint64_t pack_new_uid(void)
{
    lock_state();
    uint64_t number = ++memory.uids, seed = memory.seed;
    pthread_mutex_unlock(&memory.lock);
    uint64_t uid = XXH3_64bits_withSeed(&number, sizeof number, seed);
    return uid ? uid : 1;
}

void pack_forget_branches(void)
{
    lock_state();
    u64map_release(&memory.sets);
    pthread_mutex_unlock(&memory.lock);
}

/* Whether the names of a set go along this time: with every power of two. */
static bool names_are_due(uint64_t set)
{
    lock_state();
    uint32_t *count = u64map_at(&memory.sets, set);
    bool due = !count || (*count & (*count + 1)) == 0;
    if (count && *count < UINT32_MAX)
        (*count)++;
    pthread_mutex_unlock(&memory.lock);
    return due;
}

/* ---- Values -------------------------------------------------------------------------------------------------- */

static int write_to_buf(void *out, const char *bytes, size_t len)
{
    buf_bytes(out, bytes, len);
    return 0; /* the buffer remembers what went wrong */
}

static msgpack_packer packer_into(buf *out)
{
    msgpack_packer packer;
    msgpack_packer_init(&packer, out, write_to_buf);
    return packer;
}

static void pack_text(msgpack_packer *p, roast_str text)
{
    msgpack_pack_str(p, text.len);
    msgpack_pack_str_body(p, text.ptr, text.len);
}

/* A uuid in its usual spelling takes 16 bytes instead of 36 letters. */
static void pack_uuid(msgpack_packer *p, roast_str text)
{
    unsigned char uuid[UUID_BYTES];
    if (!uuid_bytes(text, uuid)) {
        pack_text(p, text);
        return;
    }
    msgpack_pack_bin(p, sizeof uuid);
    msgpack_pack_bin_body(p, uuid, sizeof uuid);
}

/* Whether a field goes along: not if it is what an empty record has. */
static bool is_packed(const record_spec *spec, const record_field *field, const void *record)
{
    if (!field->key)
        return false;
    if (field_is_text(field))
        return !str_absent(*field_text(field, record));
    if (field->kind == KIND_FLAG)
        return *(const bool *)field_at(field, record);
    return *field_int(field, record) != *field_int(field, spec->none); /* hashes too */
}

static size_t count_fields(record_id id, const void *record)
{
    const record_spec *spec = &record_specs[id];
    size_t there = 0;
    for (size_t i = 0; i < spec->count; i++)
        there += is_packed(spec, &spec->fields[i], record);
    return there;
}

static void pack_int_field(msgpack_packer *p, const record_field *field, const void *record)
{
    int64_t value = *field_int(field, record), base = *(const int64_t *)((const char *)record + field->base), relative;
    bool has_base = field->base != field->offset;
    bool alone = has_base && (base == ROAST_ABSENT || __builtin_sub_overflow(value, base, &relative));
    msgpack_pack_int(p, field->key + (alone ? PACKED_ALONE : 0));
    msgpack_pack_int64(p, has_base && !alone ? relative : value);
}

static void pack_field(msgpack_packer *p, const record_field *field, const void *record)
{
    if (field_is_int(field)) {
        pack_int_field(p, field, record);
        return;
    }
    msgpack_pack_int(p, field->key);
    if (field->kind == KIND_UUID)
        pack_uuid(p, *field_text(field, record));
    else if (field_is_text(field))
        pack_text(p, *field_text(field, record));
    else if (field->kind == KIND_FLAG)
        msgpack_pack_true(p);
    else
        msgpack_pack_uint64(p, *(const uint64_t *)field_at(field, record));
}

static void pack_fields(msgpack_packer *p, record_id id, const void *record)
{
    const record_spec *spec = &record_specs[id];
    for (size_t i = 0; i < spec->count; i++)
        if (is_packed(spec, &spec->fields[i], record))
            pack_field(p, &spec->fields[i], record);
}

/* ---- Parts of a chunk ---------------------------------------------------------------------------------------- */

static size_t shared_prefix(roast_str a, roast_str b)
{
    size_t shared = 0;
    while (shared < a.len && shared < b.len && a.ptr[shared] == b.ptr[shared])
        shared++;
    return shared;
}

static void pack_branches(msgpack_packer *p, buf *out, const roast_str *given, size_t count)
{
    roast_str before = str_none(), *names = malloc((count + 1) * sizeof *names);
    if (!names) {
        out->code = ROAST_MEMORY;
        return;
    }
    if (count)
        memcpy(names, given, count * sizeof *names);
    count = branch_set_sort(names, count);
    msgpack_pack_array(p, count * 2);
    for (size_t i = 0; i < count; i++) {
        size_t shared = shared_prefix(before, names[i]);
        msgpack_pack_uint64(p, shared);
        pack_text(p, (roast_str){names[i].ptr + shared, names[i].len - shared});
        before = names[i];
    }
    free(names);
}

/* The place of the section that a section was entered from: the last of that name before it, one level out. */
static size_t find_parent(const roast_section *sections, size_t place, const roast_section *child)
{
    roast_section own;
    for (size_t i = place; i-- > 0;) {
        const roast_section *before = record_item(&record_specs[RECORD_section], &own, sections, i);
        if (before->depth == child->depth - 1 && str_equal(before->name, child->parent))
            return i + 1;
    }
    return 0;
}

static void pack_sections(msgpack_packer *p, const roast_section *sections, size_t count)
{
    roast_section own;
    msgpack_pack_array(p, count * 3);
    for (size_t i = 0; i < count; i++) {
        const roast_section *section = record_item(&record_specs[RECORD_section], &own, sections, i);
        pack_text(p, section->name.ptr ? section->name : STR(""));
        size_t parent = str_absent(section->parent) ? 0 : find_parent(sections, i, section);
        if (!parent && !str_absent(section->parent))
            pack_text(p, section->parent);
        else
            msgpack_pack_uint64(p, parent);
        msgpack_pack_map(p, count_fields(RECORD_section, section));
        pack_fields(p, RECORD_section, section);
    }
}

static void pack_custom(msgpack_packer *p, buf *out, const roast_custom *custom, size_t count)
{
    msgpack_pack_map(p, count);
    for (size_t i = 0; i < count; i++) {
        pack_text(p, custom[i].name.ptr ? custom[i].name : STR(""));
        if (custom[i].msgpack.len)
            buf_str(out, custom[i].msgpack);
        else
            msgpack_pack_nil(p);
    }
}

/* ---- Records ------------------------------------------------------------------------------------------------- */

static void pack_header(msgpack_packer *p, int kind)
{
    msgpack_pack_array(p, 3);
    msgpack_pack_int(p, kind);
    msgpack_pack_int(p, PACKED_VERSION);
}

/* A record travels as it may be kept: what carries it may be read by others. */
static bool take_stripped(buf *out, record_id id, void *own, const void *given, arena *stripped)
{
    record_take(&record_specs[id], own, given);
    bool done = record_strip_secrets(id, own, stripped);
    if (!done)
        out->code = ROAST_MEMORY;
    return done;
}

static void pack_chunk(buf *out, roast_chunk *chunk)
{
    if (!chunk->uid)
        chunk->uid = pack_new_uid();
    if (!chunk->branch_set && chunk->branches)
        chunk->branch_set = branch_set_hash(chunk->branches, chunk->n_branches);
    bool names = chunk->branch_set && chunk->branches && names_are_due(chunk->branch_set);
    msgpack_packer p = packer_into(out);
    pack_header(&p, PACKED_CHUNK);
    msgpack_pack_map(&p, count_fields(RECORD_chunk, chunk) + names + (chunk->n_sections != 0) + (chunk->n_custom != 0));
    pack_fields(&p, RECORD_chunk, chunk);
    if (names) {
        msgpack_pack_int(&p, PACKED_BRANCHES);
        pack_branches(&p, out, chunk->branches, chunk->n_branches);
    }
    if (chunk->n_sections) {
        msgpack_pack_int(&p, PACKED_SECTIONS);
        pack_sections(&p, chunk->sections, chunk->n_sections);
    }
    if (chunk->n_custom) {
        msgpack_pack_int(&p, PACKED_CUSTOM);
        pack_custom(&p, out, chunk->custom, chunk->n_custom);
    }
}

void roast_pack_chunk(buf *out, const roast_chunk *given)
{
    roast_chunk chunk;
    arena stripped = {0};
    if (take_stripped(out, RECORD_chunk, &chunk, given, &stripped))
        pack_chunk(out, &chunk);
    arena_release(&stripped);
}

/* ---- Files --------------------------------------------------------------------------------------------------- */

static void pack_size(msgpack_packer *p, int64_t size)
{
    if (size == ROAST_ABSENT)
        msgpack_pack_nil(p);
    else
        msgpack_pack_int64(p, size);
}

static void pack_file_branches(msgpack_packer *p, const roast_branch *branches, size_t count)
{
    roast_str before = str_none();
    roast_branch own;
    msgpack_pack_array(p, count * PACKED_FILE_BRANCH_PARTS);
    for (size_t i = 0; i < count; i++) {
        const roast_branch *branch = record_item(&record_specs[RECORD_branch], &own, branches, i);
        roast_str name = branch->name;
        size_t shared = shared_prefix(before, name);
        msgpack_pack_uint64(p, shared);
        pack_text(p, (roast_str){name.ptr + shared, name.len - shared});
        pack_size(p, branch->compressed);
        pack_size(p, branch->uncompressed);
        pack_size(p, branch->baskets);
        before = name;
    }
}

static void pack_file(buf *out, const roast_file *file)
{
    msgpack_packer p = packer_into(out);
    pack_header(&p, PACKED_FILE);
    msgpack_pack_map(&p, count_fields(RECORD_file, file) + (file->n_branches != 0));
    pack_fields(&p, RECORD_file, file);
    if (file->n_branches) {
        msgpack_pack_int(&p, PACKED_FILE_BRANCHES);
        pack_file_branches(&p, file->branches, file->n_branches);
    }
}

void roast_pack_file(buf *out, const roast_file *given)
{
    roast_file file;
    arena stripped = {0};
    if (take_stripped(out, RECORD_file, &file, given, &stripped))
        pack_file(out, &file);
    arena_release(&stripped);
}

/* ---- Samples ------------------------------------------------------------------------------------------------- */

static int64_t in_units(int64_t value, int64_t unit)
{
    return value / unit;
}

void pack_samples(buf *out, const packed_sample *samples, size_t count)
{
    int64_t t_us = count ? in_units(samples[0].t_ns, 1000) : 0, kib = 0;
    msgpack_packer p = packer_into(out);
    pack_header(&p, PACKED_SAMPLES);
    msgpack_pack_map(&p, 2);
    msgpack_pack_int(&p, PACKED_T_NS);
    msgpack_pack_int64(&p, t_us * 1000);
    msgpack_pack_int(&p, PACKED_SAMPLE_ROWS);
    msgpack_pack_array(&p, count * 3);
    for (size_t i = 0; i < count; i++) {
        int64_t now_us = in_units(samples[i].t_ns, 1000);
        msgpack_pack_int64(&p, now_us - t_us);
        t_us = now_us;
        if (samples[i].rss == ROAST_ABSENT) {
            msgpack_pack_nil(&p);
        } else {
            int64_t now_kib = in_units(samples[i].rss, 1024);
            msgpack_pack_int64(&p, now_kib - kib);
            kib = now_kib;
        }
        if (isfinite(samples[i].cpu))
            msgpack_pack_int64(&p, (int64_t)llround(samples[i].cpu * 10));
        else
            msgpack_pack_nil(&p);
    }
}
