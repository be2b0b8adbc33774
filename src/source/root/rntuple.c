/* RNTuple 1.0. An anchor says where header and footer are; the header has the fields and columns, the footer those that
 * were added later and the cluster groups, each group a list of the pages of its clusters. All of these are envelopes:
 *
 *     type (2 bytes) | length (6 bytes)   content   xxHash3 of all before
 *
 * and are made of frames: a record frame is its size and its content; a list frame is minus its size, the number of
 * items, the items. What is in a frame beyond what is known is skipped, as the format wants it. */
#include "source/root/rntuple.h"

#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/str.h"

enum { ENVELOPE_HEADER = 1, ENVELOPE_FOOTER = 2, ENVELOPE_PAGE_LIST = 3 };
enum { ANCHOR_BYTES = 64, SMALLEST_FRAME = 8, SMALLEST_ENVELOPE = 16 };
enum { LOCATOR_LARGE = 1 };
static const uint64_t MORE_FEATURES = UINT64_C(1) << 63;

typedef struct ntuple {
    root_tfile *file;
    arena *memory;
    root_tree *tree;
    uint32_t *column_field; /* by column */
    uint16_t *column_bits;
    size_t n_columns, column_capacity;
    uint32_t *field_parent; /* by field, as numbered in the file */
    size_t n_fields, field_capacity;
    bool out_of_memory;
} ntuple;

/* A fuzzer would never get beyond a checksum, so its build does without. */
static bool checksum_agrees(const void *bytes, size_t len, uint64_t stored)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)bytes, (void)len, (void)stored;
    return true;
#else
    return XXH3_64bits(bytes, len) == stored;
#endif
}

/* ---- Frames ------------------------------------------------------------------------------------------------- */

typedef struct ntuple_frame {
    cursor inside;
    uint32_t items; /* of a list */
} ntuple_frame;

/* Takes a frame off the cursor. A list with more items than its bytes can hold fails. */
static ntuple_frame next_frame(cursor *c, bool list, size_t smallest_item)
{
    size_t begin = cursor_position(c), left = cursor_left(c);
    int64_t size = (int64_t)cursor_le64(c);
    ntuple_frame f = {*c, 0};
    bool good = list ? size < 0 && size != INT64_MIN : size >= 0;
    uint64_t bytes = size < 0 ? 0 - (uint64_t)size : (uint64_t)size;
    if (c->failed || !good || bytes > left || bytes < SMALLEST_FRAME) {
        c->failed = f.inside.failed = true;
        return f;
    }
    f.inside.end = c->start + begin + bytes;
    if (list) {
        f.items = cursor_le32(&f.inside);
        if (f.inside.failed || f.items > cursor_left(&f.inside) / smallest_item)
            c->failed = f.inside.failed = true;
    }
    cursor_seek(c, begin + bytes);
    return f;
}

static roast_str read_string(cursor *c)
{
    size_t len = cursor_le32(c);
    const char *text = cursor_bytes(c, len);
    return text ? (roast_str){text, len} : str_none();
}

typedef struct locator {
    int64_t bytes, offset;
    bool here; /* in this file, not in an object store */
} locator;

static locator read_locator(cursor *c)
{
    locator l = {0};
    int32_t head = (int32_t)cursor_le32(c);
    if (head >= 0) {
        l = (locator){head, (int64_t)cursor_le64(c), true};
        return l;
    }
    /* type in bits 24 to 30, size of the whole locator in the lower 16 */
    uint32_t special = 0 - (uint32_t)head;
    size_t len = special & 0xFFFF;
    if ((special >> 24) == LOCATOR_LARGE) {
        l.bytes = (int64_t)cursor_le64(c);
        l.offset = (int64_t)cursor_le64(c);
        l.here = true;
    } else if (len >= 4) {
        cursor_skip(c, len - 4);
    } else {
        c->failed = true;
    }
    return l;
}

