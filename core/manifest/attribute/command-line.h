/* SPDX-License-Identifier: Apache-2.0 */
/* command-line - attributes from the command line: --attributes=FILE, --attribute=LEVEL.PATH=VALUE.
 *
 * A file has what stands under `attributes:` in a manifest. A single one without a level goes to
 * force_override, since who types it means it: only facts outrank it. Its value is read by YAML's
 * core schema; with a quote, '[' or '{' in front it is a text, a list or a hash as in a manifest. */
#ifndef RH_MANIFEST_ATTRIBUTE_COMMAND_LINE_H
#define RH_MANIFEST_ATTRIBUTE_COMMAND_LINE_H

struct rh_load;

/* Reads the files, and notes what in them is secret. The complaints are counted. */
void rh_command_line_note_secrets(struct rh_load *load);

/* Puts everything into the node: files first, then the single ones. */
void rh_command_line_apply(struct rh_load *load);

#endif
