/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-toml - any text as TOML: it is refused, or what is written of its value is read as the same value. */
#include "config.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-toml.h"
#include "base/value.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf b = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    /* A copy of its own without a byte behind it, so that the sanitizer sees what reads on. */
    char *text = malloc(size ? size : 1);
    const struct rh_value *v, *again;

    if (!text)
        return 0;
    memcpy(text, data, size);
    v = rh_value_from_toml(a, text, size, &err);
    free(text);
    if (!v) {
        if (!err.message)
            abort();
        return 0;
    }
    if (rh_toml_add(&b, v, NULL) < 0)
        abort();
    again = rh_value_from_toml(a, rh_buf_text(&b), b.n, NULL);
    if (!again || !rh_value_equal(v, again))
        abort();
    return 0;
}
