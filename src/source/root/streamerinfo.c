/* A file's own description of its classes: a TList of TStreamerInfo, each with a TObjArray of TStreamerElement, one per
 * member. It is needed only for versions of classes that are not built in, so failing to read it is not an error of
 * its own: then there is simply no layout. */
#include "source/root/streamerinfo.h"

#include <string.h>

#include "base/str.h"
#include "source/root/stream.h"

/* The codes of members in TStreamerElement::fType. Arrays of a basic type of fixed length are 20 more, those whose
 * length is another member 40 more. */
enum {
    TYPE_BASE = 0,
    TYPE_CHAR_STAR = 7,
    TYPE_DOUBLE = 8,
    TYPE_LAST_BASIC = 18,
    TYPE_FIXED = 20,
    TYPE_COUNTED = 40,
    TYPE_OBJECT = 61,
    TYPE_ANY = 62,
    TYPE_OBJECT_INLINE = 63,
    TYPE_OBJECT_POINTER = 64,
    TYPE_STRING = 65,
    TYPE_TOBJECT = 66,
    TYPE_TNAMED = 67,
    TYPE_ANY_INLINE = 68,
    TYPE_ANY_POINTER = 69,
    TYPE_STL_POINTER = 71,
    TYPE_OBJECT_ARRAY = 81,
    TYPE_ANY_ARRAY = 82,
    TYPE_STL = 300,
    TYPE_STL_STRING = 365,
};

/* No element and no list of rules takes less: tag, header, name. */
enum { SMALLEST_OBJECT = 16 };
/* What is read to learn how long the key is. */
enum { LONGEST_KEY = 256 };

/* 0: not a basic type, or one whose size on disk depends on more than its code. */
static uint32_t basic_size(int32_t type)
{
    static const uint8_t sizes[TYPE_LAST_BASIC + 1] = {0, 1, 2, 4, 8, 4, 4, 0, 8, 0, 1, 1, 2, 4, 8, 4, 8, 8, 1};
    return type > 0 && type <= TYPE_LAST_BASIC ? sizes[type] : 0;
}

typedef struct element {
    roast_str name, type_name, count_name;
    int32_t type, array_length;
    bool base;
} element;

static root_field field_named(roast_str name)
{
    for (int field = ROOT_NO_FIELD + 1; field < ROOT_FIELD_COUNT; field++)
        if (str_equal(name, str_from(root_field_name((root_field)field))))
            return (root_field)field;
    return ROOT_NO_FIELD;
}

static root_member basic_member(const element *e)
{
    int32_t code = e->type % 20;
    uint32_t size = basic_size(code);
    root_member member = {.field = field_named(e->name), .size = size};
    if (size == 0)
        member.kind = ROOT_MEMBER_UNKNOWN;
    else if (e->type >= TYPE_COUNTED)
        member.kind = ROOT_MEMBER_ARRAY;
    else if (e->type >= TYPE_FIXED)
        member.kind = ROOT_MEMBER_SKIP;
    else
        member.kind = code == TYPE_DOUBLE ? ROOT_MEMBER_REAL : ROOT_MEMBER_INT;
    if (member.kind == ROOT_MEMBER_ARRAY) {
        member.counter = field_named(e->count_name);
        if (member.counter == ROOT_NO_FIELD)
            member.kind = ROOT_MEMBER_UNKNOWN;
    } else if (member.kind == ROOT_MEMBER_SKIP) {
        bool fits = e->array_length >= 0 && e->array_length < 1 << 24;
        member.kind = fits ? ROOT_MEMBER_SKIP : ROOT_MEMBER_UNKNOWN;
        member.size = fits ? size * (uint32_t)e->array_length : 0;
    }
    return member;
}

