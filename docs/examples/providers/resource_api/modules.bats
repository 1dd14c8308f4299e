#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Puppet modules with types, providers and transports that are not like those of the example, served by resource_api.rb.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../../../..}/tests/lib.bash"
source "$abs_top_srcdir/docs/examples/providers/resource_api/resource_api.bash"

# A module in plugins/odd/NAME, with what follows a type's name in FILE of it, on standard input.
odd() {
    mkdir -p "plugins/odd/$(dirname "$1")"
    { echo "require 'puppet/resource_api'"; cat; } >"plugins/odd/$1"
}

# The types of plugins/odd.
describe_odd() {
    cp "$example/resource_api.rb" plugins/odd/
    (cd plugins/odd && ruby resource_api.rb --describe >type.yaml)
}

# A type of plugins/odd whose resources are files in $work/things: its NAME, what it has besides, and its provider.
odd_type() {
    odd "lib/puppet/type/$1.rb" <<END
Puppet::ResourceApi.register_type(
  name: '$1',
  desc: 'A thing.',
  $2
)
END
    mkdir -p "plugins/odd/lib/puppet/provider/$1"
    cat >"plugins/odd/lib/puppet/provider/$1/$1.rb"
}

named="name: { type: 'String', desc: 'Its name.', behaviour: :namevar }, ensure: { type: 'Enum[present, absent]', desc: 'Whether.', default: 'present' }"

@test "names with capital letters, defaults as text, and a provider that asks for its type are served" {
    odd_type odd_thing "autorequire: { file: ['\$SAT_zone', '\$missing', '/etc/x'] }, attributes: { $named,
        SAT_zone: { type: 'String', desc: 'A zone.' }, loud: { type: 'Boolean', desc: 'Whether.', default: 'true' } }" <<END
require 'puppet/resource_api/simple_provider'
Puppet::Type.type(:odd_thing).provide(:legacy) do
end
class Puppet::Provider::OddThing::OddThing < Puppet::ResourceApi::SimpleProvider
  def get(context)
    File.exist?('$work/thing') ? [{ name: 'a', ensure: 'present', SAT_zone: File.read('$work/thing'), loud: true }] : []
  end

  def create(_context, _name, should)
    raise 'not loud' unless should[:loud] == true
    File.write('$work/thing', should[:SAT_zone])
  end
  alias update create
end
END
    run describe_odd
    status_is 0
    says "autorequire of type 'odd_thing' is left out: there is no attribute 'missing'"
    grep -q 'default: true' plugins/odd/type.yaml
    run gate <<END
resources: [{ odd_thing: a, sat_zone: north }]
END
    status_is 2
    [ "$(cat thing)" = north ]
    run gate <<END
resources: [{ odd_thing: a, sat_zone: north }]
END
    status_is 0
    run gate <<END
resources: [{ odd_thing: a, sat_zone: south }]
END
    status_is 2
    [ "$(cat thing)" = south ]
}

@test "what cannot be described is left out with its reason, and the other types are served" {
    odd_type odd_good "attributes: { $named }" <<<''
    odd_type odd_nameless "attributes: { size: { type: 'Integer', desc: 'A size.' } }" <<<''
    odd lib/puppet/type/odd_broken.rb <<<"Puppet::ResourceApi.register_type(name: 'odd_broken')"
    odd lib/puppet/type/odd_merged.rb <<<"<<<<<<< ResourceApi"
    run describe_odd
    status_is 0
    says "type 'odd_nameless' is left out: none of its attributes is a namevar"
    says "odd_broken.rb is left out: "
    says "odd_merged.rb is left out: "
    run rhost types --plugin-dir plugins
    status_is 0
    says odd_good
    says_not odd_nameless
}

