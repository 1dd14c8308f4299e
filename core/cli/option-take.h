/* SPDX-License-Identifier: Apache-2.0 */
/* option-take - what becomes of the value of an option: functions for the table of options. */
#ifndef RH_CLI_OPTION_TAKE_H
#define RH_CLI_OPTION_TAKE_H

#include "cli/options.h"

/* Each puts the value where the option says: 0, or -1 when it cannot be that. */
typedef int rh_option_take(const struct rh_option *o, struct rh_settings *s, const char *value);

rh_option_take rh_option_age, rh_option_become, rh_option_build, rh_option_colour, rh_option_debug,
    rh_option_detail, rh_option_duplicates, rh_option_events, rh_option_flag, rh_option_format,
    rh_option_graph_format, rh_option_html_format, rh_option_interval, rh_option_isolation, rh_option_more,
    rh_option_more_names, rh_option_more_tags, rh_option_name, rh_option_page_format, rh_option_percent,
    rh_option_positive, rh_option_progress, rh_option_revision, rh_option_sarif_format, rh_option_secret,
    rh_option_seed, rh_option_show_format, rh_option_size, rh_option_ssh_persist, rh_option_strict,
    rh_option_style, rh_option_text, rh_option_verbose, rh_option_whole, rh_option_yaml_format;

#endif
