# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'gate_list',
  desc: 'Who may pass: a list in a file of JSON, which may hold others.',
  features: %w[custom_insync simple_get_filter supports_noop],
  title_patterns: [{ pattern: /\A(?<file>\/.*):(?<list>[^:]+)\z/, desc: 'The file and the list.' }],
  attributes: {
    file: { type: 'String[1]', desc: 'The file.', behaviour: :namevar },
    list: { type: 'String[1]', desc: 'Which list of it.', behaviour: :namevar },
    members: { type: 'Array[String]', desc: 'The names; their order does not matter.' },
    exact: { type: 'Boolean', desc: 'Whether others are removed.', behaviour: :parameter, default: true },
    count: { type: 'Integer', desc: 'How many there are.', behaviour: :read_only },
  },
)
