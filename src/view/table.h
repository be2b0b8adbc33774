/* The table model: built once from a summary, drawn by every renderer (terminal, HTML, rich). */
#ifndef VIEW_TABLE_H
#define VIEW_TABLE_H

#include "analysis/summary.h"
#include "base/buf.h"
#include "view/format.h"

typedef enum table_align { TABLE_LEFT, TABLE_RIGHT } table_align;

/* What a cell means, so that renderers choose colours and nobody else does. In order of urgency. */
typedef enum table_tone { TONE_PLAIN, TONE_STRONG, TONE_QUIET, TONE_GOOD, TONE_WARN, TONE_BAD } table_tone;

struct pair_spec;

/* Texts come from the run as they are: a renderer makes them harmless in its own way (text_safe, HTML escapes). */
typedef struct table_cell {
    roast_str text;    /* as a person reads it, unit included */
    roast_value value; /* for sorting and for programs */
    table_tone tone;
    double share;     /* 0 to 1, for the bar of a column that has one; NAN for none */
    const char *unit; /* what the value is counted in, and how it is read: numbers of a column stand in one unit; NULL
                       * if the text is something else */
    format_form form;
    const struct pair_spec *line; /* of the label of a line of metrics; else NULL */
    bool is_code;                 /* every space of the text counts */
    const char *colour;           /* class of the bar's, as in pages (core_time.h); NULL for none */
} table_cell;

typedef struct table_column {
    const char *title;
    metric_id metric; /* what it shows, in a table of metrics: so has form, and the alarm */
    format_form form;
    table_align align;
    bool shortens;          /* long text may be cut to fit, where rows do not differ */
    bool place;             /* a path, an address or a host: what all rows begin and end with may be said once */
    bool bar;               /* cells are drawn with a bar before the text */
    int most_lines;         /* text may be broken into this many lines; 0 and 1 keep it on one */
    bool parts;             /* of text that is parts, TABLE_DOT between them, those that fit are shown */
    int priority;           /* 0 always shown; the higher, the earlier it goes when the width is short */
    table_tone alarm;       /* of a number above 0, or of a text … */
    const char *alarm_text; /* … that is this; NULL for any */
    const char *id, *words; /* a text that is id, of us or of the engine, is shown as words; NULL for none */
    bool if_any;            /* shown only where some number is above 0, or some text alarms */
} table_column;

typedef enum table_layout {
    TABLE_GRID,
    TABLE_PAIRS, /* two columns, names and values: drawn without a header, beside others where there is room */
    TABLE_LIST,  /* the same, with nothing beside it */
    TABLE_LINE,  /* two columns, values and what they are: in one line as far as there is room, without a title */
    TABLE_OPEN   /* a grid without a rule: what columns are called stands beside the title; beside others like it */
} table_layout;

typedef struct table {
    const char *id; /* "throughput": for --only, and for anchors */
    roast_str title;
    table_layout layout;
    size_t n_columns, n_rows;
    table_column *columns;
    table_cell *cells; /* row by row */
    roast_str more;    /* a line under the table: "and 95 more"; absent if there is none */
} table;

/* Between the parts of such a line, and of headings. */
#define TABLE_BETWEEN "   ·   "

/* The same where there is less room: the values of a TABLE_LIST are broken there first. */
#define TABLE_DOT " · "

/* A part of a heading; parts stand beside each other as far as there is room. */
typedef struct table_phrase {
    roast_str text;
    table_tone tone;
    bool first; /* of a line, however much room there is */
} table_phrase;

enum { TABLE_PHRASES = 16 };

typedef struct table_heading {
    table_phrase phrases[TABLE_PHRASES];
    size_t count;
    const char *between; /* the phrases; NULL for what is usual */
} table_heading;

typedef struct table_set {
    arena memory;
    table_heading alarm;             /* what is missing from the result; none if nothing is */
    table_heading headline, subline; /* what ran; how it ended */
    table *tables;
    size_t count;
} table_set;

/* Builds the tables whose ids are in only (comma-separated; NULL for all that have something to say). limit is the
 * most rows of the tables that grow (datasets, files, workers, failures); 0 for all of them. An id that does not
 * exist is ROAST_USAGE, and the message lists those that do. After a failure the set is empty. */
roast_code tables_build(table_set *out, const roast_summary *summary, const char *only, size_t limit, roast_error *err);
void tables_release(table_set *set);
/* What the table of the core time is called: it says what the whole is. */
void put_ledger_title(buf *out, const roast_summary *summary);
const table_cell *table_cell_at(const table *t, size_t row, size_t column);

#endif
