/* raw_chunk_metrics: one record per chunk. A table says what the keys of 0.1.x mean; what is neither there nor a field
 * was attached by the user and is kept as msgpack under its own name. */
#include <math.h>
#include <msgpack.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/intern.h"
#include "model/record.h"
#include "source/legacy/parts.h"

static const double MIB = 1048576, GB = 1e9;

/* What a key of a chunk's record is, where it is not a field of the same name or not only that. */
typedef enum key_meaning {
    KEY_FIELD,
    KEY_GB,          /* the field is in bytes */
    KEY_BYTES_READ,  /* 0 counts as not measured if no chunk has any */
    KEY_BRANCHES,    /* the list */
    KEY_OF_BRANCHES, /* kept as a custom value; 0 says nothing if the branches are not known */
    KEY_PARTS,       /* sections and files, read apart */
    KEY_CUSTOM,      /* a map of custom values */
    KEY_DERIVED,     /* follows from another key; kept as a custom value if that one is missing */
} key_meaning;

typedef struct chunk_key {
    const char *key;
    key_meaning meaning;
    const char
        *of; /* the field's name of today; of a derived one what it follows from, NULL: it is not needed at all */
    const record_field *field;
    bool newer; /* not of 0.1.x: with another type it is the user's */
} chunk_key;

/* The keys of 0.1.x, in the order of strcmp. Every other field of a chunk is known under its name of today. */
static const chunk_key OLD_KEYS[] = {
    {.key = "accessed_branches", .meaning = KEY_BRANCHES},
    {.key = "accessed_bytes", .meaning = KEY_OF_BRANCHES},
    {.key = "accessed_uncompressed_bytes", .meaning = KEY_OF_BRANCHES},
    {.key = "branches_read_percent", .meaning = KEY_DERIVED, .of = "accessed_branches"},
    {.key = "bytes", .meaning = KEY_PARTS},
    {.key = "bytes_read", .meaning = KEY_BYTES_READ, .of = "bytes_read"},
    {.key = "bytes_read_percent", .meaning = KEY_OF_BRANCHES},
    {.key = "chunk_id", .meaning = KEY_DERIVED},
    {.key = "custom_metrics", .meaning = KEY_CUSTOM},
    {.key = "dataset", .of = "dataset"},
    {.key = "duration", .of = "duration"},
    {.key = "entry_start", .of = "entry_start"},
    {.key = "entry_stop", .of = "entry_stop"},
    {.key = "error", .of = "error"},
    {.key = "error_type", .of = "error_type"},
    {.key = "file", .of = "file"},
    {.key = "file_metadata", .meaning = KEY_PARTS},
    {.key = "filename", .of = "file"},
    {.key = "mem_after_mb", .of = "mem_after_mb"},
    {.key = "mem_before_mb", .of = "mem_before_mb"},
    {.key = "mem_delta_mb", .meaning = KEY_DERIVED, .of = "mem_after_mb"},
    {.key = "memory", .meaning = KEY_PARTS},
    {.key = "memory_delta_gb", .meaning = KEY_DERIVED, .of = "memory_end_gb"},
    {.key = "memory_end_gb", .meaning = KEY_GB, .of = "mem_after_mb"},
    {.key = "memory_sections", .meaning = KEY_PARTS},
    {.key = "memory_start_gb", .meaning = KEY_GB, .of = "mem_before_mb"},
    {.key = "noncpu_seconds", .meaning = KEY_DERIVED, .of = "cpu_seconds"},
    {.key = "num_branches_accessed", .meaning = KEY_DERIVED, .of = "accessed_branches"},
    {.key = "num_events", .of = "num_events"},
    {.key = "schema_seconds", .of = "events_seconds", .newer = true},
    {.key = "sections", .meaning = KEY_PARTS},
    {.key = "t_end", .meaning = KEY_DERIVED, .of = "t_start"},
    {.key = "t_start", .of = "t_start"},
    {.key = "timestamp", .meaning = KEY_DERIVED, .of = "t_start"},
    {.key = "timing", .meaning = KEY_PARTS},
    {.key = "uid", .meaning = KEY_DERIVED},
    {.key = "uuid", .of = "uuid"},
};
enum { N_OLD_KEYS = sizeof OLD_KEYS / sizeof *OLD_KEYS, MOST_KEYS = 128 };

