/* TTree: its totals, its branches with the sizes of their baskets, and its clusters. Branches contain branches; they
 * are listed in the order in which they are written, each after the one it belongs to, as uproot lists them. */
#include "source/root/ttree.h"

#include <string.h>

#include "base/error.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/str.h"
#include "source/root/stream.h"

/* Members of all objects that are read, those that are read again because others refer to them included. */
enum { STEPS_PER_BYTE = 4, STEPS_AT_LEAST = 1 << 20 };
enum { DEEPEST_BRANCH = 64, FEW_AT_FIRST = 64, SMALLEST_BRANCH = 100, BASKET_TAIL = 19 };

/* The entries at which baskets begin in every branch. */
typedef struct boundaries {
    bool wanted, begun;
    const unsigned char *last; /* of the branch before: most are equal */
    size_t last_len;
    int64_t *entries;
    size_t count;
} boundaries;

typedef struct tree_reader {
    root_layouts *layouts;
    const root_record *record;
    arena *memory;
    root_tree *tree;
    size_t capacity, first_capacity;
    size_t follow_left; /* bytes of branches that may still be reached by reference: see read_branches */
    size_t counter_at;  /* the last counter, and its name: neighbours mostly share one */
    roast_str counter;
    boundaries common;
    bool out_of_memory;
} tree_reader;

/* ---- Small things ------------------------------------------------------------------------------------------- */

static cursor inside_record(const tree_reader *r, size_t at)
{
    cursor c = cursor_over(r->record->bytes, r->record->len);
    cursor_seek(&c, at);
    return c;
}

static roast_str string_at(const tree_reader *r, const root_values *v, root_field field)
{
    if (v->at[field] == 0)
        return str_none();
    cursor c = inside_record(r, v->at[field]);
    return root_stream_string(&c);
}

