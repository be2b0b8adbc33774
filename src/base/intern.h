/* Interning: each distinct string once, numbered from 0 in order of appearance. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/arena.h"

/* Zero-initialised is empty and ready. */
typedef struct intern {
    arena memory;
    roast_str *strings; /* by number */
    uint32_t *slots;    /* open addressing: number + 1, 0 is free */
    uint64_t *hashes;   /* by number */
    uint32_t count, capacity;
} intern;

#define INTERN_NONE UINT32_MAX

/* The number of s, given out now if it is new (*added tells; may be NULL). INTERN_NONE if memory is out. */
uint32_t intern_add(intern *table, roast_str s, bool *added);
/* INTERN_NONE if it is not there. */
uint32_t intern_find(const intern *table, roast_str s);
void intern_release(intern *table);

#endif
