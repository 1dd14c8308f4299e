/* SPDX-License-Identifier: Apache-2.0 */
/* queue-test - unit tests of the queue's callbacks, without rhost. */
#include "queue.c"

#include <rhost/fake-host.h>

#include <assert.h>

/* What canonicalize makes of a time. */
static void
test_keep(struct rhost_fake *fake, const char *given, const char *expected)
{
    rhost_value *resource = rhost_fake_hash(fake);

    rhost_put_str(resource, "keep", given);
    assert(queue_canonicalize(&fake->ctx, resource) == 0);
    assert(strcmp(rhost_str(resource, "keep"), expected) == 0);
}

/* A line that makes no sense is a failure with a reason, and nothing else. */
static void
test_bad_line(struct rhost_fake *fake)
{
    rhost_value *name = rhost_fake_hash(fake), *current = rhost_fake_hash(fake);
    FILE *f = fopen("queues", "w");

    assert(f && fputs("laser nonsense\n", f) >= 0 && fclose(f) == 0);
    rhost_put_str(name, "table", "queues");
    rhost_put_str(name, "name", "laser");
    assert(queue_load(&fake->ctx, name, NULL, current) == -1);
    assert(fake->failures == 1);
    assert(strstr(fake->said, "fail: cannot understand the line of 'laser' in 'queues'"));
}

int
main(void)
{
    struct rhost_fake fake;

    rhost_fake_init(&fake);
    assert(queue_open(&fake.ctx) == 0);
    test_keep(&fake, "2d", "48h");
    test_keep(&fake, "48h", "48h");
    test_bad_line(&fake);
    queue_close(&fake.ctx);
    rhost_fake_clear(&fake);
    return 0;
}
