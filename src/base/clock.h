/* Clocks and calendar text. Wall time places things on the timeline, monotonic time measures durations. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/buf.h"

#define NS_PER_S INT64_C(1000000000)

int64_t clock_wall_ns(void);
int64_t clock_monotonic_ns(void);

/* ISO 8601: "2026-11-15T19:32:05", with or without a fraction, "Z" or an offset ("+01:00"); a space may stand for
 * the T. Without a zone it is UTC. False for anything else. */
bool clock_parse_iso(roast_str text, int64_t *ns);
/* "2026-11-15 19:32:05 UTC" */
void clock_format_utc(buf *out, int64_t ns);

/* Seconds, as other programs write them, to nanoseconds; ROAST_ABSENT if they are not finite or out of range. */
int64_t clock_ns_from_seconds(double seconds);
double clock_seconds(int64_t ns); /* NAN if ns is ROAST_ABSENT */

#endif
