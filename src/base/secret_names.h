/* Names that tell of a secret, and how what they name is written. */
#ifndef BASE_SECRET_NAMES_H
#define BASE_SECRET_NAMES_H

#include <roast.h>

/* What stands for what was taken away. */
#define STRIPPED "…"

typedef enum secret_value {
    VALUE_WORD,        /* name=word, name: word, "name": "any words" */
    VALUE_LINE,        /* a header: name: all of the line */
    VALUE_AFTER_SPACE, /* name word */
} secret_value;

typedef struct secret_name {
    const char *ending; /* of the name, in letters of any case */
    secret_value value;
    bool chosen; /* by a person, so that it can be guessed */
} secret_name;

/* NULL if the name tells of none. */
const secret_name *secret_name_of(roast_str name);

#endif
