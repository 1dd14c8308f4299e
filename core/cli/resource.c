/* SPDX-License-Identifier: Apache-2.0 */
/* resource - rhost resource TYPE [TITLE] [ATTR=VALUE...]: list, show or manage. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/message-code.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/print-value.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "cli/target.h"
#include "datatype/datatype.h"
#include "manifest/keyword/keyword.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml.h"
#include "plugin/registry.h"
#include "provider/log-record.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct rh_arena *arena;
    struct rh_value *items;
};

static void
take_item(void *data, const struct rh_value *item)
{
    struct reading *r = data;

    rh_value_append(r->items, rh_value_copy(r->arena, item));
}

/* What is asked for on the command line: one resource, or all when there is no title. */
struct asked {
    struct rh_session *session;
    const struct rh_type *type;
    const char *title;           /* or NULL */
    struct rh_value *attributes; /* attributes */
    bool managed;                /* one of them is more than its name */
};

/* The namevars that the title says, read by their types: 22 for a port. -1 after saying why not. */
static int
read_title(struct asked *q)
{
    const struct rh_type *t = q->type;
    struct rh_arena *a = q->session->arena;
    struct rh_value *parsed = rh_value_new(a, RH_HASH);
    rh_autoerror struct rh_error trouble = { 0 };
    int matched = rh_title_parse(t, q->title, parsed, &trouble);

    if (matched < 0) {
        (void)rh_error_prefix(&trouble, "%s[%s]", t->type, q->title);
        rh_refuse_error(NULL, &trouble);
        return -1;
    }
    for (size_t i = 0; i < t->n_namevars; i++) {
        const struct rh_attr *attr = t->namevars[i];
        const struct rh_value *text = rh_value_get(parsed, attr->name);
        rh_autoerror struct rh_error err = { 0 };
        rh_autobuf struct rh_buf why = { 0 };
        const struct rh_value *v;

        if (rh_value_get(q->attributes, attr->name))
            continue;
        if (!matched) {
            rh_refuse(
                t->n_patterns
                    ? "no title pattern of '%s' matches the title '%s'"
                    : "type '%s' has several namevars and no title pattern: the title '%s' cannot be used",
                t->type, q->title);
            return -1;
        }
        if (!text)
            continue;
        v = rh_datatype_match(attr->type, text)
                ? rh_value_copy(a, text)
                : rh_datatype_from_text(a, attr->type, "", rh_value_str(text, ""), &err);
        if (!v) {
            rh_autofree char *hint =
                *attr->desc ? rh_printf("%s: %.*s", attr->name, (int)strcspn(attr->desc, "\n"), attr->desc)
                            : NULL;

            rh_datatype_explain(attr->type, "the title", text, &why);
            rh_error_set_code(&trouble, RH_EINPUT, rh_message_code(RH_DOES_NOT_FIT), "%s", rh_buf_text(&why));
            (void)rh_error_prefix(&trouble, "%s[%s]", t->type, q->title);
            rh_refuse_error(hint, &trouble);
            return -1;
        }
        rh_value_put(q->attributes, attr->name, v);
    }
    return 0;
}

/* What the name of the one that is asked for leaves out has its default; -1 after saying what can't
 * be left out. */
static int
complete_name(struct asked *q)
{
    const struct rh_type *t = q->type;
    rh_autobuf struct rh_buf names = { 0 };
    rh_autofree char *hint = NULL;
    const char *missing = NULL;

    for (size_t i = 0; i < t->n_namevars; i++) {
        const struct rh_attr *attr = t->namevars[i];

        rh_buf_addf(&names, "%s%s=...", i ? " " : "", attr->name);
        if (rh_value_get(q->attributes, attr->name))
            continue;
        if (attr->default_value)
            rh_value_put(q->attributes, attr->name, rh_value_copy(q->session->arena, attr->default_value));
        else if (!missing && !rh_datatype_match(attr->type, NULL))
            missing = attr->name;
    }
    if (!missing)
        return 0;
    hint = rh_printf("write it as attributes: rhost resource %s %s", t->type, rh_buf_text(&names));
    rh_refuse_hint(hint, "the title of %s[%s] does not contain '%s', which is part of the name", t->type,
                   q->title, missing);
    return -1;
}

/* What manages a device is read from one, and nothing else is. */
static int
refuse_place(const struct asked *q)
{
    bool remote = q->type->features & RH_REMOTE_RESOURCE;

    if (remote && !q->session->device)
        rh_refuse_hint("name the device: rhost resource --targets=FILE --target=NAME",
                       "type '%s' manages a device and cannot be applied to this machine", q->type->type);
    else if (!remote && q->session->device)
        rh_refuse("type '%s' manages this machine, not a device", q->type->type);
    else
        return 0;
    return -1;
}

