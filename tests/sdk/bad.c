/* SPDX-License-Identifier: Apache-2.0 */
/* bad - types that are wrong in one way each, and one that is right among them. */
#include "note.h"

#define PATH                                                                                                 \
    {                                                                                                        \
        .name = "path", .type = "String[1]", .behaviour = RHOST_NAMEVAR                                      \
    }
#define PROVIDER(t)                                                                                          \
    static const struct rhost_provider t##_provider = {                                                      \
        RHOST_PROVIDER(#t, "Is wrong."),                                                                     \
        RHOST_ATTRS(t##_attrs),                                                                              \
        .load = note_load,                                                                                   \
        .update = note_write,                                                                                \
    }

static const struct rhost_attr bad_type_attrs[] = {
    PATH,
    { .name = "size", .type = "Optional[Intger[0, 5]]" },
};
PROVIDER(bad_type);

static const struct rhost_attr bad_syntax_attrs[] = {
    PATH,
    { .name = "size", .type = "Integer[0, " },
};
PROVIDER(bad_syntax);

static const struct rhost_attr bad_default_attrs[] = {
    PATH,
    { .name = "size", .type = "Integer[0, 5]", .default_value = "6" },
};
PROVIDER(bad_default);

static const struct rhost_attr bad_namevar_attrs[] = {
    { .name = "path", .type = "String[1]" },
};
PROVIDER(bad_namevar);

static const struct rhost_attr bad_reserved_attrs[] = {
    PATH,
    { .name = "notify", .type = "String[1]" },
};
PROVIDER(bad_reserved);

static const struct rhost_attr bad_relation_attrs[] = {
    PATH,
};
static const char *const bad_relations[] = { "autorequire file[$source]", NULL };
static const struct rhost_provider bad_relation_provider = {
    RHOST_PROVIDER("bad_relation", "Is wrong."),
    RHOST_ATTRS(bad_relation_attrs),
    .relations = bad_relations,
    .load = note_load,
    .update = note_write,
};

static const struct rhost_attr good_attrs[] = {
    PATH,
    { .name = "text", .type = "String" },
};
PROVIDER(good);

RHOST_PLUGIN(bad, "0.1", &bad_type_provider, &bad_syntax_provider, &bad_default_provider,
             &bad_namevar_provider, &bad_reserved_provider, &bad_relation_provider, &good_provider)