static void skip_features(cursor *c)
{
    while (!c->failed && (cursor_le64(c) & MORE_FEATURES))
        ;
}

/* ---- Envelopes ---------------------------------------------------------------------------------------------- */

static roast_code open_envelope(const root_record *record, int type, const char *what, cursor *out, roast_error *err)
{
    if (record->len < SMALLEST_ENVELOPE)
        return fail(err, ROAST_CORRUPT, "its %s is too short", what);
    cursor c = cursor_over(record->bytes, record->len);
    uint64_t first = cursor_le64(&c);
    cursor tail = c;
    cursor_seek(&tail, record->len - 8);
    if ((first & 0xFFFF) != (uint64_t)type || first >> 16 != record->len)
        return fail(err, ROAST_CORRUPT, "its %s is not one", what);
    if (!checksum_agrees(record->bytes, record->len - 8, cursor_le64(&tail)))
        return fail(err, ROAST_CORRUPT, "its %s is damaged: the checksum does not agree", what);
    c.end -= 8;
    *out = c;
    return ROAST_OK;
}

static roast_code read_envelope(ntuple *n, int64_t seek, int64_t nbytes, int64_t len, int type, const char *what,
                                cursor *out, roast_error *err)
{
    root_record record;
    roast_code code = root_tfile_blob(n->file, &record, seek, nbytes, len, err);
    if (code)
        return code;
    n->tree->metadata_bytes += nbytes;
    n->tree->metadata_uncompressed += len;
    return open_envelope(&record, type, what, out, err);
}

/* ---- Schema: fields and columns ----------------------------------------------------------------------------- */

/* Room for more fields than the ones that are there; false without memory. */
static bool reserve_fields(ntuple *n, size_t more)
{
    if (n->n_fields + more <= n->field_capacity)
        return true;
    size_t capacity = n->n_fields + more;
    /* Four times: for what order_fields makes of them, and for those who read the result. */
    if (!root_tfile_spend(n->file, capacity, 4 * sizeof *n->tree->branches))
        return false;
    n->tree->branches = arena_grow(n->memory, n->tree->branches, n->n_fields, capacity, sizeof *n->tree->branches);
    n->field_parent = arena_grow(n->memory, n->field_parent, n->n_fields, capacity, sizeof *n->field_parent);
    n->field_capacity = capacity;
    n->out_of_memory = !n->tree->branches || !n->field_parent;
    return !n->out_of_memory;
}

static bool reserve_columns(ntuple *n, size_t more)
{
    if (n->n_columns + more <= n->column_capacity)
        return true;
    size_t capacity = n->n_columns + more;
    if (!root_tfile_spend(n->file, capacity, sizeof *n->column_field + sizeof *n->column_bits))
        return false;
    n->column_field = arena_grow(n->memory, n->column_field, n->n_columns, capacity, sizeof *n->column_field);
    n->column_bits = arena_grow(n->memory, n->column_bits, n->n_columns, capacity, sizeof *n->column_bits);
    n->column_capacity = capacity;
    n->out_of_memory = !n->column_field || !n->column_bits;
    return !n->out_of_memory;
}

static void read_field(ntuple *n, cursor *c)
{
    root_branch *field = &n->tree->branches[n->n_fields];
    cursor_skip(c, 8); /* versions */
    uint32_t parent = cursor_le32(c);
    cursor_skip(c, 4); /* role, flags */
    field->name = read_string(c);
    roast_str type = read_string(c);
    roast_str alias = read_string(c);
    field->title = read_string(c);
    field->type = alias.len > 0 ? alias : type;
    field->setting = -1;
    n->field_parent[n->n_fields++] = parent;
}

static void read_column(ntuple *n, cursor *c)
{
    cursor_skip(c, 2); /* type */
    n->column_bits[n->n_columns] = cursor_le16(c);
    n->column_field[n->n_columns] = cursor_le32(c);
    n->n_columns++;
}

