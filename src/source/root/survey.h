/* What one or many ROOT files hold together: totals per tree and branch, collections of branches, the files that differ
 * from the others, and hints. Files are added one by one and not kept. */
#ifndef SOURCE_ROOT_SURVEY_H
#define SOURCE_ROOT_SURVEY_H

#include "base/intern.h"
#include "source/root/root.h"

typedef struct survey_branch {
    roast_str name; /* with the branch it belongs to, if its own name does not begin with that */
    roast_str type, counter;
    int32_t parent, depth;
    uint32_t collection;                       /* index */
    int64_t compressed, uncompressed, baskets; /* over all files */
    int64_t files;                             /* that have it */
    bool picked;
} survey_branch;

/* Branches that belong together: Jet_pt, Jet_eta and nJet; or AnalysisJetsAuxDyn.pt and its like. */
typedef struct survey_collection {
    roast_str name; /* "" for branches that stand alone */
    int64_t branches, compressed, uncompressed, baskets;
} survey_collection;

/* One tree in one file. */
typedef struct survey_part {
    uint32_t file; /* index */
    int64_t entries, compressed, uncompressed, baskets, branches, clusters, largest_cluster;
    root_compression compression;
    roast_str outlier; /* what is unlike the other files; absent if nothing is */
} survey_part;

typedef struct survey_tree {
    roast_str path, class_name;
    root_kind kind;
    int64_t entries, compressed, uncompressed, baskets, embedded_bytes;
    int64_t metadata_bytes, clusters, largest_cluster, columns; /* clusters: ROAST_ABSENT if a file has none */
    root_compression compression;                               /* of the first file */
    int64_t compression_files;                                  /* how many have that one */
    survey_branch *branches;
    size_t n_branches, branch_capacity;
    intern names;                   /* of branches; the number is the index */
    survey_collection *collections; /* largest first */
    size_t n_collections;
    survey_part *parts; /* in the order of the files */
    size_t n_parts, part_capacity;
    int64_t picked, picked_compressed, picked_uncompressed;
} survey_tree;

typedef struct survey_file {
    roast_str url, uuid;
    int64_t size, metadata_bytes, data_bytes;
    int32_t version, setting;
    bool closed;
    root_traffic traffic;
    roast_str error; /* why it could not be read; absent if it could */
} survey_file;

typedef enum survey_weight { SURVEY_NOTE, SURVEY_ADVICE, SURVEY_TROUBLE } survey_weight;

typedef struct survey_hint {
    survey_weight weight;
    roast_str subject; /* a tree or a file */
    roast_str text;
} survey_hint;

typedef struct survey {
    arena memory;
    survey_file *files;
    size_t n_files, file_capacity, failed;
    survey_tree *trees;
    size_t n_trees, tree_capacity;
    intern paths; /* of trees, a letter for the kind in front; the number is the index */
    survey_hint *hints;
    size_t n_hints, hint_capacity;
    int64_t size, data_bytes; /* over all files that could be read */
} survey;

/* A zeroed survey is empty and ready. Adding copies what it needs; err is only for memory. */
roast_code survey_add(survey *s, const root_file *file, roast_error *err);
roast_code survey_add_failure(survey *s, const char *url, const roast_error *why, roast_error *err);
/* After the last file: collections, files that differ, hints. chunk is the number of events a job reads at a time, as
 * coffea would be asked for it. */
roast_code survey_finish(survey *s, int64_t chunk, roast_error *err);
/* Marks the branches that make up about this share (0 to 1) of each tree's compressed bytes, and their counters: the
 * largest that still fit, one after the other. */
void survey_pick(survey *s, double share);
void survey_release(survey *s);

#endif
