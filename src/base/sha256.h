/* SHA-256 (FIPS 180-4), for the Content-Security-Policy of pages: it names the code that may run by its hash. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <roast.h>

enum { SHA256_BYTES = 32 };

void sha256(unsigned char digest[SHA256_BYTES], const void *bytes, size_t len);

#endif
