/* SPDX-License-Identifier: Apache-2.0 */
/* guarded - whether this build looks for our own mistakes at run time: RH_GUARDED is 1 in builds for the
 * tests, with AddressSanitizer or for tests/mutants. */
#ifndef RH_BASE_GUARDED_H
#define RH_BASE_GUARDED_H

#if defined(RH_GUARDED_BLOCKS) || defined(__SANITIZE_ADDRESS__)
#define RH_GUARDED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RH_GUARDED 1
#endif
#endif
#ifndef RH_GUARDED
#define RH_GUARDED 0
#endif

#endif
