/* SPDX-License-Identifier: Apache-2.0 */
/* question - what a program asks while it answers: each is answered with one line. */

#include "interim.h"

#include "json.h"

#include <rhost/catalog.h>
#include <rhost/private.h>
#include <string.h>

/* {"stopping":{}}: whether the run is to end. It is answered with one line. */
static int
take_stopping(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { NULL };
    struct text answer = { 0 };
    int rc;

    if (talk_check_keys(talk, says, keys, 0) < 0)
        return -1;
    text_addf(&answer, "{\"stopping\":%s}",
              RHOST_HAS(talk->ctx, stopping) && talk->ctx->host->stopping(talk->ctx) ? "true" : "false");
    rc = talk->programs->say(talk->ctx, talk->program, answer.s, answer.n);
    text_clear(&answer);
    return rc;
}

/* {"catalog":{"type":"file","title":"/a"}}, without a title all of the type; or {"catalog":{"below":"/a"}}.
 * It is answered with one line. */
static int
take_catalog(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "below", "title", "type", NULL };
    const char *below, *title, *type;
    struct text answer = { 0 };
    int rc;

    if (talk_check_keys(talk, says, keys, 0) < 0 || talk_text(talk, says, "below", true, &below) < 0
        || talk_text(talk, says, "type", true, &type) < 0 || talk_text(talk, says, "title", true, &title) < 0)
        return -1;
    if (!below == !type || (title && !type))
        return talk_refuse(talk, "'catalog' needs a 'type', or 'below' with a path");
    text_addf(&answer, "{\"catalog\":{\"%s\":", below ? "paths" : title ? "resource" : "resources");
    if (below)
        json_write(&answer, rhost_declared_below(talk->ctx, below));
    else if (title) {
        const struct rhost_catalog *catalog = talk->ctx->host->extension(talk->ctx, RHOST_CATALOG_ID);

        json_write(&answer, catalog ? catalog->find(talk->ctx, type, title) : NULL);
    } else
        json_write(&answer, rhost_declared_all(talk->ctx, type));
    text_adds(&answer, "}}");
    rc = talk->programs->say(talk->ctx, talk->program, answer.s, answer.n);
    text_clear(&answer);
    return rc;
}

/* {"deadline":{}}: seconds until the host gives up. It is answered with one line. */
static int
take_deadline(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { NULL };
    struct text answer = { 0 };
    int rc;

    if (talk_check_keys(talk, says, keys, 0) < 0)
        return -1;
    text_addf(&answer, "{\"deadline\":%.3f}",
              RHOST_HAS(talk->ctx, deadline) ? talk->ctx->host->deadline(talk->ctx) : 1e9);
    rc = talk->programs->say(talk->ctx, talk->program, answer.s, answer.n);
    text_clear(&answer);
    return rc;
}

/* Also where it is null. */
static bool
is_said(const struct talk *talk, const rhost_value *says, const char *key)
{
    return talk->ctx->host->get(says, key) != NULL;
}

static int
check_private(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "key", "name", "digest", "put", NULL };
    const struct rhost_provider *p = &talk->served->provider;
    const rhost_value *name = rhost_get(says, "name");

    if (talk_check_keys(talk, says, keys, 2) < 0)
        return -1;
    for (size_t i = 0; i < p->n_attrs; i++)
        if (p->attrs[i].behaviour & RHOST_NAMEVAR && !rhost_has(name, p->attrs[i].name))
            return talk_refuse(talk, "a 'name' has all namevars, and '%s' is not in it", p->attrs[i].name);
    if (is_said(talk, says, "put") && is_said(talk, says, "digest"))
        return talk_refuse(talk, "'private' has 'put' or 'digest', not both");
    if (is_said(talk, says, "put") && !talk->takes_blocks)
        return talk_refuse(talk, "what is kept can be changed in answer to 'set' and 'act' only");
    return 0;
}

/* {"private":{"name":{...},"key":"etag"}}: what is kept for a resource. With "put" it is kept from now on,
 * or, when that is null, no longer; with "digest" the answer is a keyed digest of that value. It is answered
 * with one line. */
static int
take_private(struct talk *talk, const rhost_value *says)
{
    const struct rhost_private *ext = rhost_private_extension(talk->ctx);
    const char *key, *put, *value = NULL;
    const rhost_value *name;
    struct text answer = { 0 };
    int rc;

    if (check_private(talk, says) < 0 || talk_text(talk, says, "key", false, &key) < 0
        || talk_text(talk, says, "put", true, &put) < 0)
        return -1;
    if (!ext)
        return talk_refuse(talk, "this host keeps nothing for resources (" RHOST_PRIVATE_ID ")");
    name = rhost_get(says, "name");
    if (is_said(talk, says, "digest"))
        value = ext->digest(talk->ctx, name, key, rhost_get(says, "digest"));
    else if (!is_said(talk, says, "put"))
        value = ext->get(talk->ctx, name, key);
    else if (ext->put(talk->ctx, name, key, put) == 0)
        value = put;
    text_adds(&answer, "{\"private\":{\"value\":");
    if (value)
        json_string(&answer, value, strlen(value));
    else
        text_adds(&answer, "null");
    text_adds(&answer, "}}");
    rc = talk->programs->say(talk->ctx, talk->program, answer.s, answer.n);
    text_clear(&answer);
    return rc;
}

int
question_take(struct talk *talk, int which, const rhost_value *says)
{
    switch (which) {
    case ANSWER_CATALOG:
        return take_catalog(talk, says);
    case ANSWER_DEADLINE:
        return take_deadline(talk, says);
    case ANSWER_PRIVATE:
        return take_private(talk, says);
    default:
        return take_stopping(talk, says);
    }
}
