# SPDX-License-Identifier: Apache-2.0
# The debhelper sequence "rhost": build-depend on dh-sequence-rhost.
use warnings;
use strict;
use Debian::Debhelper::Dh_Lib;

insert_before('dh_gencontrol', 'dh_rhost');

1;
