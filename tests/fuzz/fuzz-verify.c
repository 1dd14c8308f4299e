/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-verify - what systemd-analyze prints about units, and the form of a unit file where there is none. */
#include "plugin-input.h"

#include "../../plugins/systemd_unit/verify.c"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct verify v = { "/tmp/rhost-units.abcdef" };
    struct rhost_fake fake;
    const char *unit, *dropin, *why;
    char *rest, *twice;

    rhost_fake_init(&fake);
    unit = input_line(&fake.ctx, &in);
    dropin = input_line(&fake.ctx, &in);
    if (!*dropin)
        dropin = NULL;
    rest = input_rest(&fake.ctx, &in);
    why = check_form(&fake.ctx, rest);
    twice = (char *)rhost_alloc(&fake.ctx, 2 * strlen(rest) + 32);
    sprintf(twice, "%s\n\n[Unit]\n%s", rest, rest);
    if (why)
        must(check_form(&fake.ctx, twice) != NULL, "what is wrong stays so before something else");
    if (strlen(unit) < NAMES_MAX && (!dropin || strlen(dropin) < NAMES_MAX)) {
        sprintf(twice, "%s", rest);
        (void)complaints(&fake.ctx, &v, unit, dropin, twice);
        if (*unit && !strpbrk(unit, "@\n ") && !dropin) {
            char *line = (char *)rhost_alloc(&fake.ctx, strlen(unit) + 80);

            sprintf(line, "%s/%s:3: Unknown section 'X'. Ignoring.", v.folder, unit);
            must(complaints(&fake.ctx, &v, unit, NULL, line) != NULL, "a complaint about the unit is found");
        }
    }
    rhost_fake_clear(&fake);
    return 0;
}
