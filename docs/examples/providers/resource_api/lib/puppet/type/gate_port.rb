# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'gate_port',
  desc: 'A port of a gate that is somewhere else.',
  features: ['remote_resource'],
  attributes: {
    name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
    ensure: { type: 'Enum[present, absent]', desc: 'Whether it exists.', default: 'present' },
    speed: { type: 'Integer', desc: 'Its speed.' },
  },
)
