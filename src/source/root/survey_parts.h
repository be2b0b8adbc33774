/* What makes up survey_finish, and what its parts share. */
#ifndef SOURCE_ROOT_SURVEY_PARTS_H
#define SOURCE_ROOT_SURVEY_PARTS_H

#include "source/root/survey.h"

/* Sums of sizes that a damaged file makes absurd must not overflow. */
static inline void survey_sum(int64_t *sum, int64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = INT64_MAX;
}

/* Room for one more than count; NULL without memory. */
void *survey_grow(arena *memory, void *old, size_t count, size_t *capacity, size_t size);
/* Adds a hint; false without memory. */
bool survey_say(survey *s, survey_weight weight, roast_str subject, roast_str text);

/* Each false only without memory. */
bool survey_collect(survey *s, survey_tree *tree);
bool survey_compare_files(survey *s, survey_tree *tree);
bool survey_give_hints(survey *s, survey_tree *tree, int64_t chunk);

#endif
