/* The waiting for storage by site. */
#include "analysis/straggler_parts.h"

#include <math.h>
#include <stdlib.h>

/* Sites are contrasted, not pooled: where half of the files are on a slow one, what is usual over all is neither. A
 * dataset that is mostly on one site takes that site for usual, so both effects are found together: the waiting of a
 * dataset on a site is that of the dataset and that of the site, one on top of the other. */
typedef struct site_cells {
    float *value;           /* by dataset and site: of the logarithm of took / expected; NAN: too few */
    double *site, *dataset; /* effects */
    uint32_t sites, datasets;
} site_cells;

/* The load of storage changes from hour to hour, and what is most asked waits longest: a site that is slow is so when
 * few ask, too, and that is what sites are compared by. */
static const double WHEN_FEW_ASK = 25; /* percentile */

static uint32_t cell_group(const stragglers *s, const trace_attempt *attempt, int kind)
{
    uint32_t site = straggler_group(s, STRAGGLER_SITE, attempt), datasets = (uint32_t)s->trace->n_datasets + 1;
    return site == TRACE_NONE ? TRACE_NONE : site * datasets + straggler_dataset(s, attempt, kind);
}

static bool fill_cells(site_cells *cells, const stragglers *s, const float *above_expected, double *scratch)
{
    uint32_t count = cells->sites * cells->datasets;
    sorted_groups by_cell = {0};
    cells->value = malloc(((size_t)count + 1) * sizeof *cells->value);
    cells->site = calloc((size_t)cells->sites + 1, sizeof *cells->site);
    cells->dataset = calloc((size_t)cells->datasets + 1, sizeof *cells->dataset);
    bool done = cells->value && cells->site && cells->dataset && sorted_groups_make(&by_cell, s, count, cell_group, 0);
    for (uint32_t cell = 0; done && cell < count; cell++) {
        size_t kept = 0;
        for (size_t i = by_cell.first[cell]; i < by_cell.first[cell + 1]; i++)
            if (isfinite(above_expected[by_cell.items[i]]))
                scratch[kept++] = (double)above_expected[by_cell.items[i]];
        double value = kept >= FEWEST_IN_GROUP ? percentile(scratch, kept, WHEN_FEW_ASK) : (double)NAN;
        cells->value[cell] = (float)value;
    }
    sorted_groups_release(&by_cell);
    return done;
}

/* By row of a table: the mean of its cells, without what its columns explain. next: from a row to the next, and from a
 * cell to the next of its row. */
static void average_rows(double *effects, size_t rows, const float *cells, const size_t next[2], const double *columns,
                         size_t n_columns)
{
    for (size_t row = 0; row < rows; row++) {
        double sum = 0, count = 0;
        for (size_t column = 0; column < n_columns; column++) {
            float value = cells[row * next[0] + column * next[1]];
            sum += isfinite(value) ? (double)value - columns[column] : 0;
            count += isfinite(value) != 0;
        }
        effects[row] = count > 0 ? sum / count : 0;
    }
}

/* Both effects by turns: each is the mean of what the other leaves. A site that shares no dataset with others stays
 * where its datasets put it. */
static void separate(site_cells *cells)
{
    enum { TURNS = 30 };
    const size_t by_site[2] = {cells->datasets, 1}, by_dataset[2] = {1, cells->datasets};
    for (int turn = 0; turn < TURNS; turn++) {
        average_rows(cells->dataset, cells->datasets, cells->value, by_dataset, cells->site, cells->sites);
        average_rows(cells->site, cells->sites, cells->value, by_site, cells->dataset, cells->datasets);
    }
}

/* The effect of each site on waiting; the reference is the best of those that many read from. */
bool straggler_contrast_sites(stragglers *s, const sorted_groups *by_site, const float *above_expected, double *scratch)
{
    straggler_groups *groups = &s->kinds[STRAGGLER_SITE];
    site_cells cells = {.sites = groups->count, .datasets = (uint32_t)s->trace->n_datasets + 1};
    bool done = fill_cells(&cells, s, above_expected, scratch);
    if (done)
        separate(&cells);
    double best = HUGE_VAL;
    for (uint32_t g = 0; done && g < groups->count; g++) {
        groups->typical[STRAGGLER_IO][g] = (float)cells.site[g];
        bool many = groups->attempts[g] * 20 > by_site->first[groups->count] && groups->attempts[g] >= FEWEST_TO_FIT;
        best = many ? fmin(best, cells.site[g]) : best;
    }
    groups->reference[STRAGGLER_IO] = isfinite(best) ? best : 0;
    free(cells.value);
    free(cells.site);
    free(cells.dataset);
    return done;
}