/* Element i of an array, 0 beyond its end. */
static int64_t element_at(const tree_reader *r, const root_values *v, root_field array, int64_t i)
{
    if (i >= v->count[array])
        return 0;
    const unsigned char *bytes = r->record->bytes + v->at[array] + (size_t)i * v->element[array];
    uint64_t value = 0;
    for (uint32_t k = 0; k < v->element[array]; k++)
        value = value << 8 | bytes[k];
    return v->element[array] == 4 ? (int32_t)value : (int64_t)value;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool read_object(tree_reader *r, const root_object *object, roast_str fallback, root_values *out)
{
    cursor c = inside_record(r, object->begin);
    if (object->end < object->begin || object->end > r->record->len)
        return false;
    c.end = c.start + object->end;
    return root_layout_read(r->layouts, &c, r->record->keylen, object->class_name, fallback, out);
}

/* ---- Leaves: type and counter ------------------------------------------------------------------------------- */

static const struct {
    roast_str class_name;
    roast_str type, unsigned_type;
} leaf_types[] = {
    {STR("TLeafF"), STR("float"), STR("float")},
    {STR("TLeafI"), STR("int"), STR("unsigned int")},
    {STR("TLeafO"), STR("bool"), STR("bool")},
    {STR("TLeafB"), STR("signed char"), STR("unsigned char")},
    {STR("TLeafS"), STR("short"), STR("unsigned short")},
    {STR("TLeafL"), STR("Long64_t"), STR("ULong64_t")},
    {STR("TLeafG"), STR("long"), STR("unsigned long")},
    {STR("TLeafD"), STR("double"), STR("double")},
    {STR("TLeafC"), STR("char*"), STR("char*")},
    {STR("TLeafF16"), STR("Float16_t"), STR("Float16_t")},
    {STR("TLeafD32"), STR("Double32_t"), STR("Double32_t")},
};

static roast_str leaf_type(roast_str class_name, bool is_unsigned)
{
    for (size_t i = 0; i < sizeof leaf_types / sizeof *leaf_types; i++)
        if (str_equal(leaf_types[i].class_name, class_name))
            return is_unsigned ? leaf_types[i].unsigned_type : leaf_types[i].type;
    return str_none();
}

/* The name of a leaf or branch that a pointer refers to. */
static roast_str name_behind(tree_reader *r, size_t pointer_at)
{
    if (pointer_at == 0)
        return str_none();
    cursor c = inside_record(r, pointer_at);
    root_object object = root_stream_pointer(&c, r->record->keylen, NULL);
    if (object.null)
        return str_none();
    if (object.begin != r->counter_at) {
        root_values v;
        bool leaf = str_starts_with(object.class_name, STR("TLeaf"));
        r->counter = read_object(r, &object, leaf ? STR("TLeaf") : STR("TBranch"), &v) ? string_at(r, &v, ROOT_fName)
                                                                                       : str_none();
        r->counter_at = object.begin;
    }
    return r->counter;
}

static void read_leaves(tree_reader *r, const root_values *branch_values, root_branch *branch)
{
    if (branch_values->at[ROOT_fLeaves] == 0)
        return;
    cursor c = inside_record(r, branch_values->at[ROOT_fLeaves]);
    size_t count = root_stream_array(&c);
    root_object leaf = count > 0 ? root_stream_pointer(&c, r->record->keylen, NULL) : (root_object){.null = true};
    root_values v;
    if (leaf.null || !read_object(r, &leaf, STR("TLeaf"), &v))
        return;
    if (str_absent(branch->type))
        branch->type = count > 1 ? branch->title : leaf_type(leaf.class_name, v.number[ROOT_fIsUnsigned] != 0);
    if (str_absent(branch->counter))
        branch->counter = name_behind(r, v.at[ROOT_fLeafCount]);
}

/* ---- Baskets ------------------------------------------------------------------------------------------------ */

/* A basket in the tree's record: a key, then at the end of the key's length version, sizes and a flag. */
static void read_embedded(root_branch *branch, cursor c)
{
    size_t begin = cursor_position(&c);
    cursor_skip(&c, 14); /* to the length of the key */
    size_t keylen = cursor_be16(&c);
    if (keylen < BASKET_TAIL)
        return;
    cursor_seek(&c, begin + keylen - BASKET_TAIL);
    cursor_skip(&c, 14); /* to the end of the data */
    int64_t last = (int32_t)cursor_be32(&c);
    if (!c.failed && last > (int64_t)keylen)
        saturated_add(&branch->embedded_bytes, last - (int64_t)keylen);
}

static bool count_embedded(tree_reader *r, const root_values *v, root_branch *branch)
{
    if (v->at[ROOT_fBaskets] == 0)
        return true;
    cursor c = inside_record(r, v->at[ROOT_fBaskets]);
    size_t count = root_stream_array(&c);
    for (size_t i = 0; i < count && !c.failed; i++) {
        root_object basket = root_stream_pointer(&c, r->record->keylen, NULL);
        if (basket.null)
            continue;
        branch->embedded++;
        read_embedded(branch, inside_record(r, basket.begin));
    }
    return !c.failed;
}

/* How many baskets the index has room for: what all three of its arrays have. */
static int64_t basket_places(const root_values *v)
{
    int64_t places = smaller(v->count[ROOT_fBasketSeek], v->count[ROOT_fBasketBytes]);
    return smaller(places, v->count[ROOT_fBasketEntry]);
}

/* Baskets in the index end at the first that was not written. What entries they do not hold is embedded. */
static bool read_baskets(tree_reader *r, const root_values *v, root_branch *branch)
{
    int64_t most = basket_places(v), writing = v->number[ROOT_fWriteBasket], flushed = 0;
    while (flushed < most && flushed != writing && element_at(r, v, ROOT_fBasketSeek, flushed) != 0) {
        saturated_add(&branch->indexed_bytes, element_at(r, v, ROOT_fBasketBytes, flushed));
        flushed++;
    }
    if (flushed > 0) {
        branch->first_seek = element_at(r, v, ROOT_fBasketSeek, 0);
        branch->first_bytes = element_at(r, v, ROOT_fBasketBytes, 0);
    }
    branch->baskets = flushed;
    bool all = flushed < most && element_at(r, v, ROOT_fBasketEntry, flushed) == branch->entries;
    if (!all && !count_embedded(r, v, branch))
        return false;
    branch->baskets += branch->embedded;
    return true;
}

/* ---- Clusters ----------------------------------------------------------------------------------------------- */

static bool begin_boundaries(tree_reader *r, const root_values *v, int64_t count)
{
    boundaries *common = &r->common;
    if (!root_tfile_spend(r->layouts->file, (size_t)count, sizeof *common->entries))
        count = 0; /* the tree is refused in the end */
    common->entries = arena_alloc(r->memory, (size_t)count, sizeof *common->entries);
    if (!common->entries)
        return false;
    for (int64_t i = 0; i < count; i++)
        common->entries[i] = element_at(r, v, ROOT_fBasketEntry, i);
    common->count = (size_t)count;
    common->begun = true;
    return true;
}

/* Keeps the boundaries that this branch has as well; both lists ascend. */
static void share_boundaries(tree_reader *r, const root_values *v, int64_t count)
{
    boundaries *common = &r->common;
    size_t kept = 0;
    int64_t k = 0;
    for (size_t i = 0; i < common->count; i++) {
        while (k < count && element_at(r, v, ROOT_fBasketEntry, k) < common->entries[i])
            k++;
        if (k < count && element_at(r, v, ROOT_fBasketEntry, k) == common->entries[i])
            common->entries[kept++] = common->entries[i];
    }
    common->count = kept;
}

static void note_boundaries(tree_reader *r, const root_values *v, const root_branch *branch)
{
    boundaries *common = &r->common;
    int64_t count = smaller(branch->baskets, basket_places(v));
    if (!common->wanted || count == 0)
        return;
    const unsigned char *raw = r->record->bytes + v->at[ROOT_fBasketEntry];
    size_t len = (size_t)count * v->element[ROOT_fBasketEntry];
    bool same = common->begun && common->last_len == len && memcmp(common->last, raw, len) == 0;
    if (!common->begun)
        r->out_of_memory = !begin_boundaries(r, v, count);
    else if (!same)
        share_boundaries(r, v, count);
    common->last = raw;
    common->last_len = len;
}

static void add_clusters(root_tree *tree, int64_t entries, int64_t size)
{
    if (entries <= 0)
        return;
    if (size <= 0 || size > entries)
        size = entries;
    saturated_add(&tree->clusters, (entries - 1) / size + 1);
    if (size > tree->largest_cluster)
        tree->largest_cluster = size;
}

/* The tree may list ranges of entries with clusters of one size each; what follows has the size in fAutoFlush. */
static void declared_clusters(const tree_reader *r, const root_values *v, root_tree *tree)
{
    int64_t ranges = smaller(v->count[ROOT_fClusterRangeEnd], v->count[ROOT_fClusterSize]);
    int64_t flush = v->number[ROOT_fAutoFlush], begin = 0;
    tree->clusters_declared = ranges > 0 || flush > 0;
    if (!tree->clusters_declared)
        return;
    for (int64_t i = 0; i < ranges; i++) {
        int64_t last = element_at(r, v, ROOT_fClusterRangeEnd, i);
        if (last < begin || last >= tree->entries)
            continue;
        add_clusters(tree, last - begin + 1, element_at(r, v, ROOT_fClusterSize, i));
        begin = last + 1;
    }
    add_clusters(tree, tree->entries - begin, flush);
}

static void found_clusters(const boundaries *common, root_tree *tree)
{
    if (tree->clusters_declared || tree->entries == 0)
        return;
    if (common->count == 0) {
        tree->clusters = ROAST_ABSENT;
        return;
    }
    for (size_t i = 0; i < common->count; i++) {
        int64_t end = i + 1 < common->count ? common->entries[i + 1] : tree->entries;
        int64_t begin = common->entries[i];
        if (begin >= 0 && end > begin)
            add_clusters(tree, end - begin, end - begin);
    }
}

/* ---- Branches ----------------------------------------------------------------------------------------------- */

static root_branch *add_branch(tree_reader *r)
{
    root_tree *tree = r->tree;
    if (tree->n_branches == r->capacity) {
        size_t capacity = r->capacity ? r->capacity * 2 : r->first_capacity;
        if (!root_tfile_spend(r->layouts->file, capacity, sizeof *tree->branches))
            return NULL;
        root_branch *more = arena_grow(r->memory, tree->branches, tree->n_branches, capacity, sizeof *more);
        if (!more) {
            r->out_of_memory = true;
            return NULL;
        }
        tree->branches = more;
        r->capacity = capacity;
    }
    return &tree->branches[tree->n_branches++];
}

static bool fill_branch(tree_reader *r, const root_values *v, root_branch *branch)
{
    branch->name = string_at(r, v, ROOT_fName);
    branch->title = string_at(r, v, ROOT_fTitle);
    branch->type = string_at(r, v, ROOT_fClassName);
    branch->file = string_at(r, v, ROOT_fFileName);
    if (branch->file.len == 0)
        branch->file = str_none();
    branch->setting = v->at[ROOT_fCompress] ? (int32_t)v->number[ROOT_fCompress] : -1;
    branch->entries = v->number[ROOT_fEntries];
    branch->compressed = v->number[ROOT_fZipBytes];
    branch->uncompressed = v->number[ROOT_fTotBytes];
    branch->counter = name_behind(r, v->at[ROOT_fBranchCount]);
    read_leaves(r, v, branch);
    if (!read_baskets(r, v, branch))
        return false;
    saturated_add(&r->tree->baskets, branch->baskets);
    note_boundaries(r, v, branch);
    return !str_absent(branch->name);
}

static bool read_branch(tree_reader *r, const root_object *object, int32_t parent, int32_t depth);

/* A branch is written where it is first pointed to, which may be as the counter of another one: then the list has a
 * reference. Following references could go in circles, but each branch is listed once, so that all that are reached
 * this way are together no longer than the record. */
static bool read_branches(tree_reader *r, size_t at, int32_t parent, int32_t depth)
{
    cursor c = inside_record(r, at);
    size_t count = root_stream_array(&c);
    if (c.failed || depth > DEEPEST_BRANCH)
        return false;
    if (r->first_capacity == 0) /* most trees have no branches in branches */
        r->first_capacity = count > 0 && count <= cursor_left(&c) / SMALLEST_BRANCH ? count : FEW_AT_FIRST;
    for (size_t i = 0; i < count; i++) {
        bool followed;
        root_object object = root_stream_pointer(&c, r->record->keylen, &followed);
        if (c.failed)
            return false;
        if (object.null)
            continue;
        size_t len = object.end - object.begin;
        if (followed && len > r->follow_left)
            return false;
        if (followed)
            r->follow_left -= len;
        if (!read_branch(r, &object, parent, depth))
            return false;
    }
    return true;
}

static bool read_branch(tree_reader *r, const root_object *object, int32_t parent, int32_t depth)
{
    root_values v;
    if (!read_object(r, object, STR("TBranch"), &v))
        return false;
    root_branch *branch = add_branch(r);
    if (!branch)
        return false;
    branch->parent = parent;
    branch->depth = depth;
    r->tree->top_branches += depth == 0;
    int32_t self = (int32_t)(r->tree->n_branches - 1);
    if (!fill_branch(r, &v, branch) || r->out_of_memory)
        return false;
    if (str_equal(object->class_name, STR("TBranchClones"))) {
        /* Its count is a branch of its own that is in no list. */
        cursor c = inside_record(r, v.at[ROOT_fBranchCount]);
        bool followed;
        root_object count = root_stream_pointer(&c, r->record->keylen, &followed);
        if (!count.null && !followed && depth < DEEPEST_BRANCH && !read_branch(r, &count, self, depth + 1))
            return false;
    }
    return v.at[ROOT_fBranches] == 0 || read_branches(r, v.at[ROOT_fBranches], self, depth + 1);
}

roast_code root_ttree_read(root_layouts *layouts, const root_record *record, root_tree *tree, roast_error *err)
{
    tree_reader r = {
        .layouts = layouts,
        .record = record,
        .memory = &layouts->file->result->memory,
        .tree = tree,
        .follow_left = record->len,
        .counter_at = SIZE_MAX,
    };
    layouts->steps_left = (int64_t)record->len * STEPS_PER_BYTE + STEPS_AT_LEAST;
    root_object whole = {.class_name = tree->class_name, .begin = 0, .end = record->len};
    root_values v;
    if (!read_object(&r, &whole, STR("TTree"), &v) || v.at[ROOT_fBranches] == 0)
        return layouts->out_of_memory
                   ? fail_memory(err)
                   : fail(err, ROAST_CORRUPT,
                          "its description cannot be read (damaged, or of a version of ROOT that is not known)");
    tree->title = string_at(&r, &v, ROOT_fTitle);
    tree->entries = v.number[ROOT_fEntries];
    tree->compressed = v.number[ROOT_fZipBytes];
    tree->uncompressed = v.number[ROOT_fTotBytes];
    if (tree->entries < 0)
        return fail(err, ROAST_CORRUPT, "it says that it has %lld entries", (long long)tree->entries);
    declared_clusters(&r, &v, tree);
    r.common.wanted = !tree->clusters_declared;
    if (!read_branches(&r, v.at[ROOT_fBranches], -1, 0)) {
        if (r.out_of_memory || layouts->out_of_memory)
            return fail_memory(err);
        return fail(err, ROAST_CORRUPT,
                    "branch %zu cannot be read (damaged, or of a version of ROOT that is not known)",
                    tree->n_branches + 1);
    }
    found_clusters(&r.common, tree);
    return ROAST_OK;
}
