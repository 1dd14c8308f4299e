# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

require 'json'
require 'puppet/resource_api/simple_provider'

# Rules in files of JSON.
class Puppet::Provider::GateRule::GateRule < Puppet::ResourceApi::SimpleProvider
  def canonicalize(_context, resources)
    resources.each { |r| r[:path] = r[:path].squeeze('/') if r[:path] }
  end

  def get(context)
    context.debug('looking at all rules')
    Dir.glob("#{ENV['TMPDIR'] || '/tmp'}/*.rule").map { |path| { path: path, ensure: 'present' }.merge(read(path)) }
  end

  def create(context, path, should)
    context.notice(path, "opening port #{should[:port]}: #{should[:reason] || 'no reason'}")
    write(path, should)
  end

  def update(context, path, should)
    raise 'port 13 stays closed' if should[:port] == 13

    context.attribute_changed(path, :port, read(path)[:port], should[:port], message: 'the port moved')
    write(path, should)
  end

  def delete(_context, path)
    File.delete(path)
  end

  private

  def read(path)
    rule = JSON.parse(File.read(path), symbolize_names: true)
    rule[:key] = Puppet::Pops::Types::PSensitiveType::Sensitive.new(rule[:key]) if rule[:key]
    rule
  end

  def write(path, should)
    rule = should.slice(:port, :protocol, :key).compact
    rule[:key] = rule[:key].unwrap if rule[:key]
    File.write(path, JSON.generate(rule), perm: 0o600)
  end
end
