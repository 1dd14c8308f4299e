# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

require 'json'

# Lists in files of JSON.
class Puppet::Provider::GateList::GateList
  def get(_context, names)
    (names || []).filter_map do |name|
      members = load(name[:file])[name[:list]]
      { **name, members: members, count: members.length } if members
    end
  end

  def set(context, changes, noop: false)
    changes.each do |name, change|
      context.processing(name, change[:is], change[:should]) do
        context.debug("#{change[:should][:members].length} names")
        save(name, change[:should]) unless noop
      end
    end
  end

  def insync?(_context, _name, attribute, is, should)
    return nil unless attribute == :members

    missing = should[:members] - is[:members]
    extra = should[:exact] ? is[:members] - should[:members] : []
    [missing.empty? && extra.empty?, "missing: #{missing.sort.join(', ')}; extra: #{extra.sort.join(', ')}"]
  end

  private

  def load(file)
    File.exist?(file) ? JSON.parse(File.read(file)) : {}
  end

  def save(name, should)
    lists = load(name[:file])
    members = should[:members]
    members |= lists[name[:list]] || [] unless should[:exact]
    File.write(name[:file], JSON.generate(lists.merge(name[:list] => members)))
  end
end
