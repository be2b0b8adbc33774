/* Sets of branches: which ones a chunk read. Most chunks of a job read the same, so a set has a 64-bit name. */
#ifndef MODEL_BRANCH_SET_H
#define MODEL_BRANCH_SET_H

#include <roast.h>

/* Sorts names by bytes and removes those that come twice; how many are left. Absent ones become empty. */
size_t branch_set_sort(roast_str *names, size_t count);
/* The hash of a set, whatever order its names are in; each once. Never 0. */
uint64_t branch_set_hash(const roast_str *names, size_t count);
/* What a branch belongs to, by the habits of the experiments: Jet of Jet_pt, AnalysisJets of AnalysisJetsAuxDyn.pt; the
 * name itself if nothing tells. A counter (nJet) is not recognised as such. */
roast_str branch_collection(roast_str name);

#endif
