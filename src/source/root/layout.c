/* Reading objects by a description of their members.
 *
 * For the versions of the classes that ROOT 5 and 6 write, the description is the table below: no request and no time
 * is spent on what is known. For any other version, and for an object whose length does not agree with the table, it
 * is the one that every ROOT file carries in its TStreamerInfo record. Old and future files can so be read as well. */
#include "source/root/layout.h"

#include <string.h>

#include "base/str.h"
#include "source/root/stream.h"
#include "source/root/streamerinfo.h"

enum { DEEPEST_BASE = 8, NEWEST = INT32_MAX };
/* Comparing a name in the list of layouts takes that much less time than reading a member. */
enum { LOOKS_PER_STEP = 8 };

/* ---- What is known ------------------------------------------------------------------------------------------ */

#define BASE(name, ...)                                                                                                \
    {                                                                                                                  \
        .kind = ROOT_MEMBER_BASE, .type = {name, sizeof(name) - 1}, __VA_ARGS__                                        \
    }
#define INT(bytes, name, ...)                                                                                          \
    {                                                                                                                  \
        .kind = ROOT_MEMBER_INT, .size = bytes, .field = ROOT_##name, __VA_ARGS__                                      \
    }
#define REAL(name, ...)                                                                                                \
    {                                                                                                                  \
        .kind = ROOT_MEMBER_REAL, .field = ROOT_##name, __VA_ARGS__                                                    \
    }
#define SKIP(bytes, ...)                                                                                               \
    {                                                                                                                  \
        .kind = ROOT_MEMBER_SKIP, .size = bytes, __VA_ARGS__                                                           \
    }
#define STRING(name, ...)                                                                                              \
    {                                                                                                                  \
        .kind = ROOT_MEMBER_STRING, .field = ROOT_##name, __VA_ARGS__                                                  \
    }
#define OBJECT(name, ...)                                                                                              \
    {                                                                                                                  \
        .kind = ROOT_MEMBER_OBJECT, .size = 1, .field = ROOT_##name, __VA_ARGS__                                       \
    }
#define POINTER(name, ...)                                                                                             \
    {                                                                                                                  \
        .kind = ROOT_MEMBER_POINTER, .field = ROOT_##name, __VA_ARGS__                                                 \
    }
#define ARRAY(bytes, name, count, ...)                                                                                 \
    {                                                                                                                  \
        .kind = ROOT_MEMBER_ARRAY, .size = bytes, .field = ROOT_##name, .counter = ROOT_##count, __VA_ARGS__           \
    }
#define SINCE(version) .first = version
#define UNTIL(version) .last = version

static const root_member named_members[] = {
    {.kind = ROOT_MEMBER_TOBJECT},
    STRING(fName),
    STRING(fTitle),
};

/* Up to the list of branches: what follows (leaves, friends, index) need not be read. */
static const root_member tree_members[] = {
    BASE("TNamed"),
    BASE("TAttLine"),
    BASE("TAttFill"),
    BASE("TAttMarker"),
    INT(8, fEntries),
    INT(8, fTotBytes),
    INT(8, fZipBytes),
    SKIP(8),            /* fSavedBytes */
    SKIP(8, SINCE(18)), /* fFlushedBytes */
    SKIP(20),           /* fWeight, fTimerInterval, fScanField, fUpdate */
    SKIP(4, SINCE(17)), /* fDefaultEntryOffsetLen */
    INT(4, fNClusterRange, SINCE(19)),
    SKIP(32), /* fMaxEntries, fMaxEntryLoop, fMaxVirtualSize, fAutoSave */
    INT(8, fAutoFlush, SINCE(18)),
    SKIP(8), /* fEstimate */
    ARRAY(8, fClusterRangeEnd, fNClusterRange, SINCE(19)),
    ARRAY(8, fClusterSize, fNClusterRange, SINCE(19)),
    {.kind = ROOT_MEMBER_OBJECT, .size = 1, SINCE(20)}, /* fIOFeatures */
    OBJECT(fBranches),
};

