# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

require 'puppet/resource_api/simple_provider'

# Ports, through the transport.
class Puppet::Provider::GatePort::GatePort < Puppet::ResourceApi::SimpleProvider
  # The device keeps speeds as text, as many do.
  def get(context)
    context.transport.ports.map { |name, speed| { name: name, ensure: 'present', speed: Integer(speed) } }
  end

  def create(context, name, should)
    context.transport.put(name, should[:speed])
  end
  alias update create

  def delete(context, name)
    context.transport.put(name, nil)
  end
end
