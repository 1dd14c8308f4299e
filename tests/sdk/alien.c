/* SPDX-License-Identifier: Apache-2.0 */
/* alien - a shared object that is no plugin. */

int alien_landed(void);

__attribute__((visibility("default"))) int
alien_landed(void)
{
    return 1;
}
