/* SPDX-License-Identifier: Apache-2.0 */
/* diff - how two bundles differ. */
#include "config.h"

#include "bundle/bundle.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "run/report.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool
is_text(const struct rh_bundle_file *f)
{
    return !f || (!memchr(f->bytes, '\0', f->n) && rh_utf8_valid(f->bytes, f->n));
}

static void
print_file(struct rh_buf *b, const struct rh_bundle_file *from, const struct rh_bundle_file *to)
{
    const char *path = to ? to->path : from->path;
    rh_autofree char *shown = rh_safe_text(path);

    if (from && to && from->n == to->n && memcmp(from->bytes, to->bytes, to->n) == 0) {
        rh_buf_addf(b, "%s is %s executable\n", shown, to->executable ? "now" : "no longer");
        return;
    }
    if (!is_text(from) || !is_text(to)) {
        rh_buf_addf(b, "%s %s\n", shown, !from ? "is new" : !to ? "is gone" : "differs");
        return;
    }
    if (from && to && from->executable != to->executable)
        rh_buf_addf(b, "%s is %s executable\n", shown, to->executable ? "now" : "no longer");
    rh_buf_addf(b, "--- %s\n+++ %s\n", from ? shown : "/dev/null", to ? shown : "/dev/null");
    rh_diff_unified(b, from ? from->bytes : "", from ? from->n : 0, to ? to->bytes : "", to ? to->n : 0, "",
                    false);
}

int
rh_bundle_diff(const struct rh_bundle *a, const struct rh_bundle *b, struct rh_error *err)
{
    rh_autobuf struct rh_buf text = { 0 };
    size_t i = 0, k = 0;
    int n = 0;

    while (i < a->files.n || k < b->files.n) {
        const struct rh_bundle_file *from = i < a->files.n ? &a->files.v[i] : NULL;
        const struct rh_bundle_file *to = k < b->files.n ? &b->files.v[k] : NULL;
        int order = !from ? 1 : !to ? -1 : strcmp(from->path, to->path);

        i += order <= 0;
        k += order >= 0;
        from = order <= 0 ? from : NULL;
        to = order >= 0 ? to : NULL;
        if (from && to && from->n == to->n && from->executable == to->executable
            && memcmp(from->bytes, to->bytes, to->n) == 0)
            continue;
        print_file(&text, from, to);
        n++;
    }
    if (text.n && fwrite(text.s, 1, text.n, stdout) != text.n)
        return rh_error_set(err, RH_ESYSTEM, "cannot write the differences");
    return n;
}
