/* SPDX-License-Identifier: Apache-2.0 */
/* extensions - what a request asks for and a certificate has: names, usages, and whether it may sign others.
 */
#ifndef X509_REQUEST_EXTENSIONS_H
#define X509_REQUEST_EXTENSIONS_H

#include "names.h"
#include "subject.h"

/* The attributes that both types have. */
/* clang-format off */
#define EXTENSIONS_ATTRS                                                                                     \
    { .name = "subject",                                                                                     \
      .type = "Optional[" SUBJECT_TYPE "]",                                                                  \
      .desc = "The subject, such as {O: Example, CN: www.example.org}; the order counts only when it is made." }, \
    { .name = "subject_alt_names",                                                                           \
      .type = "Optional[Array[String[1, 1000]]]",                                                            \
      .behaviour = RHOST_UNORDERED,                                                                          \
      .desc = "Names and addresses that it is for, such as www.example.org, 192.0.2.1 or URI:urn:x." },      \
    { .name = "key_usage",                                                                                   \
      .type = "Optional[Array[Enum[digitalSignature, nonRepudiation, keyEncipherment, dataEncipherment, "    \
              "keyAgreement, keyCertSign, cRLSign, encipherOnly, decipherOnly]]]",                           \
      .behaviour = RHOST_UNORDERED,                                                                          \
      .desc = "What the key may be used for; with ca otherwise keyCertSign and cRLSign." },                  \
    { .name = "extended_key_usage",                                                                          \
      .type = "Optional[Array[Pattern[/\\A([A-Za-z][A-Za-z0-9]*|[0-9]+([.][0-9]+)+)\\z/]]]",                 \
      .behaviour = RHOST_UNORDERED,                                                                          \
      .desc = "Purposes such as serverAuth and clientAuth, or their numbers." },                             \
    { .name = "ca",                                                                                          \
      .type = "Optional[Boolean]",                                                                           \
      .desc = "Whether it is for a CA, which may sign certificates." },                                      \
    { .name = "path_length",                                                                                 \
      .type = "Optional[Integer[0, 100]]",                                                                   \
      .desc = "How many CAs may follow below this one." }
/* clang-format on */

/* Canonical form of these attributes. -1 with the reason given. */
int32_t extensions_canonicalize(rhost_ctx *ctx, rhost_value *resource);

/* What excludes each other among them. -1 with the reason given. */
int32_t extensions_validate(rhost_ctx *ctx, const rhost_value *resource);

/* The extensions for what is desired, or else what is there. NULL with the reason given. */
STACK_OF(X509_EXTENSION) * extensions_make(rhost_ctx *ctx, const struct rhost_change *change);

/* Reports subject and extensions as attributes. */
void extensions_report(rhost_ctx *ctx, const X509_NAME *subject, const STACK_OF(X509_EXTENSION) * all,
                       rhost_value *current);

#endif
