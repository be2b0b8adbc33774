/* Text on a screen: UTF-8 characters, how many columns they take, and making names from outside harmless. */
#ifndef VIEW_TEXT_H
#define VIEW_TEXT_H

#include "base/buf.h"

#define TEXT_REPLACEMENT 0xFFFDU

/* Takes one character off the front of rest, which must not be empty. A byte that starts no valid character gives
 * TEXT_REPLACEMENT and is taken alone. */
uint32_t text_next(roast_str *rest);
void text_put(buf *out, uint32_t character);
/* Columns on a terminal, whatever the locale: 0 for combining marks, 2 for East Asian wide ones and emoji. */
size_t text_width(roast_str s);

/* Text of any origin as text that can only be read: control characters, escape sequences, direction overrides and
 * invisible characters appear spelled out ("\x1b", "\u202e"), invalid bytes as U+FFFD. Without utf8 the result is
 * ASCII: signs that we use ourselves get their nearest likeness, the rest "?". */
void text_safe(buf *out, roast_str s, bool utf8);
/* Safe text in at most width columns, with "…" in the place of what its middle loses. */
void text_shorten(buf *out, roast_str safe, size_t width, bool utf8);
/* The same, with so many percent of what is kept at the front. */
void text_shorten_to(buf *out, roast_str safe, size_t width, int front_percent, bool utf8);
/* What an error says, on one line: up to its first blank line, and without what coffea wraps it in ("Failed processing
 * file: WorkItem(…). The error was: OSError('no such basket')." → "OSError('no such basket')"). */
void text_error(buf *out, roast_str error);
/* The longest front of rest that fits in width columns, broken at a space if there is one, taken off rest; with
 * at_parts rather after a comma or another sign that divides, so that a number keeps its unit. Takes at least one
 * character. */
roast_str text_take_line(roast_str *rest, size_t width, bool at_parts);

#endif
