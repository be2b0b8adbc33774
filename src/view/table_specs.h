/* What the tables say: each is a list of rows or columns that name metrics. Changing a table is changing a line in
 * table_specs.c; the code in table.c stays as it is. */
#ifndef VIEW_TABLE_SPECS_H
#define VIEW_TABLE_SPECS_H

#include "view/format.h"
#include "view/table.h"

/* One metric within a value: "2.9 GiB" + " average". A part is there if after is not NULL. */
typedef struct part_spec {
    metric_id metric;
    const char *after;
    format_form form;
    table_tone alarm;      /* the tone of a value above 0; TONE_PLAIN raises none */
    const char *after_one; /* instead of after, if the value is 1; NULL for the same */
} part_spec;

/* What is said after a value. */
const char *part_after(const part_spec *part, roast_value value);
void put_part(buf *out, const part_spec *part, roast_value value);

enum { MOST_PARTS = 4 };

typedef enum line_shown {
    LINE_IF_KNOWN, /* left out where nothing of it is known */
    LINE_ALWAYS,   /* its absence tells something: "n/a", and why */
    LINE_IF_ANY    /* left out where it is 0, too */
} line_shown;

/* A line of a list of names and values. */
typedef struct pair_spec {
    const char *title; /* two spaces at the start: belongs to the line above */
    const char *join;  /* between the parts; NULL for ", " */
    part_spec parts[MOST_PARTS];
    line_shown shown;
    const metric_id *unless; /* left out where this is known, which says the same better; NULL for always */
} pair_spec;

typedef enum table_kind {
    TABLE_OF_METRICS,  /* a line for each of pairs */
    TABLE_OF_ROWS,     /* a row for each of the scope */
    TABLE_OF_FINDINGS, /* what held the run back */
    TABLE_OF_NOTES,    /* of the run */
    TABLE_OF_FACTS     /* of the run: what ran, on what, with which software */
} table_kind;

typedef enum row_order {
    ROWS_AS_THEY_ARE,   /* all of them */
    ROWS_LARGEST_FIRST, /* by sort */
    ROWS_ALARM_FIRST,   /* then by sort */
    ROWS_BY_GROUP,      /* as they are, the limit for each group of rows that are equal in groups */
    ROWS_AS_TREE        /* by sort, each after the one that its column groups[0] names, whose first column it is */
} row_order;

typedef enum table_shown {
    TABLE_IF_ROWS,
    TABLE_IF_KNOWN,   /* if a line of it, or its second column, is known */
    TABLE_IF_SEVERAL, /* rows: one alone tells what other tables tell */
    TABLE_IF_ASKED    /* for it by name */
} table_shown;

typedef struct table_spec {
    const char *id, *title;
    table_kind kind;
    const pair_spec *pairs;
    size_t n_pairs;
    const table_column *columns;
    size_t n_columns;
    roast_scope scope;
    row_order order;
    metric_id sort, groups[2];
    table_shown shown;
    metric_id tells[2];      /* rows in which none of these is known are left out; M_run_… for all rows */
    const char *details;     /* the table that has the same one by one; NULL for none */
    const metric_id *unless; /* left out unasked where this is known */
} table_spec;

/* A number of the one screen: "cores 22 % in process()". */
typedef struct screen_number {
    const char *before;
    part_spec part;
} screen_number;

extern const screen_number SCREEN_NUMBERS[];
extern const size_t SCREEN_NUMBER_COUNT;
extern const table_spec TABLE_SPECS[];
extern const size_t TABLE_SPEC_COUNT;

#endif
