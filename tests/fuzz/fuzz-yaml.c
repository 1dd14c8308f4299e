/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-yaml - any text as YAML: its record has the events that libyaml gives, with their places. And any
 * bytes as the record of a text: they do not fit, or are read without harm. */
#include "config.h"

#include "../unit/same-events.h"

#include "base/text.h"
#include "manifest/text/yaml-record.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte is how long the text is, which is the end of the input. */
static void
read_as_record(const uint8_t *data, size_t size)
{
    size_t n = size ? data[0] : 0;
    struct rh_yaml_replay replay;
    struct rh_yaml_event event;
    unsigned sum = 0;

    if (!size || n > size - 1 || !rh_yaml_record_fits(data + 1, size - 1 - n, n))
        return;
    rh_yaml_replay_open(&replay, data + 1, size - 1 - n, (const char *)data + size - n, n);
    while (rh_yaml_replay_next(&replay, &event))
        for (size_t i = 0; event.type == YAML_SCALAR_EVENT && i < event.n; i++)
            sum += (unsigned char)event.text[i];
    rh_yaml_replay_close(&replay);
    (void)sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A copy of its own without a byte behind it, so that the sanitizer sees what reads on. */
    char *text = malloc(size ? size : 1);
    bool same = true;

    if (!text)
        return 0;
    memcpy(text, data, size);
    read_as_record(data, size);
    if (rh_utf8_valid(text, size))
        (void)same_events(text, size, &same);
    free(text);
    if (!same)
        abort();
    return 0;
}