@test "what a provider returns against the rules is an error that names it" {
    odd_type odd_nil "attributes: { $named }" <<END
class Puppet::Provider::OddNil::OddNil
  def get(_context); end
end
END
    odd_type odd_words "features: ['custom_insync'], attributes: { $named, size: { type: 'Integer', desc: 'A size.' } }" <<END
class Puppet::Provider::OddWords::OddWords
  def get(_context)
    %w[a b].map { |name| { name: name, ensure: 'present', size: 1 } }
  end

  def insync?(_context, name, _attribute, _is, _should)
    name == 'a' ? 'too small' : true
  end
end
END
    describe_odd
    run gate <<<'resources: [{ odd_nil: a }]'
    status_is 4
    says "get returned nil instead of a list of resources"
    run gate <<<'resources: [{ odd_words: [a, b], size: 2 }]'
    status_is 4
    says 'insync? returned "too small" instead of true, false or nil'
    says "2 resources: 1 ok, 1 failed"
}

@test "of a provider that answers one name at a time, and one that forgets the name, resources are found as in Puppet" {
    odd_type odd_single "features: ['simple_get_filter'], attributes: { $named, size: { type: 'Integer', desc: 'A size.' } }" <<END
class Puppet::Provider::OddSingle::OddSingle
  def get(_context, names = nil)
    file = "$work/#{names.first}"
    File.exist?(file) ? [{ name: names.first, ensure: 'present', size: File.read(file).to_i }, { ensure: 'present', size: 0 }] : []
  end

  def set(_context, changes)
    changes.each { |name, change| File.write("$work/#{name}", change[:should][:size]) }
  end
end
END
    describe_odd
    echo 'resources: [{ odd_single: [a, b, c], size: 2 }]' >site.yaml
    run gate <site.yaml
    status_is 2
    says "3 resources: 3 changed"
    run gate <site.yaml
    status_is 0
    says "get returned a resource without name, with ensure, size"
}

@test "a provider for all types of a device reads its definitions, which have keys of their own" {
    mkdir -p plugins/odd/lib/puppet/transport/schema
    for type in lamp fan; do
        odd_type odd_$type "base_path: '$type', features: %w[remote_resource canonicalize], title_patterns: [
            { pattern: %r{^(?<room>[^/]*)/(?<name>.*)\$}, desc: 'A room and a name.' }], attributes: { $named,
            room: { type: 'String', desc: 'The room.', behaviour: :namevar },
            level: { type: 'Variant[String, Integer[1, 9]]', desc: 'How much.', key: 'lvl', default: 5 } },
            autobefore: { odd_save: 'save' }, autorequire: { odd_room: '\$room' }" <<END
require 'puppet/provider/odd_base'
class Puppet::Provider::Odd${type^}::Odd${type^} < Puppet::Provider::OddBase
end
END
    done
    cat >plugins/odd/lib/puppet/provider/odd_base.rb <<'END'
require 'puppet/resource_api/simple_provider'
class Puppet::Provider::OddBase < Puppet::ResourceApi::SimpleProvider
  def canonicalize(_context, resources)
    resources.each { |r| r[:level] = r[:level].to_s if r.key?(:level) }
  end

  def get(context)
    context.device.read.fetch(context.type.definition[:base_path], {}).map do |title, has|
      room, name = title.split('/')
      levels = context.type.attributes.select { |_, attribute| attribute.key?(:key) }
      { title: title, room: room, name: name, ensure: 'present' }.merge(levels.transform_values { |a| has[a[:key]] })
    end
  end

  def create(context, name, should)
    context.type.definition[:last] = name[:room]
    context.device.write(context.type.definition[:base_path], "#{name[:room]}/#{name[:name]}", { lvl: should[:level] })
  end
  alias update create

  def delete(context, name)
    context.device.write(context.type.definition[:base_path], "#{name[:room]}/#{name[:name]}", nil)
  end
end
END
    odd_type odd_save "features: ['remote_resource'], attributes: { name: { type: 'Enum[\"save\"]', desc: 'Its name.', behaviour: :namevar },
        save: { type: 'Boolean', desc: 'Whether.', defaultto: false } }" <<'END'
class Puppet::Provider::OddSave::OddSave
  def get(context)
    [{ name: 'save', save: !context.transport.unsaved? }]
  end

  def set(context, changes)
    context.updating('save') { context.transport.save } if changes['save'][:should][:save]
  end
