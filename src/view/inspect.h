/* What ROOT files hold, for people (tables) and for programs (JSON). */
#ifndef VIEW_INSPECT_H
#define VIEW_INSPECT_H

#include "source/root/survey.h"
#include "view/table.h"

typedef enum inspect_sort {
    INSPECT_BY_SIZE,
    INSPECT_BY_NAME,
    INSPECT_BY_RATIO,
    INSPECT_BY_BASKET,
    INSPECT_BY_FILE
} inspect_sort;

typedef struct inspect_options {
    bool branches;      /* each branch instead of collections */
    const char *filter; /* only branches that match this pattern (*, ?, [abc]); NULL for all */
    inspect_sort sort;
    size_t limit; /* most rows of a table; 0 for all */
    double pick;  /* share of the bytes that the picked branches make up; 0 if none were picked */
} inspect_options;

struct roast_inspection {
    survey survey;
    double pick; /* as in the options */
};

/* The set may be released even if this fails. */
roast_code inspect_tables(table_set *out, const survey *s, const inspect_options *options, roast_error *err);
/* One object: files, trees with their collections and branches, hints. */
void inspect_json(buf *out, const survey *s, const inspect_options *options);
/* The branches to be shown, as places in the tree, in the order that was asked for; *count of them. picked: only those.
 * NULL without memory. */
uint32_t *inspect_order(arena *memory, const survey_tree *tree, const inspect_options *options, bool picked,
                        size_t *count);
/* NAN if b is 0. */
double inspect_divide(int64_t a, int64_t b);

#endif