static const root_member ntuple_members[] = {BASE("TTree")};

/* Before version 10 ROOT wrote branches by hand: entries and sizes were doubles. */
static const root_member branch_members[] = {
    BASE("TNamed"),
    BASE("TAttFill", SINCE(8)),
    INT(4, fCompress),
    SKIP(8), /* fBasketSize, fEntryOffsetLen */
    INT(4, fWriteBasket),
    SKIP(4, UNTIL(9)), /* fEntryNumber */
    SKIP(8, SINCE(10)),
    {.kind = ROOT_MEMBER_OBJECT, .size = 1, SINCE(13)}, /* fIOFeatures */
    SKIP(4),                                            /* fOffset */
    INT(4, fMaxBaskets),
    SKIP(4, SINCE(7)), /* fSplitLevel */
    REAL(fEntries, UNTIL(9)),
    REAL(fTotBytes, UNTIL(9)),
    REAL(fZipBytes, UNTIL(9)),
    INT(8, fEntries, SINCE(10)),
    SKIP(8, SINCE(11)), /* fFirstEntry */
    INT(8, fTotBytes, SINCE(10)),
    INT(8, fZipBytes, SINCE(10)),
    OBJECT(fBranches),
    OBJECT(fLeaves),
    OBJECT(fBaskets),
    ARRAY(4, fBasketBytes, fMaxBaskets),
    ARRAY(4, fBasketEntry, fMaxBaskets, UNTIL(9)),
    ARRAY(8, fBasketEntry, fMaxBaskets, SINCE(10)),
    ARRAY(4, fBasketSeek, fMaxBaskets, UNTIL(9)),
    ARRAY(8, fBasketSeek, fMaxBaskets, SINCE(10)),
    STRING(fFileName),
};

static const root_member branch_element_members[] = {
    BASE("TBranch"),
    STRING(fClassName),
    {.kind = ROOT_MEMBER_STRING}, /* fParentName */
    {.kind = ROOT_MEMBER_STRING}, /* fClonesName */
    SKIP(4),                      /* fCheckSum */
    SKIP(4, UNTIL(9)),            /* fClassVersion */
    SKIP(2, SINCE(10)),
    SKIP(16), /* fID, fType, fStreamerType, fMaximum */
    POINTER(fBranchCount),
    {.kind = ROOT_MEMBER_POINTER}, /* fBranchCount2 */
};

static const root_member branch_object_members[] = {
    BASE("TBranch"),
    STRING(fClassName),
};

/* Written by hand in all versions, and without its TBranch part. Its own count is a branch that stands nowhere else. */
static const root_member branch_clones_members[] = {
    BASE("TNamed"),
    INT(4, fCompress),
    SKIP(8),
    INT(4, fMaxBaskets),
    INT(4, fWriteBasket),
    SKIP(8), /* fEntryNumber */
    INT(8, fEntries),
    INT(8, fTotBytes),
    INT(8, fZipBytes),
    SKIP(4), /* fOffset */
    POINTER(fBranchCount),
    STRING(fClassName),
    OBJECT(fBranches),
};

static const root_member leaf_members[] = {
    BASE("TNamed"),      INT(4, fLen),        SKIP(9), /* fLenType, fOffset, fIsRange */
    INT(1, fIsUnsigned), POINTER(fLeafCount),
};

#define LAYOUT(name, from, to, all, table)                                                                             \
    {                                                                                                                  \
        {name, sizeof(name) - 1}, from, to, all, table, sizeof(table) / sizeof(table)[0]                               \
    }

static const root_layout built_in[] = {
    LAYOUT("TNamed", 1, 1, true, named_members),
    LAYOUT("TBranch", 6, 13, true, branch_members),
    LAYOUT("TLeaf", 2, 2, true, leaf_members),
    LAYOUT("TBranchElement", 8, 10, true, branch_element_members),
    LAYOUT("TTree", 16, 20, false, tree_members),
    LAYOUT("TNtuple", 1, NEWEST, false, ntuple_members),
    LAYOUT("TNtupleD", 1, NEWEST, false, ntuple_members),
    LAYOUT("TBranchObject", 1, 1, true, branch_object_members),
    LAYOUT("TBranchClones", 2, NEWEST, true, branch_clones_members),
};

