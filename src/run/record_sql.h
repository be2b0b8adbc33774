/* SQL for the records of roast_records.def: the tables, and the statements that fill them. */
#ifndef RUN_RECORD_SQL_H
#define RUN_RECORD_SQL_H

#include "base/buf.h"
#include "model/record.h"

/* The schema: the text of schema.sql with the columns of the records put in. */
void sql_schema(buf *out);
/* The part of it that makes the views, and what removes those of an older version. */
void sql_views_anew(buf *out);

/* "INSERT INTO table (owner, column, …) VALUES (?,?,…), …" for so many rows. owner, a column that is no field, may be
 * NULL, and so may what is done if a row of the same key is there: "OR REPLACE " or "OR IGNORE ". */
void sql_insert(buf *out, record_id record, const char *owner, const char *if_there, size_t rows);
/* "UPDATE table SET column = coalesce(?2, column), … WHERE id = ?1", without the first fields: those are its key. */
void sql_update(buf *out, record_id record, size_t key_fields);

#endif
