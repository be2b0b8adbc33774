/* Guesses at words, by the letters that differ. */
#include "base/closest.h"

#include "base/str.h"

enum { LONGEST_WORD = 48 };

/* Letters to insert, delete, replace or swap to get from one word to the other. */
static size_t edit_distance(roast_str a, roast_str b)
{
    size_t rows[3][LONGEST_WORD + 1];
    if (a.len > LONGEST_WORD || b.len > LONGEST_WORD)
        return SIZE_MAX;
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= b.len; j++)
        before[j] = last[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best = last[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1];
            if (swapped && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *oldest = before;
        before = last, last = now, now = oldest;
    }
    return last[b.len];
}

const char *closest_word(roast_str typed, const char *(*word_at)(const void *context, size_t index),
                         const void *context)
{
    const char *closest = NULL, *word;
    size_t smallest = typed.len < 4 ? 2 : 3; /* a guess must be better than this */
    for (size_t i = 0; (word = word_at(context, i)); i++) {
        bool is_front = typed.len >= 2 && str_starts_with(str_from(word), typed);
        size_t distance = is_front ? 1 : edit_distance(typed, str_from(word));
        if (distance < smallest) {
            smallest = distance;
            closest = word;
        }
    }
    return closest;
}

typedef struct id_list_source {
    const char *(*id_at)(size_t index);
} id_list_source;

static const char *id_of(const void *context, size_t index)
{
    return ((const id_list_source *)context)->id_at(index);
}

const char *closest_id(roast_str typed, const char *(*id_at)(size_t index))
{
    return closest_word(typed, id_of, &(id_list_source){id_at});
}