end
END
    odd lib/puppet/transport/schema/house.rb <<'END'
Puppet::ResourceApi.register_transport(name: 'house', desc: "A way.\n", features: [], connection_info: {
  path: { type: 'String', desc: 'Where.' }, port: { type: 'Optional[Integer]', desc: 'Its port.' },
  password: { type: 'Optional[String]', desc: 'The password.', sensitive: true } })
END
    odd lib/puppet/transport/house.rb <<'END'
require 'json'
module Puppet::Transport
  class House
    def initialize(_context, info)
      raise Puppet::ResourceError, 'there is no password' unless info.key?(:password)
      @path = info[:path]
    end

    def facts(_context)
      { 'things' => read.length }
    end

    def read
      File.exist?(@path) ? JSON.parse(File.read(@path)) : {}
    end

    def write(base, title, has)
      all = read
      (all[base] ||= {}).update(title => has).compact!
      all['unsaved'] = true
      File.write(@path, JSON.generate(all))
    end

    def unsaved?
      read['unsaved']
    end

    def save
      File.write(@path, JSON.generate(read.reject { |key, _| key == 'unsaved' }))
    end
  end
end
END
    describe_odd
    echo "resources: [{ house: one, path: $work/house.json, password: sesame }]" >targets.yaml
    cat >site.yaml <<'END'
resources:
  - { odd_save: save, save: true }
  - { odd_lamp: hall/top, level: 7 }
  - { odd_lamp: hall/low }
  - { odd_fan: hall/top }
END
    device() { rhost device --plugin-dir plugins --isolation=worker --state-dir "$work/state" --detailed-exitcodes "$@"; }
    run device targets.yaml one site.yaml
    status_is 2
    says "4 resources: 4 changed"
    [ "$(cat house.json)" = '{"lamp":{"hall/top":{"lvl":"7"},"hall/low":{"lvl":"5"}},"fan":{"hall/top":{"lvl":"5"}}}' ]
    run device targets.yaml one site.yaml
    status_is 0
    says "4 resources: 4 ok"
    sed -i 's/level: 7/level: 8/; s|hall/low }|hall/low, ensure: absent }|' site.yaml
    run device targets.yaml one site.yaml
    status_is 2
    [ "$(cat house.json)" = '{"lamp":{"hall/top":{"lvl":"8"}},"fan":{"hall/top":{"lvl":"5"}}}' ]
}

@test "a title without a pattern is the first of several namevars, also where names have capital letters" {
    odd_type odd_seat "attributes: { $named, row: { type: 'Integer', desc: 'Its row.', behaviour: :namevar } }" <<END
require 'puppet/resource_api/simple_provider'
class Puppet::Provider::OddSeat::OddSeat < Puppet::ResourceApi::SimpleProvider
  def get(_context)
    Dir.glob('$work/seat-*').map { |f| File.basename(f).split('-') }.map { |_, name, row| { name: name, row: row.to_i, ensure: 'present' } }
  end

  def create(_context, name, _should)
    File.write("$work/seat-#{name[:name]}-#{name[:row]}", '')
  end
end
END
    odd_type odd_place "title_patterns: [{ pattern: '^(?<HALL_id>[^/]*)/(?<name>.*)\$', desc: 'A hall and a name.' }], attributes: { $named,
        HALL_id: { type: 'String', desc: 'The hall.', behavior: :namevar } }" <<END
class Puppet::Provider::OddPlace::OddPlace
  def get(_context)
    [{ title: 'a/b', HALL_id: 'a', name: 'b', ensure: 'present' }]
  end
end
END
    describe_odd
    cat >site.yaml <<'END'
resources:
  - { odd_seat: left, row: 1 }
  - { type: odd_seat, title: right, attributes: { row: 2 } }
  - { odd_place: a/b }
END
    run gate <site.yaml
    status_is 2
    says "3 resources: 1 ok, 2 changed"
    [ -e seat-left-1 ]
    [ -e seat-right-2 ]
    run gate <site.yaml
    status_is 0
    run gate <<<'resources: [{ odd_seat: left }]'
    status_is 1
    says "'row'"
}

