/* Hints: what about a tree makes reading it slower than it has to be, with the numbers that show it. Each looks at one
 * thing and says nothing if it is fine. */
#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/saturate.h"
#include "base/str.h"
#include "source/root/survey_parts.h"

enum {
    SMALL_BASKET = 2000,
    MANY_BASKETS = 1000,
    MANY_SMALL_PERCENT = 20,
    LARGE_BRANCH_PERCENT = 40,
    READ_TWICE_PERCENT = 5
};
/* How far from the user's chunk size a better one is looked for: so many times, so many multiples, in so many files. */
enum { FURTHEST_CHUNK = 3, MULTIPLES_TRIED = 16, FILES_TRIED = 4 };
/* What coffea reads at a time unless told otherwise. */
enum { USUAL_CHUNK = 100000 };
/* Bytes that a core unpacks in a second, to the nearest that can be said without measuring it where it runs. */
static const double LZMA_SPEED = 60e6, ZSTD_SPEED = 700e6;
/* Seconds of one core below which nobody waits. */
static const double UNPACKING_NOTICED = 1;

/* More than this in a file is damage, not data. */
#define MOST_EVENTS (INT64_C(1) << 50)

typedef struct hinting {
    survey *s;
    survey_tree *tree;
    int64_t chunk;
    buf text;
} hinting;

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* Small baskets cost a request and a start of the decompressor each. Those of a tree with one cluster are as large as
 * they can be, and a few of them cost nothing to speak of. */
static void small_baskets(hinting *h)
{
    const survey_tree *tree = h->tree;
    int64_t branches = 0, small = 0, baskets = 0, bytes = 0;
    const survey_branch *worst = NULL;
    for (size_t i = 0; i < tree->n_branches; i++) {
        const survey_branch *b = &tree->branches[i];
        branches += b->baskets > 0;
        if (b->baskets <= b->files || b->compressed / b->baskets >= SMALL_BASKET)
            continue;
        small++;
        saturated_add(&baskets, b->baskets);
        saturated_add(&bytes, b->compressed);
        if (!worst || b->baskets > worst->baskets)
            worst = b;
    }
    if (baskets < MANY_BASKETS || percent((double)small, (double)branches) < MANY_SMALL_PERCENT)
        return;
    bool pages = tree->kind == ROOT_RNTUPLE;
    buf_format(&h->text, "%lld of %lld %s%s %s %s of %.0f bytes on average: %lld of them for %.1f %% of the data, ",
               (long long)small, (long long)branches, pages ? "field" : "branch",
               branches == 1 ? ""
               : pages       ? "s"
                             : "es",
               small == 1 ? "has" : "have", pages ? "pages" : "baskets", (double)bytes / (double)baskets,
               (long long)baskets, percent((double)bytes, (double)tree->compressed));
    buf_format(&h->text, "%lld in ", (long long)worst->baskets);
    buf_str(&h->text, worst->name);
    buf_text(&h->text, pages ? "; larger clusters (RNTupleWriteOptions::SetApproxZippedClusterSize) make fewer"
                             : "; larger clusters (TTree::SetAutoFlush) make fewer");
}

static void slow_to_unpack(hinting *h)
{
    double bytes = (double)h->tree->uncompressed;
    if (h->tree->compression.algorithm != ROOT_ALGORITHM_LZMA || bytes / LZMA_SPEED < UNPACKING_NOTICED)
        return;
    buf_format(
        &h->text,
        "LZMA: unpacking all of it takes one core about %.0f s (at %.0f MB/s, as is usual); as ZSTD about %.0f s, "
        "and some 10 %% more bytes",
        bytes / LZMA_SPEED, LZMA_SPEED / 1e6, fmax(1, bytes / ZSTD_SPEED));
}

/* ---- Clusters that two chunks read ---- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a - 1) / b + 1;
}

static bool has_clusters(const survey_part *p)
{
    return p->clusters > 1 && p->largest_cluster > 0 && p->entries > 0 && p->entries <= MOST_EVENTS;
}

/* Chunks of a file are of equal size and as near to what was asked for as that allows, as coffea makes them. A chunk
 * that ends inside a cluster makes its neighbour read the cluster too. */
static int64_t clusters_split(const survey_part *p, int64_t chunk)
{
    int64_t chunks = llrint((double)p->entries / (double)chunk); /* half to even, as Python's round */
    int64_t step = divide_up(p->entries, chunks > 0 ? chunks : 1);
    int64_t ends = (p->entries - 1) / step; /* inside the file */
    int64_t aligned_every = p->largest_cluster / common_divisor(step, p->largest_cluster);
    return ends - ends / aligned_every;
}

