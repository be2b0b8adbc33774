/* The odd ones out: files in which a tree is unlike the same tree in the others. Numbers are compared with the median
 * and the usual distance from it, so that a few strange files do not hide each other. */
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "source/root/survey_parts.h"

/* Fewer files have no usual. */
enum { FEWEST_FILES = 4 };
/* As far from the median as 5 standard deviations would be, and at least a quarter of it. */
static const double FAR = 5 * 1.4826, NOTABLE = 0.25;

static double per_event(const survey_part *p)
{
    return p->entries > 0 ? (double)p->compressed / (double)p->entries : (double)NAN;
}

static double ratio(const survey_part *p)
{
    return p->compressed > 0 ? (double)p->uncompressed / (double)p->compressed : (double)NAN;
}

static double basket_size(const survey_part *p)
{
    return p->baskets > 0 ? (double)p->compressed / (double)p->baskets : (double)NAN;
}

static double cluster_size(const survey_part *p)
{
    return p->clusters > 1 ? (double)p->largest_cluster : (double)NAN;
}

static const struct {
    const char *name;
    double (*value)(const survey_part *p);
} measures[] = {
    {"bytes per event", per_event},
    {"compression ratio", ratio},
    {"basket size", basket_size},
    {"cluster size", cluster_size},
};

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static void write_measure(buf *out, const char *name, double value, double usual)
{
    buf_format(out, "%s%s %.2g times the usual", out->len ? ", " : "", name, value / usual);
}

/* Adds what is odd about the part to what was found before. */
static bool note_oddity(survey *s, survey_part *part, buf *text)
{
    buf whole = {0};
    buf_str(&whole, part->outlier);
    if (whole.len)
        buf_text(&whole, ", ");
    buf_str(&whole, buf_view(text));
    part->outlier = whole.code ? str_none() : arena_str(&s->memory, buf_view(&whole));
    buf_release(&whole);
    return !str_absent(part->outlier);
}

static bool compare_measure(survey *s, survey_tree *tree, size_t measure, double *values, double *distances)
{
    size_t count = 0;
    for (size_t i = 0; i < tree->n_parts; i++) {
        double value = measures[measure].value(&tree->parts[i]);
        if (!isnan(value))
            values[count++] = value;
    }
    if (count < FEWEST_FILES)
        return true;
    double middle = median(values, count);
    for (size_t i = 0; i < count; i++)
        distances[i] = fabs(values[i] - middle);
    double usual = median(distances, count);
    bool good = true;
    for (size_t i = 0; i < tree->n_parts && good && middle > 0; i++) {
        double value = measures[measure].value(&tree->parts[i]), distance = fabs(value - middle);
        if (isnan(value) || distance <= FAR * usual || distance <= NOTABLE * middle)
            continue;
        buf text = {0};
        write_measure(&text, measures[measure].name, value, middle);
        good = !text.code && note_oddity(s, &tree->parts[i], &text);
        buf_release(&text);
    }
    return good;
}

/* True if at least four in five of the values are the median, which is put into *usual. */
static bool most_agree(double *values, size_t count, double *usual)
{
    size_t same = 0;
    *usual = median(values, count);
    for (size_t i = 0; i < count; i++)
        same += values[i] == *usual;
    return same * 5 >= count * 4;
}

static double algorithm(const survey_part *p)
{
    return (double)p->compression.algorithm;
}

static double branches(const survey_part *p)
{
    return (double)p->branches;
}

/* What is the same in most files and not in this one. */
static bool compare_kind(survey *s, survey_tree *tree, double (*kind)(const survey_part *), double *values)
{
    double usual;
    bool good = true;
    for (size_t i = 0; i < tree->n_parts; i++)
        values[i] = kind(&tree->parts[i]);
    if (!most_agree(values, tree->n_parts, &usual))
        return true;
    for (size_t i = 0; i < tree->n_parts && good; i++) {
        survey_part *part = &tree->parts[i];
        buf text = {0};
        if (kind(part) == usual || part->compression.algorithm == ROOT_ALGORITHM_UNKNOWN)
            continue;
        if (kind == branches)
            buf_format(&text, "%lld %s, not %.0f", (long long)part->branches,
                       part->branches == 1 ? "branch" : "branches", usual);
        else
            buf_format(&text, "%s, not %s", root_algorithm_name(part->compression.algorithm),
                       root_algorithm_name((root_algorithm)usual));
        good = !text.code && note_oddity(s, part, &text);
        buf_release(&text);
    }
    return good;
}

bool survey_compare_files(survey *s, survey_tree *tree)
{
    if (tree->n_parts < FEWEST_FILES)
        return true;
    double *values = calloc(tree->n_parts, sizeof *values), *distances = calloc(tree->n_parts, sizeof *distances);
    bool good =
        values && distances && compare_kind(s, tree, algorithm, values) && compare_kind(s, tree, branches, values);
    for (size_t i = 0; i < sizeof measures / sizeof *measures && good; i++)
        good = compare_measure(s, tree, i, values, distances);
    free(values);
    free(distances);
    return good;
}
