/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-problem - why text is not YAML, in words that say what to do. */
#ifndef RH_MANIFEST_TEXT_YAML_PROBLEM_H
#define RH_MANIFEST_TEXT_YAML_PROBLEM_H

#include <stddef.h>
#include <yaml.h>

struct rh_complaints;

/* Refuses what is not UTF-8 text, with the place of the first byte that is at fault. */
int rh_yaml_check_text(const char *text, size_t n, unsigned file, struct rh_complaints *complaints);

/* Complains about what stopped the parser. `text` is what it reads. */
void rh_yaml_problem(const yaml_parser_t *parser, const char *text, size_t n, unsigned file,
                     struct rh_complaints *complaints);

#endif
