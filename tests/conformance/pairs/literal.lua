-- SPDX-License-Identifier: Apache-2.0
file "/srv/script.sh" { content = "echo ${HOME} ${PATH}\n" }