/* Where a section's row of the current chunk is, so that a name is found at once. */
typedef struct section_slot {
    size_t chunk, row;
} section_slot;

typedef struct custom_span {
    const char *name;
    size_t start, end; /* in the packed bytes, which move while they grow */
} custom_span;

typedef struct chunks {
    legacy_reader *r;
    size_t index; /* of the current chunk */
    roast_chunk chunk;
    bool branches_known;
    chunk_key keys[MOST_KEYS]; /* in the order of strcmp */
    size_t n_keys;

    roast_str *branches;
    size_t n_branches, branches_capacity;

    intern section_names;
    section_slot *slots; /* by number of the name */
    size_t slots_capacity;
    roast_section *sections;
    size_t n_sections, sections_capacity;

    msgpack_sbuffer packed;
    custom_span *spans;
    size_t n_spans, spans_capacity;
    roast_custom *custom;
    size_t custom_capacity;
} chunks;

/* ---- Custom values ------------------------------------------------------------------------------------------------
 */

/* As deep as the parser went, which has its limit. */
static int pack_value(msgpack_packer *packer, json_t *value)
{
    size_t index;
    const char *key;
    json_t *item;
    int failed;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        failed = msgpack_pack_map(packer, json_object_size(value));
        json_object_foreach(value, key, item)
        {
            failed |= msgpack_pack_str_with_body(packer, key, strlen(key));
            failed |= pack_value(packer, item);
        }
        return failed;
    case JSON_ARRAY:
        failed = msgpack_pack_array(packer, json_array_size(value));
        json_array_foreach(value, index, item) failed |= pack_value(packer, item);
        return failed;
    case JSON_STRING:
        return msgpack_pack_str_with_body(packer, json_string_value(value), json_string_length(value));
    case JSON_INTEGER:
        return msgpack_pack_int64(packer, json_integer_value(value));
    case JSON_REAL:
        return msgpack_pack_double(packer, json_real_value(value));
    case JSON_TRUE:
        return msgpack_pack_true(packer);
    case JSON_FALSE:
        return msgpack_pack_false(packer);
    default:
        return msgpack_pack_nil(packer);
    }
}

static roast_code add_custom(chunks *c, const char *name, json_t *value)
{
    msgpack_packer packer;
    custom_span span = {.name = name, .start = c->packed.size};
    msgpack_packer_init(&packer, &c->packed, msgpack_sbuffer_write);
    if (pack_value(&packer, value) || !legacy_grow((void **)&c->spans, &c->spans_capacity, c->n_spans, sizeof span))
        return fail_memory(c->r->err);
    span.end = c->packed.size;
    c->spans[c->n_spans++] = span;
    return ROAST_OK;
}

static roast_code add_custom_map(chunks *c, const json_place *at, json_t *value)
{
    json_t *map, *member;
    const char *name;
    roast_code code = json_read_object(at, value, &map, c->r->err);
    json_object_foreach(map, name, member) code = code ? code : add_custom(c, name, member);
    return code;
}

/* ---- Fields -------------------------------------------------------------------------------------------------------
 */

static int compare_keys(const void *a, const void *b)
{
    return strcmp(((const chunk_key *)a)->key, ((const chunk_key *)b)->key);
}

static const record_field *field_shown_as(const char *name)
{
    const record_spec *spec = &record_specs[RECORD_chunk];
    for (size_t i = 0; i < spec->count; i++)
        if (strcmp(spec->fields[i].shown, name) == 0)
            return &spec->fields[i];
    return NULL;
}

static void collect_keys(chunks *c)
{
    const record_spec *spec = &record_specs[RECORD_chunk];
    memcpy(c->keys, OLD_KEYS, sizeof OLD_KEYS);
    for (size_t i = 0; i < N_OLD_KEYS; i++)
        if (c->keys[i].meaning <= KEY_BYTES_READ)
            c->keys[i].field = field_shown_as(c->keys[i].of);
    c->n_keys = N_OLD_KEYS;
    for (size_t i = 0; i < spec->count && c->n_keys < MOST_KEYS; i++) {
        chunk_key today = {.key = spec->fields[i].shown, .field = &spec->fields[i], .newer = true};
        if (*today.key && !bsearch(&today, OLD_KEYS, N_OLD_KEYS, sizeof today, compare_keys))
            c->keys[c->n_keys++] = today;
    }
    qsort(c->keys, c->n_keys, sizeof *c->keys, compare_keys);
}

