/* What the parts of stragglers share: attempts in groups, and by how much each deviates from what it should take. */
#ifndef ANALYSIS_STRAGGLER_PARTS_H
#define ANALYSIS_STRAGGLER_PARTS_H

#include "analysis/stragglers.h"

/* A group is slow by chance if so many of its attempts are slow as single stragglers make; over all groups of a kind
 * this is to happen in one run of a hundred. */
static const double LARGEST_CHANCE = 0.01;
enum { FEWEST_TO_FIT = 8, FEWEST_IN_GROUP = 3, MOST_BY_CHANCE = 50 };
enum { FEWEST_TO_BLAME = 2 }; /* where chance does not make as many slow: a file may have no more chunks */

/* ---- straggler_rates.c ---- */

/* Numbers of the comparable attempts, group by group: those of group g are items[first[g]] to items[first[g + 1] - 1].
 */
typedef struct sorted_groups {
    uint32_t *first, *items;
} sorted_groups;

typedef uint32_t (*grouping)(const stragglers *s, const trace_attempt *attempt, int kind);

/* False if memory is out. Who is in no group is left out. */
bool sorted_groups_make(sorted_groups *out, const stragglers *s, uint32_t groups, grouping get, int kind);
void sorted_groups_release(sorted_groups *groups);

bool straggler_comparable(const trace_attempt *attempt);
bool straggler_stands_out(double deviation);
uint32_t straggler_dataset(const stragglers *s, const trace_attempt *attempt, int kind);
double straggler_compared(const stragglers *s, const trace_attempt *attempt, straggler_part part);
roast_code straggler_look_for_cores(stragglers *s, roast_error *err);
/* What attempts should take, by those that are in no slow group. */
roast_code straggler_expect(stragglers *s, roast_error *err);
/* Seconds that a part may differ by. */
double straggler_indifferent(const stragglers *s, size_t i);
double straggler_deviation(const stragglers *s, straggler_part part, size_t i);

enum { LEVELS = 256 };

/* Deviations of all attempts, part by part. */
typedef struct deviations {
    float *of[STRAGGLER_PARTS];
    size_t known[STRAGGLER_PARTS], above[STRAGGLER_PARTS][LEVELS]; /* attempts that deviate by at least each level */
    double *scratch;
} deviations;

bool deviations_init(deviations *d, const trace *t);
void deviations_release(deviations *d);
size_t deviations_level(double deviation);
void deviations_measure(const stragglers *s, deviations *d);
void deviations_spread(stragglers *s, deviations *d);

/* ---- straggler_groups.c ---- */

int64_t straggler_time(const stragglers *s, const trace_attempt *attempt);
roast_code straggler_number_groups(stragglers *s, roast_error *err);
void straggler_acquit(straggler_groups *groups); /* nobody is slow */

/* ---- straggler_sites.c, straggler_times.c: false if memory is out ---- */

bool straggler_contrast_sites(stragglers *s, const sorted_groups *by_site, const float *above_expected,
                              double *scratch);
bool straggler_cut_times(stragglers *s, const deviations *d);

#endif
