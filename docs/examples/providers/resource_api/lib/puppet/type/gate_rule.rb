# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'gate_rule',
  desc: 'A rule of the gate, in a file of its own.',
  features: ['canonicalize'],
  attributes: {
    path: { type: 'Pattern[/\A\//]', desc: 'The file.', behaviour: :namevar },
    ensure: { type: 'Enum[present, absent]', desc: 'Whether the rule exists.', default: 'present' },
    port: { type: 'Integer[1, 65535]', desc: 'The port.' },
    protocol: { type: 'Enum[tcp, udp]', desc: 'The protocol.', default: 'tcp' },
    key: { type: 'Optional[Sensitive[String]]', desc: 'A secret that opens the gate.' },
    reason: { type: 'Optional[String]', desc: 'Why, for the log.', behaviour: :parameter },
  },
  autorequire: { file: '$path' },
)
