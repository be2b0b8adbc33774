/* Every chunk of a run. Sections and custom values are in tables of their own, in the order of their chunks in a run
 * that is not damaged; they are sorted to their chunks in any case. */
#include "view/chunk_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "base/str.h"
#include "model/branch_set.h"
#include "model/facts.h"
#include "model/record.h"

/* A section or custom value and the place of its chunk. */
typedef struct placed_section {
    size_t chunk;
    roast_section section;
} placed_section;

typedef struct placed_custom {
    size_t chunk;
    roast_custom custom;
} placed_custom;

typedef struct named_set {
    roast_str *names;
    size_t count;
} named_set;

typedef struct list_reader {
    chunk_list *list;
    roast_run *run;
    access_table accesses;
    named_set *sets;
    u64map places; /* chunk id to place + 1 */
    placed_section *sections;
    size_t n_sections, sections_capacity;
    placed_custom *custom;
    size_t n_custom, custom_capacity;
} list_reader;

/* ---- Helpers ------------------------------------------------------------------------------------------------- */

static bool keep(chunk_list *list, roast_str *text)
{
    if (str_absent(*text))
        return true;
    uint32_t number = intern_add(&list->strings, *text, NULL);
    if (number == INTERN_NONE)
        return false;
    *text = list->strings.strings[number];
    return true;
}

/* ---- Reading ------------------------------------------------------------------------------------------------- */

static roast_code read_sets(list_reader *r)
{
    size_t sets = run_branch_sets(r->run);
    r->sets = calloc(sets + 1, sizeof *r->sets);
    if (!r->sets)
        return ROAST_MEMORY;
    for (size_t i = 0; i < sets; i++) {
        named_set *set = &r->sets[i];
        const uint32_t *ids = run_branch_set(r->run, (uint32_t)i, &set->count);
        if (!ids)
            continue;
        set->names = arena_alloc(&r->list->memory, set->count, sizeof *set->names);
        for (size_t j = 0; set->names && j < set->count; j++) {
            set->names[j] = run_name(r->run, ids[j]);
            if (!keep(r->list, &set->names[j]))
                return ROAST_MEMORY;
        }
        if (!set->names)
            return ROAST_MEMORY;
        set->count = branch_set_sort(set->names, set->count); /* the run has them in the order of their first use */
    }
    return ROAST_OK;
}

static bool keep_texts(chunk_list *list, record_id id, void *record)
{
    const record_spec *spec = &record_specs[id];
    for (size_t i = 0; i < spec->count; i++)
        if (field_is_text(&spec->fields[i]) && !keep(list, field_text(&spec->fields[i], record)))
            return false;
    return true;
}

static roast_code see_chunk(void *context, const run_chunk *row)
{
    list_reader *r = context;
    chunk_list *list = r->list;
    listed_chunk *chunks = with_room(list->chunks, list->count, &list->capacity, sizeof *chunks);
    if (!chunks)
        return ROAST_MEMORY;
    list->chunks = chunks;
    const roast_worker *worker = run_worker(r->run, row->worker);
    const roast_file *file = run_file(r->run, row->file);
    listed_chunk *chunk = &list->chunks[list->count];
    *chunk = (listed_chunk){
        .id = row->id,
        .record = row->record,
        .host = worker ? worker_host(worker) : str_none(),
        .access = access_of(&r->accesses, r->run, row),
        .file_branches = file ? file->total_branches : ROAST_ABSENT,
        .file_compressed = file ? file->compressed : ROAST_ABSENT,
        .file_uncompressed = file ? file->uncompressed : ROAST_ABSENT,
    };
    if (row->branch_set != RUN_UNKNOWN) {
        chunk->record.branches = r->sets[row->branch_set].names;
        chunk->record.n_branches = r->sets[row->branch_set].count;
    }
    uint32_t *place = u64map_at(&r->places, (uint64_t)row->id);
    if (!place || !keep_texts(list, RECORD_chunk, &chunk->record) || !keep(list, &chunk->host))
        return ROAST_MEMORY;
    *place = (uint32_t)++list->count;
    return ROAST_OK;
}

/* The place of a chunk; false if there is no such chunk. */
static bool place_of(list_reader *r, int64_t id, size_t *place)
{
    uint32_t *found = u64map_at(&r->places, (uint64_t)id);
    if (!found)
        return false;
    if (!*found) {
        *found = UINT32_MAX; /* the map wants a value for what was asked */
        return false;
    }
    *place = *found - 1u;
    return *found != UINT32_MAX;
}

