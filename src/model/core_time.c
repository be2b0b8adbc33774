/* The rows of core_time.h as tables. */
#include "model/core_time.h"

#include "base/str.h"

const phase_info PHASES[ROAST_PHASE_COUNT] = {
#define PHASE_ROW(id, key, title, colour) [ROAST_PHASE_##id] = {#key, title, colour},
    CHUNK_PHASES(PHASE_ROW)
#undef PHASE_ROW
};

const category_info CATEGORIES[LEDGER_COUNT] = {
#define LEDGER_ROW(id, key, title, column, priority, colour) [LEDGER_##id] = {#key, title, colour},
    LEDGER_CATEGORIES_OF_CHUNKS(LEDGER_ROW) LEDGER_CATEGORIES_OF_WORKERS(LEDGER_ROW)
#undef LEDGER_ROW
};

ledger_category ledger_category_find(roast_str key)
{
    ledger_category category = 0;
    while (category < LEDGER_COUNT && !str_equal(key, str_from(CATEGORIES[category].key)))
        category++;
    return category;
}