@test "to list all resources, get with a filter is asked for an empty list of names" {
    odd_type odd_listed "features: ['simple_get_filter'], attributes: { $named }" <<'END'
class Puppet::Provider::OddListed::OddListed
  def get(_context, names)
    (names.empty? ? %w[a b] : names & %w[a b c]).map { |name| { name: name, ensure: 'present' } }
  end
end
END
    describe_odd
    run rhost resource --plugin-dir plugins odd_listed
    status_is 0
    says "odd_listed: a"
    says "odd_listed: b"
    run gate <<<'resources: [{ odd_listed: [a, c] }]'
    status_is 0
}

@test "a provider sees a hidden attribute of its type in plain text, and rhost shows it nowhere" {
    odd_type odd_safe "attributes: { $named, code: { type: 'String', desc: 'Its code.', sensitive: true, default: '' },
        old: { type: 'Optional[String]', desc: 'An older one.', sensitive: true } }" <<END
require 'puppet/resource_api/simple_provider'
class Puppet::Provider::OddSafe::OddSafe < Puppet::ResourceApi::SimpleProvider
  def get(_context)
    Dir.glob('$work/*.safe').map { |f| { name: File.basename(f, '.safe'), ensure: 'present', code: File.read(f) } }
  end

  def create(context, name, should)
    context.notice("the code is #{should[:code]}")
    File.write("$work/#{name}.safe", should[:code])
  end
  alias update create
end
END
    describe_odd
    run gate -vv <<<'resources: [{ odd_safe: a, code: hunter2 }]'
    status_is 2
    [ "$(cat a.safe)" = hunter2 ]
    says_not hunter2
    run gate <<<'resources: [{ odd_safe: a, code: hunter2 }]'
    status_is 0
    run gate <<<'resources: [{ odd_safe: a, code: swordfish }]'
    status_is 2
    says_not hunter2
    says_not swordfish
    [ "$(cat a.safe)" = swordfish ]
}

