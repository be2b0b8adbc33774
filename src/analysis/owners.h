/* Who has a name: for the file in hand, every name has a list of the owners that added it, so that a row of a branch is
 * counted where it belongs and nowhere else. An owner is a number that the caller gives meaning to. */
#ifndef ANALYSIS_OWNERS_H
#define ANALYSIS_OWNERS_H

#include "run/reader.h"

typedef struct owner_entry {
    uint32_t owner, name;
    uint32_t next; /* 0 at the end */
} owner_entry;

typedef struct owners {
    uint32_t *first;      /* by name: the entry added last, 0 if there is none */
    owner_entry *entries; /* from 1 */
    size_t count, capacity;
    size_t n_names; /* that have an owner */
} owners;

/* False if memory is out. */
bool owners_init(owners *o, const roast_run *run);
/* Adds an owner of each name of a set. An owner may add several sets, one after the other: it is listed once. */
bool owners_add(owners *o, const roast_run *run, uint32_t set, uint32_t owner);
/* Forgets all owners. */
void owners_clear(owners *o);
void owners_release(owners *o);

#endif
