/* Bytes as text that survives anywhere (RFC 4648, with padding). */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

void base64_put(buf *out, const void *bytes, size_t len);

#endif