/* Reads one resource (title given) or all, and prints them as a manifest. */
static int
show(struct asked *q)
{
    struct rh_session *s = q->session;
    struct reading r = { .arena = s->arena, .items = rh_value_new(s->arena, RH_ARRAY) };
    const struct rh_sink sink = { .data = &r, .item = take_item, .log = rh_log_record_print };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *names = NULL;

    if (refuse_place(q) < 0)
        return RH_EXIT_REFUSED;
    if (q->title) {
        if (complete_name(q) < 0)
            return RH_EXIT_REFUSED;
        names = rh_value_new(s->arena, RH_ARRAY);
        rh_value_append(names, q->attributes);
    }
    if (rh_worker_read(rh_pool_worker(&s->pool, q->type), names, &sink, &err) < 0) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_FAILED;
    }
    rh_print_manifest(stdout, q->type, q->title, s->settings->provider, r.items,
                      s->settings->format == RH_FORMAT_JSON);
    return RH_EXIT_OK;
}

static int
refuse_attribute(struct asked *q, const char *key)
{
    const struct rh_type *t = q->type;
    const struct rh_type *owner = rh_registry_owner(q->session->registry, t->type, key);
    const char *best = rh_type_suggest(t, key);

    if (owner)
        return rh_usage_error(&rh_command_resource,
                              "unknown attribute '%s' for type '%s' with provider '%s': provider '%s' "
                              "supports it; use --provider=%s",
                              key, t->type, t->provider, owner->provider, owner->provider);
    if (best)
        return rh_usage_unknown(&rh_command_resource, best, NULL, "unknown attribute '%s' for type '%s'", key,
                                t->type);
    if (strcmp(key, "provider") == 0 || strcmp(key, "noop") == 0)
        return rh_usage_error(&rh_command_resource,
                              "unknown attribute '%s' for type '%s': use the option --%s", key, t->type, key);
    if (rh_keyword_find(key))
        return rh_usage_error(&rh_command_resource,
                              "unknown attribute '%s' for type '%s': it is a key of manifests only", key,
                              t->type);
    return rh_usage_error(&rh_command_resource,
                          "unknown attribute '%s' for type '%s'; 'rhost describe %s' lists them", key,
                          t->type, t->type);
}

/* '["adm", "ops"]' and '{a: 1}' as in a manifest. NULL when the text is neither, or does not fit. */
static const struct rh_value *
read_flow(struct asked *q, const struct rh_datatype *t, const char *text)
{
    struct rh_arena *a = q->session->arena;
    struct rh_complaints complaints = { .sources = &q->session->sources };
    struct rh_value *v = NULL;

    if (*text == '[' || *text == '{')
        v = rh_yaml_read(a, text, strlen(text), 0, &complaints);
    if (v)
        v = rh_scalar_read(a, t, v);
    if (v && (rh_complaints_count(&complaints) || !rh_datatype_match(t, v)))
        v = NULL;
    rh_complaints_clear(&complaints);
    return v;
}

/* "adm,ops" where a list is wanted. NULL when that does not fit. */
static const struct rh_value *
read_words(struct asked *q, const struct rh_datatype *t, const char *text)
{
    struct rh_arena *a = q->session->arena;
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (size_t n; *text; text += n + (text[n] == ',')) {
        struct rh_value *word;

        n = strcspn(text, ",");
        word = rh_value_stringn(a, text, n);
        word->marks |= RH_PLAIN;
        rh_value_append(list, word);
    }
    list = rh_scalar_read(a, t, list);
    return rh_datatype_match(t, list) ? list : NULL;
}

/* "mode=0644", read by the attribute's type. */
static int
take_assignment(struct asked *q, char *text)
{
    struct rh_arena *a = q->session->arena;
    char *equals = strchr(text, '=');
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *subject = NULL;
    const struct rh_attr *attr;
    const struct rh_value *v;
    char *key;

    if (equals == text)
        return rh_usage_error(
            &rh_command_resource,
            "missing attribute name in '%s': write ATTRIBUTE=VALUE without blanks around the '='", text);
    if (!equals)
        return rh_usage_error(&rh_command_resource,
                              "'%s' is not of the form ATTRIBUTE=VALUE: write it without blanks, and quote "
                              "values that contain blanks",
                              text);
    key = rh_arena_strndup(a, text, (size_t)(equals - text));
    attr = rh_type_attr(q->type, key);
    if (!attr)
        return refuse_attribute(q, key);
    if (rh_value_get(q->attributes, key))
        return rh_usage_error(&rh_command_resource, "duplicate attribute '%s'", key);
    subject = q->title ? rh_printf("%s[%s].%s", q->type->type, q->title, key) : rh_xstrdup(key);
    v = rh_datatype_from_text(a, attr->type, subject, equals + 1, &err);
    if (!v) { /* a timestamp, say, as a manifest has it in quotes */
        v = rh_scalar_read(a, attr->type, rh_value_string(a, equals + 1));
        v = rh_datatype_match(attr->type, v) ? v : NULL;
    }
    if (!v)
        v = read_flow(q, attr->type, equals + 1);
    if (!v && !strchr("[{", equals[1]))
        v = read_words(q, attr->type, equals + 1);
    if (attr->sensitive
        || attr->sensitive_within) { /* others may see it in the list of processes no longer than needed */
        rh_secrets_shield();
        explicit_bzero(equals + 1, strlen(equals + 1));
    }
    if (!v)
        return rh_usage_error_of(&rh_command_resource, &err);
    rh_value_put(q->attributes, key, v);
    q->managed |= !(attr->behaviour & RH_NAMEVAR);
    return 0;
}

