/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-sysv - the header of a script in init.d: that of the LSB, or that of chkconfig. */
#include "plugin-input.h"

#include "../../plugins/service-sysv/levels.c"

static int
are_levels(const char *levels)
{
    return strlen(levels) < 16 && strspn(levels, "0123456789S") == strlen(levels);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct script s = { .name = "script", .start = "2345", .stop = "016", .start_at = 50, .stop_at = 50 };
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;

    rhost_fake_init(&fake);
    while (in.n) {
        const char *line = input_line(&fake.ctx, &in);

        if (strlen(line) < 1023)
            read_line(&s, line);
    }
    must(are_levels(s.start) && are_levels(s.stop), "runlevels are digits or S");
    must(s.start_at >= 0 && s.start_at <= 99 && s.stop_at >= 0 && s.stop_at <= 99,
         "a place is between 0 and 99");
    rhost_fake_clear(&fake);
    return 0;
}