static roast_code read_branches(chunks *c, const json_place *at, json_t *value)
{
    json_t *list, *item;
    size_t index;
    roast_code code = json_read_array(at, value, &list, c->r->err);
    json_array_foreach(list, index, item)
    {
        json_place place = place_item(at, index);
        roast_str name = str_none();
        if (!code && !legacy_grow((void **)&c->branches, &c->branches_capacity, c->n_branches, sizeof name))
            code = fail_memory(c->r->err);
        if (!code)
            code = json_read_text(&place, item, &name, c->r->err);
        if (code)
            return code;
        if (!str_absent(name))
            c->branches[c->n_branches++] = name;
    }
    return code;
}

/* A number times unit, as whole nanoseconds or bytes. For 1e9 the product alone would lose digits of a large one. */
static roast_code read_scaled(chunks *c, const json_place *at, const json_t *value, double unit, int64_t *out)
{
    double number;
    roast_code code = json_read_real(at, value, &number, c->r->err);
    if (code || isnan(number))
        return code;
    if (fabs(number * unit) >= 9e18)
        return json_fail(at, c->r->err, "is too large a number");
    *out = unit == 1e9 ? clock_ns_from_seconds(number) : llround(number * unit);
    return ROAST_OK;
}

static roast_code read_number(chunks *c, const chunk_key *k, const json_place *at, const json_t *value, int64_t *out)
{
    if (*out != ROAST_ABSENT) /* an older name of what is there already */
        return ROAST_OK;
    double seconds;
    roast_code code = ROAST_OK;
    if (k->meaning == KEY_GB)
        return read_scaled(c, at, value, GB, out);
    switch (k->field->kind) {
    case KIND_TIME:
    case KIND_LOCAL:
        code = json_read_real(at, value, &seconds, c->r->err);
        if (!code && seconds >= c->r->first_dated_second)
            *out = clock_ns_from_seconds(seconds);
        return code;
    case KIND_SPAN:
        return read_scaled(c, at, value, 1e9, out);
    case KIND_MEMORY:
        return read_scaled(c, at, value, MIB, out);
    default:
        code = json_read_int(at, value, out, c->r->err);
        if (!code && *out == 0 && k->meaning == KEY_BYTES_READ && !c->r->bytes_measured)
            *out = ROAST_ABSENT;
        return code;
    }
}

static bool type_fits(const record_field *field, const json_t *value)
{
    if (field_is_text(field))
        return json_is_string(value) || json_is_null(value);
    return json_is_number(value) || json_is_null(value) || (field->kind == KIND_FLAG && json_is_boolean(value));
}

static roast_code read_field(chunks *c, const chunk_key *k, const json_place *at, json_t *value)
{
    const record_field *field = k->field;
    if (k->newer && !type_fits(field, value))
        return add_custom(c, k->key, value);
    if (field_is_int(field))
        return read_number(c, k, at, value, field_int(field, &c->chunk));
    if (field->kind == KIND_FLAG)
        *(bool *)field_at(field, &c->chunk) = json_is_true(value) || json_number_value(value) > 0;
    else if (field_is_text(field) && str_absent(*field_text(field, &c->chunk)))
        return json_read_text(at, value, field_text(field, &c->chunk), c->r->err);
    return ROAST_OK;
}

static roast_code read_key(chunks *c, const chunk_key *k, const json_place *at, json_t *chunk, json_t *value)
{
    switch (k->meaning) {
    case KEY_BRANCHES:
        return read_branches(c, at, value);
    case KEY_OF_BRANCHES:
        return json_is_number(value) && (c->branches_known || json_number_value(value) > 0)
                   ? add_custom(c, k->key, value)
                   : ROAST_OK;
    case KEY_PARTS:
        return ROAST_OK;
    case KEY_CUSTOM:
        return add_custom_map(c, at, value);
    case KEY_DERIVED:
        return k->of && !json_object_get(chunk, k->of) ? add_custom(c, k->key, value) : ROAST_OK;
    default:
        return read_field(c, k, at, value);
    }
}