static roast_code see_section(void *context, const run_section *row)
{
    list_reader *r = context;
    placed_section placed = {.section = row->record};
    if (!place_of(r, row->chunk, &placed.chunk))
        return ROAST_OK;
    placed_section *sections = with_room(r->sections, r->n_sections, &r->sections_capacity, sizeof *sections);
    if (!sections)
        return ROAST_MEMORY;
    r->sections = sections;
    if (!keep_texts(r->list, RECORD_section, &placed.section))
        return ROAST_MEMORY;
    r->sections[r->n_sections++] = placed;
    return ROAST_OK;
}

static roast_code see_custom(void *context, int64_t chunk, uint32_t name, roast_str msgpack)
{
    list_reader *r = context;
    placed_custom placed = {.custom = {run_name(r->run, name), arena_str(&r->list->memory, msgpack)}};
    if (!place_of(r, chunk, &placed.chunk))
        return ROAST_OK;
    placed_custom *custom = with_room(r->custom, r->n_custom, &r->custom_capacity, sizeof *custom);
    if (!custom)
        return ROAST_MEMORY;
    r->custom = custom;
    if (arena_str_failed(placed.custom.msgpack, msgpack) || !keep(r->list, &placed.custom.name))
        return ROAST_MEMORY;
    r->custom[r->n_custom++] = placed;
    return ROAST_OK;
}

/* ---- Putting together ---------------------------------------------------------------------------------------- */

/* Chunks first count what they get, then take their part of one array, in the order it was recorded. */
static bool hand_out_sections(list_reader *r)
{
    chunk_list *list = r->list;
    roast_section *all = arena_alloc(&list->memory, r->n_sections, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < r->n_sections; i++)
        list->chunks[r->sections[i].chunk].record.n_sections++;
    for (size_t i = 0, at = 0; i < list->count; i++) {
        roast_chunk *record = &list->chunks[i].record;
        record->sections = all + at;
        at += record->n_sections;
        record->n_sections = 0;
    }
    for (size_t i = 0; i < r->n_sections; i++) {
        roast_chunk *record = &list->chunks[r->sections[i].chunk].record;
        all[(record->sections - all) + (ptrdiff_t)record->n_sections++] = r->sections[i].section;
    }
    return true;
}

static bool hand_out_custom(list_reader *r)
{
    chunk_list *list = r->list;
    roast_custom *all = arena_alloc(&list->memory, r->n_custom, sizeof *all);
    if (!all)
        return false;
    for (size_t i = 0; i < r->n_custom; i++)
        list->chunks[r->custom[i].chunk].record.n_custom++;
    for (size_t i = 0, at = 0; i < list->count; i++) {
        roast_chunk *record = &list->chunks[i].record;
        record->custom = all + at;
        at += record->n_custom;
        record->n_custom = 0;
    }
    for (size_t i = 0; i < r->n_custom; i++) {
        roast_chunk *record = &list->chunks[r->custom[i].chunk].record;
        all[(record->custom - all) + (ptrdiff_t)record->n_custom++] = r->custom[i].custom;
    }
    return true;
}

roast_code chunk_list_read(chunk_list *out, roast_run *run, roast_error *err)
{
    *out = (chunk_list){0};
    list_reader r = {.list = out, .run = run};
    roast_code code = read_sets(&r);
    if (!code)
        code = access_read(&r.accesses, run, err);
    if (!code)
        code = run_each_chunk(run, RUN_EVERYTHING, see_chunk, &r, err);
    if (!code)
        code = run_each_section(run, RUN_EVERYTHING, see_section, &r, err);
    if (!code)
        code = run_each_custom(run, see_custom, &r, err);
    if (!code && (!hand_out_sections(&r) || !hand_out_custom(&r)))
        code = ROAST_MEMORY;
    access_release(&r.accesses);
    u64map_release(&r.places);
    free(r.sets);
    free(r.sections);
    free(r.custom);
    return code == ROAST_MEMORY ? fail_memory(err) : code;
}

void chunk_list_release(chunk_list *list)
{
    free(list->chunks);
    intern_release(&list->strings);
    arena_release(&list->memory);
    *list = (chunk_list){0};
}
