/* Everything that is written from the table of commands. */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include <stdio.h>

#include "base/buf.h"
#include "command.h"

/* What an option is for, with the ids that it takes; and those alone. */
void help_option(buf *out, const option *o);
void help_ids(buf *out, const char *(*id_at)(size_t index), const char *separator);
void help_overview(FILE *to);
void help_command(FILE *to, const command *c);

#endif