static roast_code read_fields(chunks *c, const json_place *at, json_t *chunk)
{
    const char *key;
    json_t *value;
    roast_code code = ROAST_OK;
    c->branches_known = json_array_size(json_object_get(chunk, "accessed_branches")) > 0;
    json_object_foreach(chunk, key, value)
    {
        json_place place = place_member(at, key);
        const chunk_key *known = bsearch(&(chunk_key){.key = key}, c->keys, c->n_keys, sizeof *c->keys, compare_keys);
        code = known ? read_key(c, known, &place, chunk, value) : add_custom(c, key, value);
        if (code)
            return code;
    }
    return code;
}

/* ---- Sections ------------------------------------------------------------------------------------------------------
 */

/* The row of this chunk's section; NULL if memory is out. */
static roast_section *section_named(chunks *c, roast_str name)
{
    bool added;
    uint32_t number = intern_add(&c->section_names, name, &added);
    if (number == INTERN_NONE || !legacy_grow((void **)&c->slots, &c->slots_capacity, number, sizeof *c->slots))
        return NULL;
    section_slot *slot = &c->slots[number];
    if (!added && slot->chunk == c->index)
        return &c->sections[slot->row];
    if (!legacy_grow((void **)&c->sections, &c->sections_capacity, c->n_sections, sizeof *c->sections))
        return NULL;
    *slot = (section_slot){c->index, c->n_sections};
    roast_section *row = &c->sections[c->n_sections++];
    *row = roast_section_none();
    row->name = c->section_names.strings[number];
    row->count = 0;
    return row;
}

static void add_to(int64_t *sum, int64_t value)
{
    if (value == ROAST_ABSENT)
        return;
    int64_t total;
    *sum = *sum == ROAST_ABSENT ? value : __builtin_add_overflow(*sum, value, &total) ? *sum : total;
}

static roast_code member_scaled(chunks *c, const json_place *at, json_t *object, const char *key, double unit,
                                int64_t *out)
{
    json_place place = place_member(at, key);
    *out = ROAST_ABSENT;
    return read_scaled(c, &place, json_object_get(object, key), unit, out);
}

/* {section_name, time_delta, cpu_delta, count, depth} */
static roast_code add_timed(chunks *c, const json_place *at, json_t *item, roast_section *row)
{
    int64_t time, cpu, count, depth;
    roast_code code = member_scaled(c, at, item, "time_delta", 1e9, &time);
    if (!code)
        code = member_scaled(c, at, item, "cpu_delta", 1e9, &cpu);
    if (!code)
        code = member_scaled(c, at, item, "count", 1, &count);
    if (!code)
        code = member_scaled(c, at, item, "depth", 1, &depth);
    if (code)
        return code;
    add_to(&row->duration_ns, time);
    add_to(&row->cpu_ns, cpu);
    add_to(&row->count, count == ROAST_ABSENT ? 1 : count);
    if (depth > 0)
        row->depth = depth;
    return ROAST_OK;
}

/* {section_name, memory_start_gb, memory_end_gb, memory_delta_gb} */
static roast_code add_memory(chunks *c, const json_place *at, json_t *item, roast_section *row)
{
    int64_t before, after, delta;
    roast_code code = member_scaled(c, at, item, "memory_start_gb", GB, &before);
    if (!code)
        code = member_scaled(c, at, item, "memory_end_gb", GB, &after);
    if (!code)
        code = member_scaled(c, at, item, "memory_delta_gb", GB, &delta);
    if (code)
        return code;
    if (row->rss_before == ROAST_ABSENT)
        row->rss_before = before;
    if (after != ROAST_ABSENT)
        row->rss_after = after;
    if (delta == ROAST_ABSENT && before != ROAST_ABSENT && after != ROAST_ABSENT)
        delta = after - before;
    add_to(&row->rss_delta, delta);
    return ROAST_OK;
}

