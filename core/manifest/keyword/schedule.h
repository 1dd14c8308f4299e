/* SPDX-License-Identifier: Apache-2.0 */
/* schedule - the word `schedule` on a resource, and the section `schedules` that gives them names.
 *
 * A name may be used before it is given, and in another file: what is missing is known at the end. */
#ifndef RH_MANIFEST_KEYWORD_SCHEDULE_H
#define RH_MANIFEST_KEYWORD_SCHEDULE_H

/* The data type of one. */
#define RH_SCHEDULE_TYPE                                                                                     \
    "Struct[{period => Enum[hourly, daily, weekly, monthly, never], periodmatch => Enum[distance, number], " \
    "repeat => Integer, name => String[1], range => Variant[String[1], Array[String[1]]], "                  \
    "weekday => Variant[String[1], Integer, Array[Variant[String[1], Integer]]]}]"

struct rh_load;
struct rh_keyword_values;
struct rh_value;

/* A reader for the table of keywords (manifest/keyword/keyword.h): a name, or a hash. */
int rh_read_schedule(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v);

/* The section. */
void rh_schedules_read(struct rh_load *load, struct rh_value *v);

/* After all files: complains of names that nobody gave. Those of the periods are always there. */
void rh_schedules_resolve(struct rh_load *load);

#endif
