# SPDX-License-Identifier: Apache-2.0
# Makes a C text of a file, a line each: -v name=NAME -v file=FILE, and -v header=HEADER that declares it. A
# comment at the top, and empty lines, are left out.
BEGIN { printf "/* Generated from %s. */\n#include \"config.h\"\n\n#include \"%s\"\n\nconst char %s[] =\n", file, header, name }
NR == 1 && /SPDX/ { next }
/^[ \t]*$/ { next }
{ gsub(/["\\]/, "\\\\&"); printf "    \"%s\\n\"\n", $0 }
END { print "    ;" }