const root_layout *root_layout_built_in(roast_str class_name, int32_t version)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (str_equal(built_in[i].class_name, class_name) && version >= built_in[i].first &&
            version <= built_in[i].last)
            return &built_in[i];
    return NULL;
}

const root_layout *root_layout_from_file(root_layouts *layouts, roast_str class_name, int32_t version)
{
    if (!layouts->asked) {
        layouts->asked = true;
        root_streamerinfo_read(layouts);
    }
    layouts->steps_left -= (int64_t)layouts->n_from_file / LOOKS_PER_STEP;
    for (size_t i = 0; i < layouts->n_from_file; i++)
        if (layouts->from_file[i].first == version && str_equal(layouts->from_file[i].class_name, class_name))
            return &layouts->from_file[i];
    return NULL;
}

const char *root_field_name(root_field field)
{
    static const char *const names[ROOT_FIELD_COUNT] = {"",
#define FIELD_NAME(name) #name,
                                                        ROOT_FIELDS(FIELD_NAME)
#undef FIELD_NAME
    };
    return (unsigned)field < ROOT_FIELD_COUNT ? names[field] : "";
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

typedef struct reading {
    root_layouts *layouts;
    cursor *c;
    size_t keylen;
    root_values *out;
} reading;

static int64_t read_integer(cursor *c, uint32_t size)
{
    switch (size) {
    case 1:
        return (int8_t)cursor_u8(c);
    case 2:
        return (int16_t)cursor_be16(c);
    case 4:
        return (int32_t)cursor_be32(c);
    default:
        return (int64_t)cursor_be64(c);
    }
}

static int64_t read_real(cursor *c)
{
    uint64_t bits = cursor_be64(c);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value > -9e18 && value < 9e18 ? (int64_t)value : 0;
}

static void read_array(const reading *r, const root_member *member)
{
    uint32_t size = member->size;
    /* Old files store positions of large files, and only those, in eight bytes; the first byte tells. */
    if (cursor_u8(r->c) == 2 && member->field == ROOT_fBasketSeek)
        size = 8;
    int64_t count = r->out->number[member->counter];
    if (r->c->failed || count < 0 || count > UINT32_MAX || (uint64_t)count > cursor_left(r->c) / size) {
        r->c->failed = true;
        return;
    }
    /* The length is kept here: what the counter says may change as long as members are read. */
    r->out->at[member->field] = cursor_position(r->c);
    r->out->element[member->field] = size;
    r->out->count[member->field] = (uint32_t)count;
    cursor_skip(r->c, (size_t)count * size);
}

static void read_text_or_tarray(cursor *c, uint32_t size)
{
    uint32_t count = cursor_be32(c);
    if (count > cursor_left(c) / size)
        c->failed = true;
    else
        cursor_skip(c, (size_t)count * size);
}

static bool read_class(const reading *r, roast_str class_name, roast_str fallback, int depth);

static void read_member(const reading *r, const root_member *member, int depth)
{
    cursor *c = r->c;
    r->out->at[member->field] = cursor_position(c);
    switch (member->kind) {
    case ROOT_MEMBER_INT:
        r->out->number[member->field] = read_integer(c, member->size);
        break;
    case ROOT_MEMBER_REAL:
        r->out->number[member->field] = read_real(c);
        break;
    case ROOT_MEMBER_SKIP:
        cursor_skip(c, member->size);
        break;
    case ROOT_MEMBER_STRING:
        (void)root_stream_string(c);
        break;
    case ROOT_MEMBER_TEXT:
    case ROOT_MEMBER_TARRAY:
        read_text_or_tarray(c, member->size);
        break;
    case ROOT_MEMBER_TOBJECT:
        root_stream_tobject(c);
        break;
    case ROOT_MEMBER_BASE:
        if (!read_class(r, member->type, str_none(), depth + 1))
            c->failed = true;
        break;
    case ROOT_MEMBER_OBJECT:
        for (uint32_t i = 0; i < member->size && !c->failed; i++)
            root_stream_skip_object(c);
        break;
    case ROOT_MEMBER_POINTER:
        (void)root_stream_pointer(c, r->keylen, NULL);
        break;
    case ROOT_MEMBER_ARRAY:
        read_array(r, member);
        break;
    case ROOT_MEMBER_UNKNOWN:
        c->failed = true;
        break;
    }
}

/* True if the members were read and end where the header said. */
static bool read_by(const reading *r, const root_layout *layout, root_header header, int depth)
{
    for (size_t i = 0; i < layout->n_members && !r->c->failed; i++) {
        const root_member *member = &layout->members[i];
        r->c->failed = --r->layouts->steps_left < 0;
        if (header.version >= member->first && (member->last == 0 || header.version <= member->last))
            read_member(r, member, depth);
    }
    if (r->c->failed || header.end == 0)
        return !r->c->failed;
    size_t at = cursor_position(r->c);
    return layout->complete ? at == header.end : at <= header.end;
}

static bool is_built_in_class(roast_str class_name)
{
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        if (str_equal(built_in[i].class_name, class_name))
            return true;
    return false;
}

/* Goes back to where the members begin and forgets everything: a wrong layout may have taken any bytes for any member,
 * in its base classes too. Nothing right is lost, because only the first base class can be one that is tried twice. */
static void start_again(const reading *r, const cursor *begin)
{
    *r->c = *begin;
    *r->out = (root_values){0};
}

static bool read_by_file(const reading *r, roast_str class_name, root_header header, int depth)
{
    const root_layout *layout = root_layout_from_file(r->layouts, class_name, header.version);
    return layout && read_by(r, layout, header, depth);
}

/* A class that derives from a known one: TLeafF, TBranchRef or somebody's own. */
static bool read_derived(const reading *r, roast_str class_name, roast_str fallback, root_header header, int depth)
{
    if (str_absent(fallback))
        return header.end != 0; /* a base class of no interest, like TAttFill */
    const cursor begin = *r->c;
    if (read_class(r, fallback, str_none(), depth + 1))
        return true;
    start_again(r, &begin);
    return read_by_file(r, class_name, header, depth);
}

/* A class in the table, of a version that is in it or not. */
static bool read_known(const reading *r, roast_str class_name, roast_str fallback, root_header header, int depth)
{
    const cursor begin = *r->c;
    const root_layout *layout = r->layouts->only_from_file ? NULL : root_layout_built_in(class_name, header.version);
    if (layout && read_by(r, layout, header, depth))
        return true;
    if (layout)
        start_again(r, &begin);
    if (read_by_file(r, class_name, header, depth))
        return true;
    start_again(r, &begin);
    return !str_absent(fallback) && !str_equal(fallback, class_name) && read_class(r, fallback, str_none(), depth + 1);
}

static bool read_class(const reading *r, roast_str class_name, roast_str fallback, int depth)
{
    if (depth > DEEPEST_BASE)
        return false;
    root_header header = root_stream_header(r->c);
    if (r->c->failed)
        return false;
    /* Nothing inside may reach beyond its end: so the work is linear in the bytes, whatever they say. */
    const unsigned char *end = r->c->end;
    if (header.end != 0)
        r->c->end = r->c->start + header.end;
    bool good = is_built_in_class(class_name) ? read_known(r, class_name, fallback, header, depth)
                                              : read_derived(r, class_name, fallback, header, depth);
    if (good && header.end != 0)
        cursor_seek(r->c, header.end);
    r->c->end = end;
    return good && !r->c->failed;
}

bool root_layout_read(root_layouts *layouts, cursor *c, size_t keylen, roast_str class_name, roast_str fallback,
                      root_values *out)
{
    memset(out, 0, sizeof *out);
    reading r = {layouts, c, keylen, out};
    return read_class(&r, class_name, fallback, 0);
}