/* Four lists: fields, columns, alias columns (which have no pages of their own) and extra type information. */
static bool read_schema(ntuple *n, cursor *c)
{
    ntuple_frame fields = next_frame(c, true, SMALLEST_FRAME);
    if (c->failed || !reserve_fields(n, fields.items))
        return false;
    for (uint32_t i = 0; i < fields.items && !fields.inside.failed; i++) {
        ntuple_frame f = next_frame(&fields.inside, false, 1);
        read_field(n, &f.inside);
        fields.inside.failed |= f.inside.failed;
    }
    ntuple_frame columns = next_frame(c, true, SMALLEST_FRAME);
    if (c->failed || fields.inside.failed || !reserve_columns(n, columns.items))
        return false;
    for (uint32_t i = 0; i < columns.items && !columns.inside.failed; i++) {
        ntuple_frame f = next_frame(&columns.inside, false, 1);
        read_column(n, &f.inside);
        columns.inside.failed |= f.inside.failed;
    }
    (void)next_frame(c, true, SMALLEST_FRAME);
    (void)next_frame(c, true, SMALLEST_FRAME);
    return !c->failed && !columns.inside.failed;
}

/* Every column belongs to a field that is there. */
static bool check_columns(ntuple *n)
{
    for (size_t i = 0; i < n->n_columns; i++) {
        if (n->column_field[i] >= n->n_fields)
            return false;
        n->tree->branches[n->column_field[i]].columns++;
    }
    return true;
}

/* ---- Pages -------------------------------------------------------------------------------------------------- */

static void add_page(root_branch *field, int64_t elements, uint16_t bits, const locator *l)
{
    int64_t uncompressed = (elements * bits + 7) / 8;
    saturated_add(&field->compressed, l->bytes);
    saturated_add(&field->uncompressed, uncompressed);
    field->baskets++;
    if (field->first_bytes == 0 && l->here) {
        field->first_seek = l->offset;
        field->first_bytes = l->bytes;
        field->first_uncompressed = uncompressed;
    }
}

/* The pages of one column in one cluster: number of elements (negative: a checksum follows the page on disk) and where
 * it is; then where the column's elements begin (negative: not this representation) and how it is compressed. */
static bool read_column_pages(ntuple *n, cursor *columns, size_t column)
{
    ntuple_frame pages = next_frame(columns, true, 4);
    cursor *c = &pages.inside;
    if (column >= n->n_columns || c->failed)
        return false;
    root_branch *field = &n->tree->branches[n->column_field[column]];
    for (uint32_t i = 0; i < pages.items && !c->failed; i++) {
        int64_t elements = (int32_t)cursor_le32(c);
        locator l = read_locator(c);
        if (c->failed || l.bytes < 0)
            return false;
        add_page(field, elements < 0 ? -elements : elements, n->column_bits[column], &l);
    }
    int64_t first_element = (int64_t)cursor_le64(c);
    if (first_element >= 0)
        field->setting = (int32_t)cursor_le32(c);
    return !c->failed;
}

static bool read_clusters(ntuple *n, cursor *c)
{
    root_tree *tree = n->tree;
    ntuple_frame summaries = next_frame(c, true, SMALLEST_FRAME);
    for (uint32_t i = 0; i < summaries.items && !summaries.inside.failed; i++) {
        ntuple_frame f = next_frame(&summaries.inside, false, 1);
        cursor_skip(&f.inside, 8); /* first entry */
        int64_t entries = (int64_t)(cursor_le64(&f.inside) & UINT64_C(0xFFFFFFFFFFFFFF));
        summaries.inside.failed |= f.inside.failed;
        saturated_add(&tree->entries, entries);
        if (entries > tree->largest_cluster)
            tree->largest_cluster = entries;
    }
    saturated_add(&tree->clusters, summaries.items);
    ntuple_frame clusters = next_frame(c, true, SMALLEST_FRAME);
    for (uint32_t i = 0; i < clusters.items && !clusters.inside.failed; i++) {
        ntuple_frame columns = next_frame(&clusters.inside, true, SMALLEST_FRAME);
        for (uint32_t k = 0; k < columns.items; k++)
            if (!read_column_pages(n, &columns.inside, k))
                return false;
        clusters.inside.failed |= columns.inside.failed;
    }
    return !c->failed && !summaries.inside.failed && !clusters.inside.failed;
}

