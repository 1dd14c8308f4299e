# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_transport(
  name: 'gate',
  desc: 'A way to a gate: here a file that stands for it.',
  connection_info: {
    path: { type: 'String', desc: 'The file.' },
    password: { type: 'String', desc: 'What it asks for.', sensitive: true },
  },
)
