/* Everything that is written from the table of commands. */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include <stdio.h>

#include "command.h"

void help_overview(FILE *to);
void help_command(FILE *to, const command *c);

#endif
