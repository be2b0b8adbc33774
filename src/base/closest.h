/* What was meant by a word that is none of those that there are. */
#ifndef BASE_CLOSEST_H
#define BASE_CLOSEST_H

#include <roast.h>

/* The one of the words that is close to what was typed, or begins with it; NULL if none is. word_at gives NULL after
 * the last. */
const char *closest_word(roast_str typed, const char *(*word_at)(const void *context, size_t index),
                         const void *context);
/* The same of a list that needs no context. */
const char *closest_id(roast_str typed, const char *(*id_at)(size_t index));

#endif