static roast_code read_page_list(ntuple *n, int64_t len, const locator *l, roast_error *err)
{
    cursor c;
    if (!l->here)
        return fail(err, ROAST_CORRUPT, "a page list is not in the file");
    roast_code code = read_envelope(n, l->offset, l->bytes, len, ENVELOPE_PAGE_LIST, "page list", &c, err);
    if (code)
        return code;
    cursor_skip(&c, 8); /* checksum of the header */
    if (!read_clusters(n, &c))
        return fail(err, ROAST_CORRUPT, "a page list is damaged");
    return ROAST_OK;
}

static roast_code read_cluster_groups(ntuple *n, cursor *c, roast_error *err)
{
    ntuple_frame groups = next_frame(c, true, SMALLEST_FRAME);
    for (uint32_t i = 0; i < groups.items && !groups.inside.failed; i++) {
        ntuple_frame f = next_frame(&groups.inside, false, 1);
        cursor_skip(&f.inside, 20); /* first entry, number of entries, number of clusters */
        int64_t len = (int64_t)cursor_le64(&f.inside);
        locator l = read_locator(&f.inside);
        if (f.inside.failed)
            break;
        roast_code code = read_page_list(n, len, &l, err);
        if (code)
            return code;
        n->tree->cluster_groups++;
    }
    if (c->failed || n->tree->cluster_groups != groups.items)
        return fail(err, ROAST_CORRUPT, "its list of cluster groups is damaged");
    return ROAST_OK;
}

/* ---- Fields in order ---------------------------------------------------------------------------------------- */

/* The file numbers fields level by level; what is listed has each field followed by its parts. A field at the top is
 * its own parent. False if the parents do not make a forest. */
static bool order_fields(ntuple *n)
{
    size_t count = n->n_fields;
    enum { NONE = UINT32_MAX };
    uint32_t *first = arena_alloc(n->memory, count + 1, sizeof *first);
    uint32_t *next = arena_alloc(n->memory, count + 1, sizeof *next);
    int32_t *position = arena_alloc(n->memory, count + 1, sizeof *position);
    root_branch *ordered = arena_alloc(n->memory, count, sizeof *ordered);
    if (!first || !next || !position || !ordered) {
        n->out_of_memory = true;
        return false;
    }
    memset(first, 0xFF, (count + 1) * sizeof *first);
    for (size_t i = count; i-- > 0;) { /* backwards, so that each list is in order; the last one is of the top */
        size_t parent = n->field_parent[i] == i ? count : n->field_parent[i];
        if (parent > count || (parent < count && parent > i))
            return false;
        next[i] = first[parent];
        first[parent] = (uint32_t)i;
    }
    size_t done = 0;
    uint32_t at = first[count];
    while (at != NONE && done < count) {
        root_branch *field = &ordered[done];
        uint32_t parent = n->field_parent[at];
        *field = n->tree->branches[at];
        field->parent = parent == at ? -1 : position[parent];
        field->depth = parent == at ? 0 : ordered[field->parent].depth + 1;
        n->tree->top_branches += parent == at;
        position[at] = (int32_t)done++;
        if (first[at] != NONE) {
            at = first[at];
            continue;
        }
        while (next[at] == NONE && n->field_parent[at] != at)
            at = n->field_parent[at];
        at = next[at];
    }
    n->tree->branches = ordered;
    n->tree->n_branches = count;
    return done == count;
}

