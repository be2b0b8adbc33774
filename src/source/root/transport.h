/* Where bytes come from: a local file, memory, an HTTP server, an XRootD server. */
#ifndef SOURCE_ROOT_TRANSPORT_H
#define SOURCE_ROOT_TRANSPORT_H

#include "source/root/root.h"

/* Opening fetches this many bytes, so that the header and the top directory need no request of their own. */
enum { ROOT_HEAD_BYTES = 2048 };

typedef struct root_transport root_transport;

/* How one kind of address is read. A driver sets passing when trying again may help. */
typedef struct root_driver {
    roast_code (*open)(root_transport *t, roast_error *err); /* sets size, or an upper limit of it */
    /* Reading the head, which comes first, may set size. */
    roast_code (*read)(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err);
    void (*close)(root_transport *t);
} root_driver;

struct root_transport {
    const root_driver *driver;
    const char *address; /* what the driver opens */
    const void *bytes;   /* of memory */
    int64_t size, timeout_ms;
    int32_t retries;
    bool passing;
    void *state; /* of the driver */
    root_traffic traffic;
    size_t head_len;
    unsigned char head[ROOT_HEAD_BYTES];
};

extern const root_driver root_driver_http, root_driver_xrootd;

/* For drivers: puts a function of a library that was loaded into *function. False if it has none of this name. */
bool root_load_symbol(void *library, const char *name, void *function);

/* address is borrowed until the transport is closed. */
roast_code root_transport_open(root_transport **out, const char *address, const root_options *options,
                               roast_error *err);
roast_code root_transport_open_memory(root_transport **out, const void *bytes, size_t len, roast_error *err);
/* Exactly len bytes, or an error. */
roast_code root_transport_read(root_transport *t, void *into, int64_t offset, size_t len, roast_error *err);
void root_transport_close(root_transport *t);

#endif
