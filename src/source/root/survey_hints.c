/* Hints: what about a tree makes reading it slower than it has to be, with the numbers that show it. Each looks at one
 * thing and says nothing if it is fine. */
#include <math.h>

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
    buf_format(&h->text, "%lld of %lld %s have %s of %.0f bytes on average: %lld of them for %.1f %% of the data, ",
               (long long)small, (long long)branches, pages ? "fields" : "branches", pages ? "pages" : "baskets",
               (double)bytes / (double)baskets, (long long)baskets, percent((double)bytes, (double)tree->compressed));
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

/* Chunks of a file are of equal size and as near to what was asked for as that allows, as coffea makes them. A chunk
 * that ends inside a cluster makes its neighbour read the cluster too. */
static void split_clusters(hinting *h)
{
    const survey_tree *tree = h->tree;
    int64_t clusters = 0, split = 0, size = 0;
    for (size_t i = 0; i < tree->n_parts; i++) {
        const survey_part *p = &tree->parts[i];
        if (p->clusters <= 1 || p->largest_cluster <= 0 || p->entries <= 0 || p->entries > MOST_EVENTS)
            continue;
        int64_t chunks = (p->entries + h->chunk / 2) / h->chunk;
        chunks = chunks > 0 ? chunks : 1;
        int64_t step = (p->entries + chunks - 1) / chunks;
        if (chunks > 1000000)
            continue;
        for (int64_t k = 1; k < chunks; k++)
            split += k * step % p->largest_cluster != 0;
        clusters += p->clusters;
        size = p->largest_cluster;
    }
    double more = percent((double)split, (double)clusters);
    if (more < READ_TWICE_PERCENT)
        return;
    buf_format(&h->text,
               "with chunks of about %lld events, %lld of %lld clusters are read by two chunks (%.0f %% more to read); "
               "a multiple of %lld events would avoid it",
               (long long)h->chunk, (long long)split, (long long)clusters, more, (long long)size);
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
