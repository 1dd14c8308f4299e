/* SPDX-License-Identifier: Apache-2.0 */
/* foresee - lines of a unit that systemd would refuse, said by a dry run.
 *
 * Only what is wrong with a line by itself: other units, which this one needs, may be created in the same
 * run. */

#include "foresee.h"

#include "settings.h"
#include "verify.h"

#include <rhost/dry-run.h>

#include <ctype.h>

/* "x.service:2: Unknown key ..." or "line 2: ...". */
static int
is_about_a_line(const char *complaint)
{
    const char *colon = strchr(complaint, ':');

    return strncmp(complaint, "line ", 5) == 0 || (colon && isdigit((unsigned char)colon[1]));
}

static const char *
about_lines(rhost_ctx *ctx, const char *complaints)
{
    const char *all = "";

    while (complaints && *complaints) {
        size_t len = strcspn(complaints, "\n");

        if (is_about_a_line(complaints))
            all = rhost_fmt(ctx, "%s\n%.*s", all, (int)len, complaints);
        complaints += len + (complaints[len] == '\n');
    }
    return all;
}

static int
is_as_wanted(const rhost_value *should, const rhost_value *current, const char *attribute)
{
    const rhost_value *wanted = rhost_get(should, attribute);
    const rhost_value *now = current ? rhost_get(current, attribute) : NULL;

    return wanted && now && wanted->host->equal(wanted, now);
}

int
foresee_unit(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, const rhost_value *current)
{
    const char *attribute = rhost_has(should, "settings") ? "settings" : "content";
    const char *unit = rhost_str(name, "unit"), *dropin = rhost_str_or(name, "dropin", "");
    const char *text, *why;
    struct verify v;

    if (!rhost_looks_ahead(ctx, should) || !rhost_bool(should, "verify", 1) || !rhost_has(should, attribute)
        || is_as_wanted(should, current, attribute))
        return 0;
    dropin = *dropin ? dropin : NULL;
    text = strcmp(attribute, "settings") == 0 ? settings_text(ctx, rhost_get(should, attribute))
                                              : rhost_str(should, attribute);
    if (!text)
        return 0;
    if (verify_open(ctx, &v) < 0)
        return -1;
    why = verify_put(ctx, &v, unit, dropin, text);
    if (!why)
        why = about_lines(ctx, verify_run(ctx, &v, unit, dropin, text));
    verify_close(&v);
    return *why ? rhost_fail_attr(ctx, attribute, "systemd finds fault with it:%s", why) : 0;
}
