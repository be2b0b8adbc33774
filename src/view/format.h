/* Numbers for people: three digits that matter, and the unit that keeps them short. */
#ifndef VIEW_FORMAT_H
#define VIEW_FORMAT_H

#include "base/buf.h"

/* How a value wants to be read, where its unit alone does not say. */
typedef enum format_form {
    FORM_UNIT,    /* as its unit in the catalogue says: bytes as data, 412.6 GB */
    FORM_MEMORY,  /* bytes as memory: 832 MiB */
    FORM_PERCENT, /* a ratio as a percentage */
    FORM_WHOLE,   /* the same as a whole number of them */
    FORM_FINE,    /* the same where small ones matter: 0.020 % */
    FORM_TIMES,   /* a ratio as "3.1 ×" */
    FORM_SHORT,   /* without "/core", where the title says so */
    FORM_ERROR,   /* a text, what an exception says: in one line */
    FORM_WORKER,  /* a text, the address of a worker: its name on the screen */
} format_form;

/* "1.24 Gbit/s", "12 min 41 s", "98.4 M"; "n/a" if the value is absent. Text comes out as it is. */
void format_value(buf *out, roast_value value, const char *unit, format_form form);

/* The same in a column whose largest number this is, without its sign: all its numbers are in one unit. */
void format_among(buf *out, roast_value value, const char *unit, format_form form, double largest);

void format_seconds(buf *out, double seconds);
void format_count(buf *out, int64_t count);                                     /* "1 842", "98.4 M" */
void format_things(buf *out, int64_t count, const char *one, const char *many); /* "1 file", "1 842 files" */
void format_whole(buf *out, int64_t count); /* all digits: where two that look alike differ */
void format_data(buf *out, double bytes);   /* powers of 1000 */
void format_percent(buf *out, double percent);
void format_percent_short(buf *out, double percent); /* "23 %", "< 1 %" */

#endif