static void sum_up(root_tree *tree)
{
    for (size_t i = 0; i < tree->n_branches; i++) {
        tree->branches[i].entries = tree->entries;
        tree->branches[i].indexed_bytes = tree->branches[i].compressed;
        saturated_add(&tree->compressed, tree->branches[i].compressed);
        saturated_add(&tree->uncompressed, tree->branches[i].uncompressed);
        saturated_add(&tree->baskets, tree->branches[i].baskets);
    }
}

/* ---- Anchor ------------------------------------------------------------------------------------------------- */

typedef struct anchor {
    int64_t seek_header, nbytes_header, len_header;
    int64_t seek_footer, nbytes_footer, len_footer;
} anchor;

static roast_code read_anchor(const root_record *record, anchor *out, roast_error *err)
{
    cursor c = cursor_over(record->bytes, record->len);
    cursor_skip(&c, 6); /* byte count and version of the class */
    const void *content = c.at;
    int epoch = cursor_be16(&c);
    cursor_skip(&c, 6); /* major, minor, patch: what they add can be skipped */
    out->seek_header = (int64_t)cursor_be64(&c);
    out->nbytes_header = (int64_t)cursor_be64(&c);
    out->len_header = (int64_t)cursor_be64(&c);
    out->seek_footer = (int64_t)cursor_be64(&c);
    out->nbytes_footer = (int64_t)cursor_be64(&c);
    out->len_footer = (int64_t)cursor_be64(&c);
    cursor_skip(&c, 8); /* largest key */
    uint64_t checksum = cursor_be64(&c);
    if (!c.failed && epoch != 1)
        return fail(err, ROAST_VERSION, "it is written in epoch %d of the RNTuple format; known is 1", epoch);
    if (c.failed || !checksum_agrees(content, ANCHOR_BYTES, checksum))
        return fail(err, ROAST_CORRUPT, "its anchor is damaged");
    return ROAST_OK;
}

static roast_code read_header(ntuple *n, const anchor *a, roast_error *err)
{
    cursor c;
    roast_code code =
        read_envelope(n, a->seek_header, a->nbytes_header, a->len_header, ENVELOPE_HEADER, "header", &c, err);
    if (code)
        return code;
    skip_features(&c);
    (void)read_string(&c); /* name: the key has it */
    n->tree->title = read_string(&c);
    (void)read_string(&c); /* who wrote it */
    if (!read_schema(n, &c))
        return n->out_of_memory ? fail_memory(err) : fail(err, ROAST_CORRUPT, "its list of fields is damaged");
    return ROAST_OK;
}

static roast_code read_footer(ntuple *n, const anchor *a, roast_error *err)
{
    cursor c;
    roast_code code =
        read_envelope(n, a->seek_footer, a->nbytes_footer, a->len_footer, ENVELOPE_FOOTER, "footer", &c, err);
    if (code)
        return code;
    skip_features(&c);
    cursor_skip(&c, 8); /* checksum of the header */
    ntuple_frame extension = next_frame(&c, false, 1);
    if (c.failed || !read_schema(n, &extension.inside))
        return n->out_of_memory ? fail_memory(err) : fail(err, ROAST_CORRUPT, "its list of added fields is damaged");
    if (!check_columns(n))
        return fail(err, ROAST_CORRUPT, "it has columns without a field");
    return read_cluster_groups(n, &c, err);
}

roast_code root_rntuple_read(root_tfile *file, const root_record *record, root_tree *tree, roast_error *err)
{
    ntuple n = {.file = file, .memory = &file->result->memory, .tree = tree};
    anchor a;
    roast_code code = read_anchor(record, &a, err);
    if (!code)
        code = read_header(&n, &a, err);
    if (!code)
        code = read_footer(&n, &a, err);
    if (code)
        return code;
    if (!order_fields(&n))
        return n.out_of_memory ? fail_memory(err) : fail(err, ROAST_CORRUPT, "its fields are not in order");
    tree->columns = (int64_t)n.n_columns;
    tree->clusters_declared = true;
    sum_up(tree);
    return ROAST_OK;
}
