/* SQL for the records. */
#include "run/record_sql.h"

#include <string.h>

#include "base/str.h"

extern const char roast_schema_sql[];

static const char *const references[] = {
    [KIND_NAME] = "name", [KIND_DATASET] = "dataset", [KIND_WORKER] = "worker", [KIND_FILE] = "file"};

static const char *type_of(field_kind kind)
{
    if (kind == KIND_TEXT || kind == KIND_UUID)
        return "TEXT";
    return kind == KIND_REAL || kind == KIND_RATE ? "REAL" : "INTEGER";
}

static void put_columns(buf *out, const record_spec *spec)
{
    const char *comma = "";
    for (size_t i = 0; i < spec->count; i++) {
        const record_field *field = &spec->fields[i];
        if (field->column == COLUMN_ELSEWHERE)
            continue;
        buf_format(out, "%s%s %s", comma, field->name, type_of(field->kind));
        if (field->column == COLUMN_MUST)
            buf_text(out, field->kind == KIND_FLAG ? " NOT NULL DEFAULT 0" : " NOT NULL");
        if (field->kind >= KIND_NAME)
            buf_format(out, " REFERENCES %s", references[field->kind]);
        comma = ", ";
    }
}

static const record_spec *record_named(roast_str name)
{
    for (size_t i = 0; i < RECORD_COUNT; i++)
        if (str_equal(str_from(record_specs[i].name), name))
            return &record_specs[i];
    return NULL;
}

void sql_schema(buf *out)
{
    const char *at = roast_schema_sql;
    for (const char *mark; (mark = strchr(at, '$'));) {
        buf_bytes(out, at, (size_t)(mark - at));
        at = mark + 1 + strspn(mark + 1, "abcdefghijklmnopqrstuvwxyz_");
        const record_spec *spec = record_named((roast_str){mark + 1, (size_t)(at - mark - 1)});
        if (spec)
            put_columns(out, spec);
    }
    buf_text(out, at);
}

void sql_views_anew(buf *out)
{
    const char *const mark = "CREATE VIEW ", *const views = strstr(roast_schema_sql, mark);
    for (const char *at = views; at; at = strstr(at + 1, mark)) {
        const char *name = at + strlen(mark);
        buf_format(out, "DROP VIEW IF EXISTS %.*s;", (int)strcspn(name, " "), name);
    }
    buf_text(out, views ? views : "");
}

void sql_insert(buf *out, record_id record, const char *owner, const char *if_there, size_t rows)
{
    const record_spec *spec = &record_specs[record];
    size_t columns = owner ? 1 : 0;
    buf_format(out, "INSERT %sINTO %s (%s", if_there ? if_there : "", spec->name, owner ? owner : "");
    for (size_t i = 0; i < spec->count; i++)
        if (spec->fields[i].column != COLUMN_ELSEWHERE)
            buf_format(out, "%s%s", columns++ ? ", " : "", spec->fields[i].name);
    buf_text(out, ") VALUES ");
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < columns; i++)
            buf_text(out, i ? ",?" : row ? "),(?" : "(?");
    buf_char(out, ')');
}

void sql_update(buf *out, record_id record, size_t key_fields)
{
    const record_spec *spec = &record_specs[record];
    size_t column = 2;
    buf_format(out, "UPDATE %s SET", spec->name);
    for (size_t i = key_fields; i < spec->count; i++) {
        const char *name = spec->fields[i].name;
        if (spec->fields[i].column == COLUMN_ELSEWHERE)
            continue;
        buf_format(out, "%s %s = %s(?%zu, %s)", column == 2 ? "" : ",", name,
                   spec->fields[i].kind == KIND_FLAG ? "max" : "coalesce", column, name);
        column++;
    }
    buf_text(out, " WHERE id = ?1");
}
