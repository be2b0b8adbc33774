/* What makes up survey_finish, and what its parts share. */
#ifndef SOURCE_ROOT_SURVEY_PARTS_H
#define SOURCE_ROOT_SURVEY_PARTS_H

#include "source/root/survey.h"

/* Adds a hint; false without memory. */
bool survey_say(survey *s, survey_weight weight, roast_str subject, roast_str text);

/* Each false only without memory. */
bool survey_collect(survey *s, survey_tree *tree);
bool survey_compare_files(survey *s, survey_tree *tree);
bool survey_give_hints(survey *s, survey_tree *tree, int64_t chunk);

#endif
