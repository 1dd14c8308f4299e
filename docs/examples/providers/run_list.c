/* SPDX-License-Identifier: Apache-2.0 */
/* run_list - a list of words in a file, to which manifests can append. */
#include "text.h"

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .desc = "Where it is.", .behaviour = RHOST_NAMEVAR },
    { .name = "words", .type = "Array[Pattern[/\\A\\w+\\z/]]", .desc = "One on each line.",
      .initial = "[\"base\"]" },
};

static int32_t
run_list_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should,
              rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    FILE *f = fopen(path, "r");
    rhost_value *words;
    char word[TEXT_MAX];

    (void)should;
    if (!f && errno == ENOENT)
        return RHOST_ABSENT;
    if (!f)
        return rhost_fail_errno(ctx, "cannot read '%s'", path);
    words = current->host->put_array(current, "words");
    while (fgets(word, sizeof word, f))
        rhost_put_bytes(words, NULL, word, strcspn(word, "\n"));
    fclose(f);
    return 0;
}

static int32_t
run_list_converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *words = rhost_value_of(change, "words");
    char text[TEXT_MAX] = "";
    size_t n = 0;

    if (!rhost_changed(ctx, change, "words"))
        return 0;
    for (size_t i = 0; i < rhost_count(words) && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\n", rhost_str_at(words, i));
    return text_write(ctx, rhost_str(change->name, "path"), text);
}

static const struct rhost_provider run_list = {
    RHOST_PROVIDER("run_list", "A list of words in a file."),
    RHOST_ATTRS(attrs),
    .load = run_list_load,
    .converge = run_list_converge,
};

RHOST_PLUGIN(run_list, "1.0", &run_list)