static int
manage(struct asked *q)
{
    struct rh_session *s = q->session;
    struct rh_resource *r = rh_arena_alloc(s->arena, sizeof *r);
    const struct rh_place nowhere = { 0 };
    struct rh_validated validated;

    if (rh_validate(s->arena, q->type, q->title, nowhere, q->attributes, &validated, &s->complaints) < 0) {
        (void)rh_session_complain(s);
        return RH_EXIT_REFUSED;
    }
    r->type = q->type;
    r->title = rh_arena_strdup(s->arena, q->title);
    r->name = validated.name;
    r->should = validated.should;
    if (rh_catalog_declare(&s->catalog, r, &s->complaints) == 0)
        rh_catalog_trigger(&s->catalog, r, q->type->default_action);
    if (rh_session_resolve(s) < 0)
        return RH_EXIT_REFUSED;
    return rh_execute(s);
}

/* Whether a word is a namevar's value and no title: "path=/etc/motd". */
static bool
is_name_assignment(const struct rh_type *t, const char *word)
{
    for (size_t i = 0; i < t->n_namevars; i++) {
        size_t n = strlen(t->namevars[i]->name);

        if (strncmp(word, t->namevars[i]->name, n) == 0 && word[n] == '=')
            return true;
    }
    return false;
}

/* All words behind the type. */
static int
read_operands(struct asked *q, int argc, char **argv)
{
    int i = 0;

    if (argc > 0 && !is_name_assignment(q->type, argv[0]))
        q->title = argv[i++];
    if (q->title && !*q->title)
        return rh_usage_error(&rh_command_resource, "the title must not be empty");
    for (; i < argc; i++)
        if (take_assignment(q, argv[i]) != 0)
            return -1;
    for (size_t k = 0; argc > 0 && !q->title && k < q->type->n_namevars; k++) {
        const struct rh_attr *attr = q->type->namevars[k];

        if (!rh_value_get(q->attributes, attr->name) && !attr->default_value
            && !rh_datatype_match(attr->type, NULL))
            return rh_usage_error(&rh_command_resource,
                                  "missing '%s', which is part of the name: give a TITLE, or %s=VALUE",
                                  attr->name, attr->name);
    }
    if (argc > 0 && !q->title)
        q->title = rh_resource_title(q->session->arena, q->type, q->attributes);
    return q->title ? read_title(q) : 0;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;
    struct rh_reach reach = { 0 };
    struct asked q = { .session = &s };
    int status = RH_EXIT_REFUSED;

    if (!settings->targets != !settings->target)
        return rh_usage_error(&rh_command_resource, "--targets and --target must be given together");
    if (argc < 1)
        return rh_usage_error(&rh_command_resource, "no TYPE given; 'rhost types' lists them");
    for (int i = 1; i < argc; i++)
        settings->runs |= strchr(argv[i], '=') != NULL; /* it may manage one: see take_assignment */
    rh_session_open(&s, settings);
    if (!settings->targets || rh_reach_open(&reach, &s, settings->targets, settings->target) == 0)
        q.type = rh_session_type(&s, argv[0]);
    q.attributes = rh_value_new(s.arena, RH_HASH);
    if (q.type && read_operands(&q, argc - 1, argv + 1) == 0)
        status = q.managed ? manage(&q) : show(&q);
    rh_reach_close(&reach);
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_resource = {
    .name = "resource",
    .arguments = "TYPE [TITLE] [ATTR=VALUE...]",
    .summary = "list the resources of a type, show one, or manage one",
    .text = "The output is a manifest that can be applied. With ATTR=VALUE the resource is brought to that\n"
            "state, as 'rhost apply' would do. A TITLE can be replaced by the attributes that are the name.\n"
            "With --targets and --target it is about the resources of that device. Exits with 0 on success.",
    .options = RH_OPT_COMMON | RH_OPT_TARGET | RH_OPT_YAML | RH_OPT_PROVIDER | RH_OPT_NOOP | RH_OPT_WHICH,
    .run = run,
};
