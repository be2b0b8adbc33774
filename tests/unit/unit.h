/* What every unit test includes: cmocka in the order it wants, and a scratch folder per test. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

/* The test's own folder, made by scratch_setup and removed by scratch_teardown, whatever is in it. */
static char scratch[64];

static inline int scratch_setup(void **state)
{
    (void)state;
    snprintf(scratch, sizeof scratch, "/tmp/roast-test-XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static inline int scratch_teardown(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    return system(command);
}

/* A path in the scratch folder; four may be in use at a time. */
static inline const char *in_scratch(const char *name)
{
    static char paths[4][256];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch, name);
    return path;
}

#define test_in_scratch(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

#define assert_str(actual, expected)                                                                                   \
    do {                                                                                                               \
        roast_str seen_ = (actual);                                                                                    \
        assert_non_null(seen_.ptr);                                                                                    \
        assert_int_equal(seen_.len, strlen(expected));                                                                 \
        assert_memory_equal(seen_.ptr, expected, seen_.len);                                                           \
    } while (0)

#define assert_close(actual, expected, tolerance)                                                                      \
    do {                                                                                                               \
        double a_ = (actual), e_ = (expected);                                                                         \
        if (!(a_ - e_ <= (tolerance) && e_ - a_ <= (tolerance)))                                                       \
            fail_msg("%s is %.17g, expected %.17g", #actual, a_, e_);                                                  \
    } while (0)

#endif
