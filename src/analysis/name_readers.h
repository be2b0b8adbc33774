/* Who has a name: for the file in hand, every name has a list of the readers that added it, so that a row of a branch
 * is counted where it belongs and nowhere else. An owner is a number that the caller gives meaning to. */
#ifndef ANALYSIS_NAME_READERS_H
#define ANALYSIS_NAME_READERS_H

#include "run/reader.h"

typedef struct name_reader {
    uint32_t owner, name;
    uint32_t next; /* 0 at the end */
} name_reader;

typedef struct name_readers {
    uint32_t *first;      /* by name: the entry added last, 0 if there is none */
    name_reader *entries; /* from 1 */
    size_t count, capacity;
    size_t n_names; /* that have an owner */
} name_readers;

/* False if memory is out. */
bool name_readers_init(name_readers *o, const roast_run *run);
/* Adds an owner of each name of a set. An owner may add several sets, one after the other: it is listed once. */
bool name_readers_add(name_readers *o, const roast_run *run, uint32_t set, uint32_t owner);
/* Forgets all readers. */
void name_readers_clear(name_readers *o);
void name_readers_release(name_readers *o);

#endif