@test "a default that its type refuses is left out, and so is a bound that no integer reaches" {
    odd_type odd_bounds "attributes: { $named, labels: { type: 'Hash', desc: ' ', default: '{}' },
        size: { type: 'Optional[Integer[0, 18446744073709551615]]', desc: 'Its size.' },
        least: { type: \"Variant[Integer[-9223372036854775808, 9], Enum['18446744073709551615']]\", desc: 'Its least.', default: 3 } }" <<<''
    run describe_odd
    status_is 0
    says "the default of attribute 'labels' of type 'odd_bounds' is left out: it expects a Hash value, got String"
    grep -qF 'Optional[Integer[0, default]]' plugins/odd/type.yaml
    grep -qF "Variant[Integer[default, 9], Enum['18446744073709551615']]" plugins/odd/type.yaml
    run rhost describe --plugin-dir plugins odd_bounds
    status_is 0
    says "No description."
}

@test "an error of a provider is shown without the lines of its source" {
    odd_type odd_typo "attributes: { $named }" <<'END'
class Puppet::Provider::OddTypo::OddTypo
  def get(_context)
    secret_of_the_source = nil
    secret_of_the_source.fetch(:names)
  end
end
END
    describe_odd
    run gate <<<'resources: [{ odd_typo: a }]'
    status_is 4
    says "undefined method"
    says_not secret_of_the_source
}

@test "an init-only attribute that get does not return is an error, and with --strict=warning a warning" {
    odd_type odd_user "attributes: { $named, password: { type: 'Optional[Sensitive[String]]', desc: 'Its first one.', behaviour: :init_only } }" <<END
require 'puppet/resource_api/simple_provider'
class Puppet::Provider::OddUser::OddUser < Puppet::ResourceApi::SimpleProvider
  def get(_context)
    Dir.glob('$work/*.user').map { |f| { name: File.basename(f, '.user'), ensure: 'present' } }
  end

  def create(_context, name, should)
    File.write("$work/#{name}.user", should[:password].unwrap)
  end
end
END
    describe_odd
    echo 'resources: [{ odd_user: ann, password: hunter2 }]' >site.yaml
    run gate <site.yaml
    status_is 2
    [ "$(cat ann.user)" = hunter2 ]
    run gate <site.yaml
    status_is 4
    run gate --strict=warning <site.yaml
    status_is 0
    says "init-only attribute 'password' was not compared: the provider does not report it"
}

@test "what is logged about a resource before its block is opened is shown, and the block is opened" {
    odd_type odd_early "attributes: { $named }" <<END
class Puppet::Provider::OddEarly::OddEarly
  def get(_context)
    []
  end

  def set(context, changes)
    changes.each_key do |name|
      context.notice(name, 'thinking')
      context.creating(name) { context.notice(name, 'working') }
    end
  end
end
END
    describe_odd
    run gate -v <<<'resources: [{ odd_early: a }]'
    status_is 2
    says "a: thinking"
    says "odd_early[a]: working"
}

@test "a resource that generates others is refused before anything is changed, and one that does not is served" {
    odd_type odd_chain "features: ['custom_generate'], attributes: { $named, purge: { type: 'Boolean', desc: 'Whether.', default: false } }" <<END
class Puppet::Provider::OddChain::OddChain
  def get(_context)
    []
  end

  def set(_context, changes)
    changes.each_key { |name| File.write("$work/#{name}", '') }
  end

  def generate(_context, _title, _is, should)
    should[:purge] ? Puppet::Type.type(:odd_chain).instances + [:rule] : []
  end
end
END
    describe_odd
    run gate <<<'resources: [{ odd_chain: a, purge: false }, { odd_chain: b, purge: true }]'
    status_is 1
    says "resources that generate others are not supported: it generates other resources"
    [ ! -e a ]
    for _ in 1 2 3; do # Puppet's warning about the feature comes with the greeting, and not after it
        rm -f a
        run gate <<<'resources: [{ odd_chain: a }]'
        status_is 2
        [ -e a ]
    done
}

@test "several modules are served by one program, one with providers and a transport for the types of another" {
    odd types/lib/puppet/type/odd_port.rb <<END
Puppet::ResourceApi.register_type(name: 'odd_port', desc: 'A port.', features: ['remote_resource'], attributes: {
  $named, speed: { type: 'Integer', desc: 'Its speed.' } })
END
    odd acme/lib/puppet/transport/schema/acme.rb <<END
Puppet::ResourceApi.register_transport(name: 'acme', desc: 'A way.', connection_info: { folder: { type: 'String', desc: 'Where.' } })
END
    odd acme/lib/puppet/transport/acme.rb <<'END'
module Puppet::Transport
  class Acme
    attr_reader :folder

    def initialize(_context, info)
      @folder = info[:folder]
    end

    def facts(_context)
      { 'listed' => Puppet::ResourceApi::Transport.list.keys }
    end
  end
end
END
    odd acme/lib/puppet/provider/odd_port/acme.rb <<'END'
require 'puppet/resource_api/simple_provider'
class Puppet::Provider::OddPort::Acme < Puppet::ResourceApi::SimpleProvider
  def get(context)
    device = Puppet::Util::NetworkDevice.current.transport
    raise 'another device' unless device.equal?(context.transport) && device.equal?(context.device)
    Dir.glob("#{device.folder}/*").map { |f| { name: File.basename(f), ensure: 'present', speed: File.read(f).to_i } }
  end

  def create(context, name, should)
    File.write("#{context.transport.folder}/#{name}", should[:speed].to_s)
  end
end
END
    mkdir device
    describe_odd
    echo "resources: [{ acme: one, folder: $work/device }]" >targets.yaml
    echo "resources: [{ odd_port: eth0, speed: 100 }]" >site.yaml
    device() { rhost device --plugin-dir plugins --isolation=worker --state-dir "$work/state" "$@"; }
    run device --detailed-exitcodes targets.yaml one site.yaml
    status_is 2
    [ "$(cat device/eth0)" = 100 ]
    run device targets.yaml one
    status_is 0
    says '"acme"'
}
