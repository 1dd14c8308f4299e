# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

require 'json'

module Puppet::Transport
  # The way to a gate.
  class Gate
    def initialize(context, info)
      context.debug('connecting')
      raise "access denied with #{info[:password].unwrap}" unless info[:password].unwrap == 'sesame'

      @path = info[:path]
    end

    def verify(_context)
      raise 'the gate is gone' unless File.exist?(@path)
    end

    def facts(_context)
      { 'model' => 'Gate 1', 'ports' => ports.length }
    end

    def close(_context)
      @path = nil
    end

    def ports
      JSON.parse(File.read(@path))
    end

    def put(name, speed)
      File.write(@path, JSON.generate(ports.merge(name => speed&.to_s).compact))
    end
  end
end