static int64_t all_clusters_split(const survey_tree *tree, int64_t chunk)
{
    int64_t split = 0;
    for (size_t i = 0; i < tree->n_parts; i++)
        if (has_clusters(&tree->parts[i]))
            saturated_add(&split, clusters_split(&tree->parts[i], chunk));
    return split;
}

typedef struct chunk_choice {
    int64_t chunk, split;
} chunk_choice;

/* Fewer splits, then nearer to what the user has. */
static void consider(const hinting *h, int64_t chunk, chunk_choice *best)
{
    if (chunk < divide_up(h->chunk, FURTHEST_CHUNK) || chunk > h->chunk * FURTHEST_CHUNK)
        return;
    int64_t split = all_clusters_split(h->tree, chunk);
    if (split < best->split || (split == best->split && llabs(chunk - h->chunk) < llabs(best->chunk - h->chunk)))
        *best = (chunk_choice){chunk, split};
}

/* Because chunks are made equal, a multiple of the clusters need not be what coffea makes of a request for it: each is
 * tried, and what to ask for to get it in one file. */
static chunk_choice best_chunk(const hinting *h, int64_t split)
{
    chunk_choice best = {h->chunk, split};
    int tried = 0;
    for (size_t i = 0; i < h->tree->n_parts && tried < FILES_TRIED; i++) {
        const survey_part *p = &h->tree->parts[i];
        if (!has_clusters(p))
            continue;
        tried++;
        int64_t middle = h->chunk / p->largest_cluster;
        for (int64_t k = middle > MULTIPLES_TRIED ? middle - MULTIPLES_TRIED : 1; k <= middle + MULTIPLES_TRIED; k++) {
            int64_t multiple = k * p->largest_cluster;
            consider(h, multiple, &best);
            consider(h, p->entries / divide_up(p->entries, multiple), &best);
        }
    }
    return best;
}

static void split_clusters(hinting *h)
{
    const survey_tree *tree = h->tree;
    int64_t clusters = 0, split = all_clusters_split(tree, h->chunk);
    for (size_t i = 0; i < tree->n_parts; i++)
        if (has_clusters(&tree->parts[i]))
            saturated_add(&clusters, tree->parts[i].clusters);
    double more = percent((double)split, (double)clusters);
    if (more < READ_TWICE_PERCENT)
        return;
    buf_format(&h->text,
               "with chunks of about %lld events, %lld of %lld %s read by two chunks (%.0f %% more to read); ",
               (long long)h->chunk, (long long)split, (long long)clusters,
               clusters == 1 ? "cluster is" : "clusters are", more);
    chunk_choice best = best_chunk(h, split);
    if (percent((double)best.split, (double)clusters) >= READ_TWICE_PERCENT)
        buf_text(&h->text, "Runner(align_clusters=True) avoids it");
    else if (best.split == 0)
        buf_format(&h->text, "with chunks of about %lld events none are", (long long)best.chunk);
    else
        buf_format(&h->text, "with chunks of about %lld events %lld are", (long long)best.chunk, (long long)best.split);
}

static void one_large_branch(hinting *h)
{
    const survey_tree *tree = h->tree;
    const survey_branch *largest = NULL;
    for (size_t i = 0; i < tree->n_branches; i++)
        if (!largest || tree->branches[i].compressed > largest->compressed)
            largest = &tree->branches[i];
    if (!largest || tree->n_branches < 5)
        return;
    double share = percent((double)largest->compressed, (double)tree->compressed);
    if (share < LARGE_BRANCH_PERCENT)
        return;
    buf_str(&h->text, largest->name);
    buf_format(&h->text, " alone is %.0f %% of the bytes", share);
}

static void never_flushed(hinting *h)
{
    const survey_tree *tree = h->tree;
    if (tree->embedded_bytes <= tree->compressed || tree->embedded_bytes < 10000)
        return;
    buf_format(
        &h->text,
        "%.3g MB of data were never flushed to baskets and lie in the description of the tree: whoever opens the "
        "file reads them all",
        (double)tree->embedded_bytes / 1e6);
}

bool survey_give_hints(survey *s, survey_tree *tree, int64_t chunk)
{
    static void (*const hints[])(hinting *) = {small_baskets, slow_to_unpack, split_clusters, one_large_branch,
                                               never_flushed};
    hinting h = {.s = s, .tree = tree, .chunk = chunk > 0 && chunk < MOST_EVENTS ? chunk : USUAL_CHUNK};
    bool good = true;
    for (size_t i = 0; i < sizeof hints / sizeof *hints && good; i++) {
        buf_clear(&h.text);
        hints[i](&h);
        good = !h.text.code && (h.text.len == 0 || survey_say(s, SURVEY_ADVICE, tree->path, buf_view(&h.text)));
    }
    buf_release(&h.text);
    return good;
}
