/* What the tables say: each is a list of rows or columns that name metrics. Changing a table is changing a line in
 * table_specs.c; the code in table.c stays as it is. */
#ifndef VIEW_TABLE_SPECS_H
#define VIEW_TABLE_SPECS_H

#include "view/format.h"
#include "view/table.h"

/* One metric within a value: "2.9 GiB" + " average". A part is there if after is not NULL. */
typedef struct part_spec {
    metric_id metric;
    const char *before, *after;
    format_form form;
    table_tone alarm; /* the tone of a value above 0; TONE_PLAIN raises none */
} part_spec;

enum { MOST_PARTS = 4 };

/* A line of a list of names and values. */
typedef struct pair_spec {
    const char *title; /* two spaces at the start: belongs to the line above */
    const char *join;  /* between the parts; NULL for ", " */
    part_spec parts[MOST_PARTS];
    bool if_known; /* left out where nothing is known, not shown as n/a */
    bool if_any;   /* left out where it is 0 or not known */
} pair_spec;

typedef struct column_spec {
    metric_id metric;
    const char *title;
    format_form form;
    int priority;
    bool shortens, bar;
    int most_lines;
    table_tone alarm;       /* the tone of a number above 0, or of a text … */
    const char *alarm_text; /* … that is this; NULL for any */
} column_spec;

typedef struct table_spec {
    const char *id, *title;
    const pair_spec *pairs; /* either a list … */
    size_t n_pairs;
    const column_spec *columns; /* … or a row for each of the scope */
    size_t n_columns;
    roast_scope scope;
    metric_id sort;          /* largest first … */
    const metric_id *groups; /* … or in the order of the summary, the limit for each group of equal values … */
    size_t n_groups;
    bool alarm_first; /* … after the rows that need attention */
    bool notes;       /* or the notes of the run … */
    bool findings;    /* … or what held it back */
    bool in_order;    /* rows stay as they are, and all of them are shown */
    bool if_asked;    /* not among the tables that are shown unasked */
    bool if_known; /* not among the tables that are shown unasked unless a line of it, or its second column, is known */
} table_spec;

extern const table_spec TABLE_SPECS[];
extern const size_t TABLE_SPEC_COUNT;

#endif