/* TArrayD and its like are written without a header. */
static uint32_t tarray_element_size(roast_str type_name)
{
    static const struct {
        roast_str name;
        uint32_t size;
    } arrays[] = {
        {STR("TArrayD"), 8}, {STR("TArrayF"), 4},   {STR("TArrayI"), 4}, {STR("TArrayL"), 8},
        {STR("TArrayS"), 2}, {STR("TArrayL64"), 8}, {STR("TArrayC"), 1},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (str_equal(arrays[i].name, type_name))
            return arrays[i].size;
    return 0;
}

static root_member object_member(const element *e)
{
    uint32_t size = tarray_element_size(e->type_name);
    if (size > 0)
        return (root_member){.kind = ROOT_MEMBER_TARRAY, .size = size};
    uint32_t count = e->array_length > 0 ? (uint32_t)e->array_length : 1;
    return (root_member){.kind = ROOT_MEMBER_OBJECT, .field = field_named(e->name), .size = count};
}

static root_member to_member(const element *e)
{
    if (e->base)
        return (root_member){.kind = str_equal(e->name, STR("TObject")) ? ROOT_MEMBER_TOBJECT : ROOT_MEMBER_BASE,
                             .type = e->name};
    switch (e->type) {
    case TYPE_CHAR_STAR:
        return (root_member){.kind = ROOT_MEMBER_TEXT, .size = 1};
    case TYPE_STRING:
        return (root_member){.kind = ROOT_MEMBER_STRING, .field = field_named(e->name)};
    case TYPE_TOBJECT:
        return (root_member){.kind = ROOT_MEMBER_TOBJECT};
    case TYPE_OBJECT_POINTER:
    case TYPE_ANY_POINTER:
        return (root_member){.kind = ROOT_MEMBER_POINTER, .field = field_named(e->name)};
    case TYPE_OBJECT:
    case TYPE_ANY:
    case TYPE_OBJECT_INLINE:
    case TYPE_ANY_INLINE:
    case TYPE_TNAMED:
    case TYPE_STL_POINTER:
    case TYPE_OBJECT_ARRAY:
    case TYPE_ANY_ARRAY:
    case TYPE_STL:
    case TYPE_STL_STRING:
        return object_member(e);
    default:
        if (e->type > TYPE_BASE && e->type < TYPE_COUNTED + TYPE_FIXED)
            return basic_member(e);
        return (root_member){.kind = ROOT_MEMBER_UNKNOWN};
    }
}

/* A cursor over an object: nothing in it may reach beyond it. */
static cursor inside(const cursor *c, const root_object *object)
{
    cursor within = *c;
    within.end = within.start + object->end;
    cursor_seek(&within, object->begin);
    return within;
}

static void move_behind(cursor *c, root_header header)
{
    if (header.end == 0)
        c->failed = true;
    else
        cursor_seek(c, header.end);
}

/* The common part of TStreamerElement, whatever the class. */
static bool read_element(cursor c, const root_object *object, element *out)
{
    *out = (element){.base = str_equal(object->class_name, STR("TStreamerBase"))};
    (void)root_stream_header(&c); /* TStreamerBasicType and so on */
    root_header own = root_stream_header(&c);
    root_header named = root_stream_header(&c);
    root_stream_tobject(&c);
    out->name = root_stream_string(&c);
    move_behind(&c, named);
    out->type = (int32_t)cursor_be32(&c);
    cursor_skip(&c, 4); /* size in memory */
    out->array_length = (int32_t)cursor_be32(&c);
    cursor_skip(&c, 4); /* dimensions, then the length of each */
    cursor_skip(&c, own.version > 1 ? 20 : (size_t)4 * cursor_be32(&c));
    out->type_name = root_stream_string(&c);
    if (str_equal(object->class_name, STR("TStreamerBasicPointer"))) {
        move_behind(&c, own);
        cursor_skip(&c, 4);
        out->count_name = root_stream_string(&c);
    }
    return !c.failed;
}

/* No class has two members of one name. Two of a name would leave what was read first beside what was read last. */
static bool has_field(const root_layout *layout, root_field field)
{
    for (size_t i = 0; field != ROOT_NO_FIELD && i < layout->n_members; i++)
        if (layout->members[i].field == field)
            return true;
    return false;
}

/* Members up to the first that cannot be stepped over: often what is wanted comes before it. */
static bool read_elements(root_layouts *layouts, cursor c, size_t keylen, root_layout *out)
{
    size_t count = root_stream_array(&c);
    bool possible = !c.failed && count <= cursor_left(&c) / SMALLEST_OBJECT;
    possible = possible && root_tfile_spend(layouts->file, count, sizeof(root_member));
    root_member *members = !possible ? NULL : arena_alloc(&layouts->file->result->memory, count, sizeof *members);
    layouts->out_of_memory |= possible && !members;
    if (!members)
        return false;
    out->members = members;
    out->complete = true;
    for (size_t i = 0; i < count && !c.failed; i++) {
        bool elsewhere;
        root_object object = root_stream_pointer(&c, keylen, &elsewhere);
        element e;
        if (object.null || elsewhere || !read_element(inside(&c, &object), &object, &e))
            return false;
        root_member member = to_member(&e);
        if (member.kind == ROOT_MEMBER_UNKNOWN) {
            out->complete = false;
            return true;
        }
        if (has_field(out, member.field))
            return false;
        members[out->n_members++] = member;
    }
    return !c.failed;
}

static bool read_info(root_layouts *layouts, cursor c, size_t keylen, root_layout *out)
{
    bool elsewhere;
    *out = (root_layout){0};
    (void)root_stream_header(&c);
    root_header named = root_stream_header(&c);
    root_stream_tobject(&c);
    out->class_name = root_stream_string(&c);
    move_behind(&c, named);
    cursor_skip(&c, 4); /* checksum */
    out->first = out->last = (int32_t)cursor_be32(&c);
    root_object array = root_stream_pointer(&c, keylen, &elsewhere);
    return !c.failed && !array.null && !elsewhere && read_elements(layouts, inside(&c, &array), keylen, out);
}

static void read_list(root_layouts *layouts, const root_record *record)
{
    cursor c = cursor_over(record->bytes, record->len);
    (void)root_stream_header(&c);
    root_stream_tobject(&c);
    (void)root_stream_string(&c);
    size_t count = cursor_be32(&c);
    if (c.failed || count > cursor_left(&c) / SMALLEST_OBJECT ||
        !root_tfile_spend(layouts->file, count, sizeof *layouts->from_file))
        return;
    layouts->from_file = arena_alloc(&layouts->file->result->memory, count, sizeof *layouts->from_file);
    layouts->out_of_memory |= !layouts->from_file;
    for (size_t i = 0; i < count && layouts->from_file && !c.failed; i++) {
        bool elsewhere;
        root_object object = root_stream_pointer(&c, record->keylen, &elsewhere);
        (void)root_stream_string(&c); /* option */
        root_layout *out = &layouts->from_file[layouts->n_from_file];
        if (!object.null && !elsewhere && str_equal(object.class_name, STR("TStreamerInfo")) &&
            read_info(layouts, inside(&c, &object), record->keylen, out))
            layouts->n_from_file++;
    }
}

/* The record; its key comes first, of which only the length is not known yet. */
static roast_code read_record(root_tfile *file, root_record *record)
{
    root_record raw;
    int64_t len = file->info_nbytes < LONGEST_KEY ? file->info_nbytes : LONGEST_KEY;
    if (len <= 0)
        return ROAST_MISSING;
    roast_code code = root_tfile_blob(file, &raw, file->info_seek, len, len, NULL);
    if (code)
        return code;
    cursor c = cursor_over(raw.bytes, raw.len);
    root_key key;
    if (!root_key_parse(&c, &key))
        return ROAST_CORRUPT;
    key.seek = file->info_seek;
    return root_tfile_record(file, record, &key, NULL);
}

void root_streamerinfo_read(root_layouts *layouts)
{
    root_record record;
    roast_code code = read_record(layouts->file, &record);
    layouts->out_of_memory |= code == ROAST_MEMORY;
    if (!code)
        read_list(layouts, &record);
}