typedef roast_code (*section_adder)(chunks *c, const json_place *at, json_t *item, roast_section *row);

/* The documented shape: a list with one item per time a section was entered. */
static roast_code read_section_list(chunks *c, const json_place *at, json_t *value, section_adder add)
{
    json_t *list, *item, *object;
    size_t index;
    roast_code code = json_read_array(at, value, &list, c->r->err);
    json_array_foreach(list, index, item)
    {
        json_place place = place_item(at, index), name_place = place_member(&place, "section_name");
        roast_str name = str_none();
        if (!code)
            code = json_read_object(&place, item, &object, c->r->err);
        if (!code)
            code = json_read_text(&name_place, json_object_get(object, "section_name"), &name, c->r->err);
        if (!code && str_absent(name))
            code = json_fail(&place, c->r->err, "has no section_name");
        roast_section *row = code ? NULL : section_named(c, name);
        if (!code)
            code = row ? add(c, &place, object, row) : fail_memory(c->r->err);
        if (code)
            return code;
    }
    return code;
}

/* The shape of 0.1.2: {name: value}. Where the list told the same, the list is taken. */
static roast_code read_section_map(chunks *c, const json_place *at, json_t *value, size_t offset, double unit)
{
    json_t *map, *member;
    const char *name;
    roast_code code = json_read_object(at, value, &map, c->r->err);
    if (code)
        return code;
    json_object_foreach(map, name, member)
    {
        json_place place = place_member(at, name);
        roast_section *row = section_named(c, str_from(name));
        if (!row)
            return fail_memory(c->r->err);
        int64_t *field_of_row = (int64_t *)(void *)((char *)row + offset);
        if (*field_of_row == ROAST_ABSENT)
            code = read_scaled(c, &place, member, unit, field_of_row);
        if (code)
            return code;
    }
    return ROAST_OK;
}

static roast_code read_sections(chunks *c, const json_place *at, json_t *chunk)
{
    const struct {
        const char *key;
        section_adder add;
    } lists[] = {{"sections", add_timed}, {"memory_sections", add_memory}};
    const struct {
        const char *key;
        size_t offset;
        double unit;
    } maps[] = {{"timing", offsetof(roast_section, duration_ns), 1e9},
                {"memory", offsetof(roast_section, rss_delta), MIB},
                {"bytes", offsetof(roast_section, bytes), 1}};
    roast_code code = ROAST_OK;
    for (size_t i = 0; !code && i < sizeof lists / sizeof *lists; i++) {
        json_place place = place_member(at, lists[i].key);
        code = read_section_list(c, &place, json_object_get(chunk, lists[i].key), lists[i].add);
    }
    for (size_t i = 0; !code && i < sizeof maps / sizeof *maps; i++) {
        json_place place = place_member(at, maps[i].key);
        code = read_section_map(c, &place, json_object_get(chunk, maps[i].key), maps[i].offset, maps[i].unit);
    }
    for (size_t i = 0; i < c->n_sections; i++)
        if (c->sections[i].count == 0)
            c->sections[i].count = 1;
    return code;
}

/* ---- A chunk -------------------------------------------------------------------------------------------------------
 */

/* Seconds of process(), from its ends if need be. */
static roast_code complete_duration(chunks *c, const json_place *at, json_t *chunk)
{
    double start, end;
    json_place start_place = place_member(at, "t_start"), end_place = place_member(at, "t_end");
    if (c->chunk.duration_ns != ROAST_ABSENT)
        return ROAST_OK;
    roast_code code = json_read_real(&start_place, json_object_get(chunk, "t_start"), &start, c->r->err);
    if (!code)
        code = json_read_real(&end_place, json_object_get(chunk, "t_end"), &end, c->r->err);
    if (!code && end >= start)
        c->chunk.duration_ns = clock_ns_from_seconds(end - start);
    return code;
}

/* 0.1.x has no identity of a record, and may not know the file: the position in the list is what tells two apart. */
static uint64_t uid_of(size_t index)
{
    uint64_t position = index, hash = XXH3_64bits(&position, sizeof position);
    return hash ? hash : 1;
}

