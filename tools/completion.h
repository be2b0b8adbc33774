/* Scripts that make shells complete commands, options and their values: one function per shell, all from the table of
 * commands. */
#ifndef TOOLS_COMPLETION_H
#define TOOLS_COMPLETION_H

#include "base/buf.h"
#include "command.h"

void completion_bash(buf *out);
void completion_fish(buf *out);
void completion_zsh(buf *out);

/* The words that an option takes, and those for operands, separated by spaces; nothing if there are none. */
void completion_values(buf *out, const option *o);
void completion_operands(buf *out, const command *c);
/* What is shown beside a word, to be put into single quotes; signs of special get a backslash, too. */
void completion_escaped(buf *out, const char *text, const char *special);

#endif
