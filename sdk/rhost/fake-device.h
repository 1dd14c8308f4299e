/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/fake-device.h - transports for unit tests: part of rhost/fake-host.h, which includes it.
 *
 *   rhost_put_str(info, "host", "127.0.0.1");
 *   assert(rhost_fake_connect(&fake, &api_transport, info) == 0);
 *   assert(record_get(&fake.ctx, NULL) == 0);
 *   rhost_fake_disconnect(&fake); */
#ifndef RHOST_FAKE_DEVICE_H
#define RHOST_FAKE_DEVICE_H

#include <rhost/fake-host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens and verifies a transport with this connection info; from then on the provider gets its interface.
 * 0, or -1 as the transport failed. */
RHOST_UNUSED static inline int32_t
rhost_fake_connect(struct rhost_fake *f, const struct rhost_transport *transport, const rhost_value *info)
{
    int32_t rc = 0;

    f->transport = transport;
    f->in_transport = 1;
    if (transport->open)
        rc = transport->open(&f->ctx, info);
    if (rc == 0 && transport->verify)
        rc = transport->verify(&f->ctx);
    f->in_transport = 0;
    return rc;
}

/* The facts of its device: f->emitted[0]. */
RHOST_UNUSED static inline int32_t
rhost_fake_facts(struct rhost_fake *f)
{
    int32_t rc;

    f->in_transport = 1;
    rc = f->transport->facts(&f->ctx);
    f->in_transport = 0;
    return rc;
}

RHOST_UNUSED static inline void
rhost_fake_disconnect(struct rhost_fake *f)
{
    f->in_transport = 1;
    if (f->transport && f->transport->close)
        f->transport->close(&f->ctx);
    f->in_transport = 0;
    f->transport = NULL;
    f->transport_state = NULL;
}

#ifdef __cplusplus
}
#endif

#endif