static roast_code give_chunk(chunks *c)
{
    for (size_t i = 0; i < c->n_spans; i++) {
        if (!legacy_grow((void **)&c->custom, &c->custom_capacity, i, sizeof *c->custom))
            return fail_memory(c->r->err);
        const custom_span *span = &c->spans[i];
        c->custom[i] = (roast_custom){str_from(span->name), {c->packed.data + span->start, span->end - span->start}};
    }
    c->chunk.uid = uid_of(c->index);
    if (!str_absent(c->chunk.error) && str_absent(c->chunk.error_type))
        c->chunk.error_type = STR("unknown");
    c->chunk.sections = c->sections;
    c->chunk.n_sections = c->n_sections;
    c->chunk.branches = c->n_branches ? c->branches : NULL;
    c->chunk.n_branches = c->n_branches;
    c->chunk.custom = c->custom;
    c->chunk.n_custom = c->n_spans;
    return c->r->sink->chunk(c->r->sink->context, &c->chunk, c->r->err);
}

static roast_code read_chunk(chunks *c, const json_place *at, json_t *value)
{
    c->chunk = roast_chunk_none();
    c->n_branches = c->n_sections = c->n_spans = 0;
    msgpack_sbuffer_clear(&c->packed);
    if (!json_is_object(value))
        return json_wrong_type(at, value, "an object", c->r->err);
    roast_code code = read_fields(c, at, value);
    if (!code)
        code = complete_duration(c, at, value);
    if (!code)
        code = read_sections(c, at, value);
    return code ? code : give_chunk(c);
}

roast_code legacy_chunk_list(legacy_reader *r, json_place *place, json_t **list)
{
    const char *key = json_object_get(r->metrics, "raw_chunk_metrics") ? "raw_chunk_metrics" : "chunk_metrics";
    *place = place_member(&r->metrics_file, key);
    return json_read_array(place, json_object_get(r->metrics, key), list, r->err);
}

roast_code chunks_read(legacy_reader *r)
{
    chunks c = {.r = r};
    json_place place;
    json_t *list, *chunk;
    roast_code code = legacy_chunk_list(r, &place, &list);
    if (code)
        return code;
    collect_keys(&c);
    msgpack_sbuffer_init(&c.packed);
    json_array_foreach(list, c.index, chunk)
    {
        json_place at = place_item(&place, c.index);
        code = read_chunk(&c, &at, chunk);
        if (code)
            break;
    }
    msgpack_sbuffer_destroy(&c.packed);
    intern_release(&c.section_names);
    free(c.branches);
    free(c.slots);
    free(c.sections);
    free(c.spans);
    free(c.custom);
    return code;
}

/* ---- The survey -----------------------------------------------------------------------------------------------------
 */

static roast_code survey_chunk(legacy_reader *r, const json_place *at, json_t *chunk)
{
    static const char *const keys[] = {"t_start", "t_end"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_place place = place_member(at, keys[i]);
        double seconds;
        roast_code code = json_read_real(&place, json_object_get(chunk, keys[i]), &seconds, r->err);
        if (code)
            return code;
        if (seconds >= r->first_dated_second)
            range_add(&r->chunks, clock_ns_from_seconds(seconds));
        else if (!isnan(seconds))
            r->chunks_not_on_wall = true;
    }
    if (json_number_value(json_object_get(chunk, "bytes_read")) != 0)
        r->bytes_measured = true;
    return ROAST_OK;
}

roast_code chunks_survey(legacy_reader *r)
{
    json_place place;
    json_t *list, *chunk;
    size_t index;
    roast_code code = legacy_chunk_list(r, &place, &list);
    if (code)
        return code;
    json_array_foreach(list, index, chunk)
    {
        json_place at = place_item(&place, index);
        code = survey_chunk(r, &at, chunk);
        if (code)
            return code;
    }
    if (r->chunks_not_on_wall)
        code = legacy_note(r, "warning",
                           "Chunk times are of a clock without a date; these chunks are not on the timeline.");
    if (!code && json_array_size(list) && !r->bytes_measured)
        code = legacy_note(r, "info", "No chunk has bytes_read other than 0; bytes per chunk count as not measured.");
    return code;
}
