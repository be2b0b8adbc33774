/* What the labels of a page mean. A label names its terms, most of which are metrics; the page carries what those mean
 * that are on it, each once. */
#ifndef VIEW_GLOSSARY_H
#define VIEW_GLOSSARY_H

#include "model/core_time.h"
#include "view/table_specs.h"

enum { GLOSSARY_WORDS = 8, TERM_COUNT = METRIC_COUNT + GLOSSARY_WORDS, MOST_TERMS = 4 };

/* The terms that were put; zero-initialised has none. */
typedef struct glossary {
    bool used[TERM_COUNT];
} glossary;

/* What one label is about: metrics, or METRIC_COUNT + the index of a word. */
typedef struct term_list {
    size_t terms[MOST_TERMS];
    size_t count;
} term_list;

void terms_add_part(term_list *list, const part_spec *part); /* if it is there */
/* Of a row's label, by the line of metrics that it shows or by what it is called; of a column, by its metric. */
term_list terms_of_label(const table_cell *label);
term_list terms_of_column(const table_column *column);
/* A category of the ledger; LEDGER_COUNT for none. */
term_list terms_of_category(ledger_category category);

/* Appends a label as HTML: text, and what a script needs to tell what it means. Without a glossary, or terms, only the
 * text. */
void glossary_label(buf *out, glossary *g, roast_str text, const term_list *terms);
/* What the terms that were used mean: {"run.total_events":[name, meaning, formula, source],…}. */
void glossary_json(buf *out, const glossary *g);

#endif
