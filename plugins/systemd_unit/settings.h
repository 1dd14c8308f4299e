/* SPDX-License-Identifier: Apache-2.0 */
/* settings - the text of a unit file as sections of settings, and the other way. */
#ifndef SYSTEMD_UNIT_SETTINGS_H
#define SYSTEMD_UNIT_SETTINGS_H

#include <rhost/provider.h>

/* A hash of sections, which are hashes of settings: text, or an array of texts for what stands there
 * several times. Comments are left out. Nothing is put when a line is no setting: the text is unknown then,
 * and gives way to the desired one. */
void settings_parse(rhost_ctx *ctx, const char *text, rhost_value *in, const char *key);

/* The text for settings; in memory of the call. */
char *settings_text(rhost_ctx *ctx, const rhost_value *settings);

/* Brings settings into the form that settings_parse() gives: text without blanks around it, one of a
 * kind without an array. */
void settings_tidy(rhost_ctx *ctx, rhost_value *resource, const char *key);

#endif
