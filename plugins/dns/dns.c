/* SPDX-License-Identifier: Apache-2.0 */
/* dns - a lookup that asks the name servers for the records of a name, by c-ares. */

#include "ask.h"
#include "records.h"

#include <string.h>

static const struct rhost_attr parameters[] = {
    { .name = "name",
      .type = "Pattern[/\\A[^\\s\\/]{1,255}\\z/]",
      .desc = "The name; for PTR an address is understood as well." },
    { .name = "type",
      .type = "Enum['A', 'AAAA', 'CAA', 'MX', 'NS', 'PTR', 'SRV', 'TXT']",
      .default_value = "\"A\"",
      .desc = "The type of the records." },
    { .name = "server",
      .type = "Optional[Pattern[/\\A[0-9A-Fa-f:.]+\\z/]]",
      .desc = "The address of the name server; without it those of /etc/resolv.conf." },
    { .name = "port", .type = "Integer[1, 65535]", .default_value = "53", .desc = "The port of the server." },
    { .name = "timeout",
      .type = "Integer[1, 60]",
      .default_value = "5",
      .desc = "How many seconds to wait for an answer." },
};

/* The name to ask for; NULL after the reason. */
static const char *
name_of(rhost_ctx *ctx, const rhost_value *p)
{
    const char *name = rhost_str(p, "name"), *reversed;

    if (strcmp(rhost_str_or(p, "type", ""), "PTR") != 0)
        return name;
    reversed = records_reverse(ctx, name);
    return reversed ? reversed : name;
}

static int32_t
find(rhost_ctx *ctx, const rhost_value *p, rhost_value *answer)
{
    const struct records_type *type = records_type(rhost_str_or(p, "type", "A"));
    const struct ask_question question = {
        .name = name_of(ctx, p),
        .type = type->number,
        .server = rhost_str(p, "server"),
        .port = (int)rhost_int(p, "port", 53),
        .timeout = (int)rhost_int(p, "timeout", 5),
    };
    struct ask_reply reply = { 0 };
    int32_t result = ask(ctx, &question, &reply);

    if (result == 0)
        result = records_put(ctx, type, &reply, answer);
    ask_free(&reply);
    return result;
}

static const char *const needs[] = {
    "network[tcp:$port]",       "network[udp]",         "read[/etc/resolv.conf]",
    "read[/etc/nsswitch.conf]", "read[/etc/host.conf]", NULL,
};

static const struct rhost_lookup dns = {
    .struct_size = sizeof dns,
    .attr_stride = sizeof parameters[0],
    .n_attrs = sizeof parameters / sizeof parameters[0],
    .attrs = parameters,
    .name = "dns",
    .desc = "The records of a name in the DNS, sorted.",
    .type = "Array[String]",
    .find = find,
    .needs = needs,
};

static const struct rhost_lookup *const lookups[] = { &dns, NULL };

RHOST_PLUGIN_WITH_LOOKUPS(dns, "1.0", NULL, lookups, NULL)
