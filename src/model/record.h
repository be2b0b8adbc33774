/* The records as tables: what roast_records.def says of each field, for those who walk all fields of a record. */
#ifndef MODEL_RECORD_H
#define MODEL_RECORD_H

#include <roast.h>

typedef enum field_kind {
    KIND_INT,
    KIND_TIMES,
    KIND_DEPTH,
    KIND_TIME,
    KIND_LOCAL,
    KIND_SPAN,
    KIND_SIZE,
    KIND_MEMORY, /* the kinds up to here are int64_t */
    KIND_REAL,
    KIND_RATE,
    KIND_FLAG,
    KIND_HASH,
    KIND_BRANCHES,
    KIND_TEXT, /* and those from here on are texts */
    KIND_UUID,
    KIND_NAME,
    KIND_DATASET,
    KIND_WORKER,
    KIND_FILE,
} field_kind;

typedef enum field_column { COLUMN_MUST, COLUMN_MAY, COLUMN_ELSEWHERE } field_column;

typedef enum field_detail { DETAIL_SUMMED, DETAIL_SINGLE } field_detail;

typedef struct record_field {
    const char *name;
    field_kind kind;
    field_column column;
    field_detail detail;
    int key;                  /* in a packed record; 0: none */
    size_t offset, base;      /* in the struct: of the field, and of what its packed number is relative to */
    const char *shown, *help; /* shown: "" if it is no column */
} record_field;

typedef struct record_spec {
    const char *name, *help;
    const record_field *fields;
    size_t count, size; /* of the fields; of the struct */
    const void *none;   /* a record in which every field is absent */
} record_spec;

/* RECORD_worker, RECORD_chunk, … */
typedef enum record_id {
#define ROAST_RECORD(record, help) RECORD_##record,
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help)
#define ROAST_RECORD_END(record)
#include <roast_records.def>
    RECORD_COUNT
} record_id;

/* FIELD_worker_address, FIELD_chunk_uid, …: the places of fields in their record. */
#define ROAST_RECORD(record, help)                                              enum {
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help) FIELD_##record##_##name,
#define ROAST_RECORD_END(record)                                                                                       \
    FIELDS_OF_##record                                                                                                 \
    }                                                                                                                  \
    ;
#include <roast_records.def>

extern const record_spec record_specs[RECORD_COUNT];

/* Nanoseconds: of a clock, or a duration. */
static inline bool kind_is_time(field_kind kind)
{
    return kind >= KIND_TIME && kind <= KIND_SPAN;
}

static inline bool field_is_int(const record_field *field)
{
    return field->kind <= KIND_MEMORY;
}

static inline bool field_is_text(const record_field *field)
{
    return field->kind >= KIND_TEXT;
}

/* Where a field is in a record. */
static inline void *field_at(const record_field *field, const void *record)
{
    return (char *)(uintptr_t)record + field->offset;
}

static inline int64_t *field_int(const record_field *field, const void *record)
{
    return field_at(field, record);
}

static inline roast_str *field_text(const record_field *field, const void *record)
{
    return field_at(field, record);
}

/* A field as it is shown: times in seconds, memory in MiB. Texts are borrowed; hashes are nothing. */
roast_value field_value(const record_field *field, const void *record);
roast_value in_shown_unit(field_kind kind, int64_t value);

/* NULL if the record has no such field. */
const record_field *record_find(const record_spec *spec, roast_str name);

/* A record of a caller, whose header may be older or newer than this library, as one of ours: what his does not have is
 * absent, what we do not know is left out. Returns own. Lists are borrowed from it, and are still the caller's: their
 * items are taken by record_item. */
const void *record_take(const record_spec *spec, void *own, const void *given);
/* The same of a record in a list of a caller, each as large as the first one says. */
const void *record_item(const record_spec *spec, void *own, const void *list, size_t index);

#endif
