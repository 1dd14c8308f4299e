# SPDX-License-Identifier: Apache-2.0
# Makes a C text of the page: a line each.
BEGIN { print "/* Generated from core/run/page.html. */\n#include \"config.h\"\n\n#include \"run/html.h\"\n\nconst char rh_html_page[] =" }
{ gsub(/["\\]/, "\\\\&"); printf "    \"%s\\n\"\n", $0 }
END { print "    ;" }
