/* SPDX-License-Identifier: Apache-2.0 */
/* declared - a key as a manifest says it, brought into the form that files have. */

#include "declared.h"

#include "keys.h"

#include <rhost/posix.h>

static const char *
full_type(const char *type)
{
    static const char *const shorter[][2] = {
        { "rsa", "ssh-rsa" },
        { "dsa", "ssh-dss" },
        { "ed25519", "ssh-ed25519" },
        { "ecdsa", "ecdsa-sha2-nistp256" },
        { "ed25519-sk", "sk-ssh-ed25519@openssh.com" },
        { "ecdsa-sk", "sk-ecdsa-sha2-nistp256@openssh.com" },
    };

    for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++)
        if (strcmp(type, shorter[i][0]) == 0)
            return shorter[i][1];
    return type;
}

static int
tidy_key(rhost_ctx *ctx, rhost_value *resource, const char *type)
{
    size_t len = 0;
    const char *text = rhost_bytes(resource, "key", &len);
    struct key_part blob = { text, len };
    char own[64], why[160];
    struct key k;

    if (!text)
        return 0;
    if (strlen(text) == len && key_parse(text, len, &k)) {
        if (k.options.len)
            return rhost_fail_attr(ctx, "key", "it begins with options, which belong into 'options'");
        blob = k.blob;
    }
    if (key_check_blob(blob.at, blob.len, type, own, why, sizeof why) < 0)
        return rhost_fail_attr(ctx, "key", "%s", why);
    if (blob.len != len)
        rhost_put_str(resource, "key", rhost_copy(ctx, blob.at, blob.len));
    return 0;
}

int32_t
declared_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *type = rhost_str(resource, "type");
    const rhost_value *options = rhost_get(resource, "options");

    if (type && full_type(type) != type) {
        type = full_type(type);
        rhost_put_str(resource, "type", type);
    }
    for (size_t i = 0; i < rhost_count(options); i++) {
        const char *option = rhost_str_at(options, i), *end = option + strlen(option);
        long n = key_option_length(option, end);
        char path[40];

        (void)snprintf(path, sizeof path, "options[%zu]", i);
        if (strpbrk(option, "\r\n"))
            return rhost_fail_attr(ctx, path, "an option is one line");
        if (n < 0)
            return rhost_fail_attr(ctx, path, "the quotes of '%s' are not closed", option);
        if (option + n != end)
            return rhost_fail_attr(ctx, path,
                                   "'%s' has a blank or a comma outside of quotes; each "
                                   "option is an entry of its own",
                                   option);
    }
    rhost_tidy_path(ctx, resource, "target");
    return tidy_key(ctx, resource, type);
}
