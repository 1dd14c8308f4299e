/* SPDX-License-Identifier: Apache-2.0 */
/* fields - which attribute is which field of a stanza, and the one form of their values. */

#include "fields.h"

#include "key.h"

#include <strings.h>

const struct fields_list fields_lists[FIELDS_LISTS] = {
    { "types", "Types" },
    { "uris", "URIs" },
    { "suites", "Suites" },
    { "components", "Components" },
    { "architectures", "Architectures" },
};

const char *
fields_attribute(const char *field)
{
    for (size_t i = 0; i < FIELDS_LISTS; i++)
        if (strcasecmp(fields_lists[i].field, field) == 0)
            return fields_lists[i].attribute;
    return strcasecmp(field, "Enabled") == 0     ? "enabled"
           : strcasecmp(field, "Signed-By") == 0 ? "signed_by"
                                                 : NULL;
}

void
fields_put_words(rhost_ctx *ctx, rhost_value *into, const char *attribute, const char *text)
{
    rhost_value *array = into->host->put_array(into, attribute);

    while (*(text += strspn(text, " \t\r\n"))) {
        size_t n = strcspn(text, " \t\r\n");

        rhost_put_str(array, NULL, rhost_copy(ctx, text, n));
        text += n;
    }
}

const char *
fields_joined(rhost_ctx *ctx, const rhost_value *array)
{
    size_t size = 1, len = 0;
    char *text;

    for (size_t i = 0; i < rhost_count(array); i++)
        size += strlen(rhost_str_at(array, i)) + 1;
    text = rhost_alloc(ctx, size);
    for (size_t i = 0; i < rhost_count(array); i++)
        len += (size_t)snprintf(text + len, size - len, "%s%s", len ? " " : "", rhost_str_at(array, i));
    return text;
}

const char *
fields_signed_by(rhost_ctx *ctx, const char *text)
{
    size_t n;
    char *tidy;

    text += strspn(text, " \t\r\n");
    n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    tidy = rhost_copy(ctx, text, n);
    if (!key_is_armored(tidy)) /* several files or fingerprints */
        for (char *c = tidy; *c; c++)
            if (*c == '\n' || *c == '\t')
                *c = ' ';
    return tidy;
}

int
fields_is_yes(const char *text)
{
    static const char *const words[] = { "no", "false", "without", "off", "disable", "0" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0)
            return 0;
    return 1;
}
