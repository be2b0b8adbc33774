/* The terminal and the environment, as far as commands need them. */
#ifndef TOOLS_CONSOLE_H
#define TOOLS_CONSOLE_H

#include <stdio.h>

#include "base/buf.h"
#include "command.h"

/* One line on stderr, "roast: …", whatever is in the message. Returns EXIT_TROUBLE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
int complain_of(const roast_error *err);
/* The same for what goes well, and should be known. */
void remark(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A question on a terminal: whether the answer begins with a y. */
bool agreed(const char *question);
bool console_asks(void); /* somebody is there to be asked */

bool console_utf8(void); /* the locale's encoding */
/* How to show tables on stdout, from the values of --width and --color (NULL if not given). */
int console_look(roast_look *out, const char *width, const char *color);
/* To stdout. What goes wrong is remembered for console_finish. */
bool console_write(roast_str bytes);
/* Prints and releases what was written, unless something went wrong with that. Returns the exit status. */
int console_print(buf *out);
/* The same of a text that was made with a code. */
int console_show(roast_code code, buf *out, const roast_error *err);
/* The same through a pager if it is longer than the terminal, but at_once if that is asked for. */
int console_page(roast_code code, buf *out, const roast_error *err, bool at_once);
/* Makes sure that everything got out: returns status, or EXIT_TROUBLE after saying what did not work. */
int console_finish(int status);

#endif
