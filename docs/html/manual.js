// SPDX-License-Identifier: Apache-2.0
// A page that was opened from a disk may not read others: results of a search are shown without excerpts then.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
