/* SPDX-License-Identifier: Apache-2.0 */
/* A unit test of a provider with a transport: record-test SOCKET TOKEN, with the API running. */
#include "record.c"

#include <rhost/fake-host.h>

#include <assert.h>

#ifdef NDEBUG
#error the checks of this test are assertions
#endif

int
main(int argc, char **argv)
{
    struct rhost_fake fake;
    rhost_value *info, *name, *should;
    struct rhost_change change = { .struct_size = sizeof change, .title = "one" };

    assert(argc == 3);
    rhost_fake_init(&fake);
    assert(record_get(&fake.ctx, NULL) == -1); /* without a transport */
    info = rhost_fake_hash(&fake);
    rhost_put_str(info, "socket", argv[1]);
    rhost_put_str(info, "token", "wrong");
    assert(rhost_fake_connect(&fake, &http_transport, info) == -1);
    assert(strstr(fake.said, "wrong token"));
    rhost_fake_disconnect(&fake);

    rhost_put_str(info, "token", argv[2]);
    assert(rhost_fake_connect(&fake, &http_transport, info) == 0);
    name = rhost_fake_hash(&fake);
    should = rhost_fake_hash(&fake);
    rhost_put_str(name, "name", "one");
    rhost_put_str(should, "value", "first");
    change.name = name;
    change.should = should;
    assert(record_write(&fake.ctx, &change) == 0);
    rhost_fake_forget(&fake);
    assert(record_get(&fake.ctx, NULL) == 0);
    assert(strcmp(rhost_str(rhost_at(fake.emitted, 0, NULL), "value"), "first") == 0);
    rhost_fake_forget(&fake);
    assert(rhost_fake_facts(&fake) == 0);
    assert(rhost_int(rhost_at(fake.emitted, 0, NULL), "records", 0) == 1);
    rhost_fake_disconnect(&fake);
    rhost_fake_clear(&fake);
    return 0;
}
