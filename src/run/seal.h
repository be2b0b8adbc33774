/* The seal of a finished run: a checksum at the end of each page, so that a flipped bit anywhere is found.
 * SQLite leaves the last bytes of each page alone when it is told to reserve them. */
#ifndef RUN_SEAL_H
#define RUN_SEAL_H

#include <roast.h>

typedef enum seal_state { SEAL_ABSENT, SEAL_INTACT, SEAL_BROKEN } seal_state;

/* Seals a database that nobody has open. */
roast_code seal_write(const char *path, roast_error *err);
/* Checks every page. For SEAL_BROKEN, err (with ROAST_CORRUPT) says how many pages and which is the first. */
roast_code seal_check(const char *path, seal_state *state, roast_error *err);

#endif
