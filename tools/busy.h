/* A sign of life for what takes over a second: a line on stderr, if that is a terminal. */
#ifndef TOOLS_BUSY_H
#define TOOLS_BUSY_H

/* Between these two, "reading run.roast … 3 s" is shown from the first second on, and then removed. */
void busy_begin(const char *doing, const char *what);
void busy_end(void);

#endif
