/* What every fuzz target defines: libFuzzer calls it with inputs of its own, replay.c with those of the corpus. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
