/* The records as tables, made of roast_records.def. */
#include "model/record.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

#define NONE_INT      ROAST_ABSENT
#define NONE_TIMES    1
#define NONE_DEPTH    0
#define NONE_TIME     ROAST_ABSENT
#define NONE_LOCAL    ROAST_ABSENT
#define NONE_SPAN     ROAST_ABSENT
#define NONE_SIZE     ROAST_ABSENT
#define NONE_MEMORY   ROAST_ABSENT
#define NONE_REAL     (double)NAN
#define NONE_RATE     (double)NAN
#define NONE_FLAG     false
#define NONE_HASH     0
#define NONE_BRANCHES 0
#define NONE_TEXT     NO_TEXT
#define NONE_UUID     NO_TEXT
#define NONE_NAME     NO_TEXT
#define NONE_DATASET  NO_TEXT
#define NONE_WORKER   NO_TEXT
#define NONE_FILE     NO_TEXT
#define NO_TEXT                                                                                                        \
    (roast_str)                                                                                                        \
    {                                                                                                                  \
        NULL, 0                                                                                                        \
    }

#define ROAST_RECORD(record, help)                                              static const roast_##record record##_none = {.size = sizeof(roast_##record),
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help) .name = NONE_##kind,
#define ROAST_RECORD_END(record)                                                                                       \
    }                                                                                                                  \
    ;
#include <roast_records.def>

#define ROAST_RECORD(record, help) static const record_field record##_fields[] = {
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help)                                        \
    {#name,                                                                                                            \
     KIND_##kind,                                                                                                      \
     COLUMN_##column,                                                                                                  \
     DETAIL_##detail,                                                                                                  \
     key,                                                                                                              \
     offsetof(roast_##record, name),                                                                                   \
     offsetof(roast_##record, base),                                                                                   \
     #shown,                                                                                                           \
     help},
#define ROAST_RECORD_END(record)                                                                                       \
    }                                                                                                                  \
    ;
#include <roast_records.def>

const record_spec record_specs[RECORD_COUNT] = {
#define ROAST_RECORD(record, help)                                                                                     \
    {#record,       help, record##_fields, sizeof record##_fields / sizeof *record##_fields, sizeof(roast_##record),   \
     &record##_none},
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help)
#define ROAST_RECORD_END(record)
#include <roast_records.def>
};

/* What is larger than the record that we know is filled up with zeros. */
static void record_init(const record_spec *spec, void *made, size_t size)
{
    size_t known = size < spec->size ? size : spec->size;
    memcpy(made, spec->none, known);
    memset((char *)made + known, 0, size - known);
    memcpy(made, &size, sizeof size);
}

#define ROAST_RECORD(record, help)                                                                                     \
    void roast_##record##_init(roast_##record *made, size_t size)                                                      \
    {                                                                                                                  \
        record_init(&record_specs[RECORD_##record], made, size);                                                       \
    }
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help)
#define ROAST_RECORD_END(record)
#include <roast_records.def>

const record_field *record_find(const record_spec *spec, roast_str name)
{
    for (size_t i = 0; i < spec->count; i++)
        if (str_equal(str_from(spec->fields[i].name), name))
            return &spec->fields[i];
    return NULL;
}

roast_value in_shown_unit(field_kind kind, int64_t value)
{
    if (value == ROAST_ABSENT)
        return (roast_value){.kind = ROAST_NOTHING};
    if (kind_is_time(kind))
        return (roast_value){.kind = ROAST_REAL, .as.real = (double)value / 1e9};
    if (kind == KIND_MEMORY)
        return (roast_value){.kind = ROAST_REAL, .as.real = (double)value / 1048576.0};
    return (roast_value){.kind = ROAST_INT, .as.integer = value};
}

roast_value field_value(const record_field *field, const void *record)
{
    const void *at = field_at(field, record);
    roast_value value = {.kind = ROAST_NOTHING};
    if (field_is_text(field)) {
        value.as.text = *(const roast_str *)at;
        value.kind = str_absent(value.as.text) ? ROAST_NOTHING : ROAST_TEXT;
    } else if (field->kind == KIND_REAL || field->kind == KIND_RATE) {
        value = (roast_value){.kind = ROAST_REAL, .as.real = *(const double *)at};
    } else if (field->kind == KIND_FLAG) {
        value = (roast_value){.kind = ROAST_INT, .as.integer = *(const bool *)at};
    } else if (field_is_int(field)) {
        value = in_shown_unit(field->kind, *(const int64_t *)at);
    }
    return value;
}

const void *record_take(const record_spec *spec, void *own, const void *given)
{
    size_t size = *(const size_t *)given;
    memcpy(own, spec->none, spec->size);
    memcpy(own, given, size < spec->size ? size : spec->size);
    memcpy(own, &spec->size, sizeof spec->size);
    return own;
}

const void *record_item(const record_spec *spec, void *own, const void *list, size_t index)
{
    return record_take(spec, own, (const char *)list + index * *(const size_t *)list);
}
