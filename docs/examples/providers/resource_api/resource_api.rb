# SPDX-License-Identifier: Apache-2.0
# frozen_string_literal: true

# resource_api - serves the Puppet Resource API types of a module, unchanged, as an executable provider.
#
#   ruby resource_api.rb --describe [LIB...] >type.yaml    writes the description that rhost reads
#   ruby resource_api.rb [LIB...]                          answers rhost; type.yaml names it as the program
#
# Each LIB is the lib/ directory of a module; without one, it is lib/ beside this file, and */lib/ for a module that
# needs others. It needs puppet, and the gem puppet-resource_api.

# What modules print goes to the log, and not among the answers.
OUT = $stdout.dup
$stdout.reopen($stderr)

require 'json'
require 'puppet'
require 'puppet/resource_api'
require 'yaml'

# What went wrong, without the lines of source that Ruby adds to some messages.
def why(error)
  error.respond_to?(:original_message) ? error.original_message : error.message
end

# What the modules register, in Puppet as well: providers ask for Puppet::Type.type(:x), and Transport.connect.
module Registered
  TYPES = {}
  TRANSPORTS = {}

  def self.load_from(libs)
    $LOAD_PATH.unshift(*libs)
    %w[transport/schema type].each do |folder|
      libs.flat_map { |lib| Dir.glob("#{lib}/puppet/#{folder}/*.rb").sort }.each do |file|
        load(file) if File.read(file).include?('ResourceApi')
      rescue StandardError, LoadError, SyntaxError => e
        left_out(file, why(e))
      end
    end
  end

  def self.left_out(what, why)
    warn("#{what} is left out: #{why}")
  end
end

module Puppet::ResourceApi
  class << self
    alias register_with_puppet register_type
    alias register_transport_with_puppet register_transport
  end

  def self.register_type(definition)
    register_with_puppet(definition)
    registered = Puppet::Type.type(definition[:name].to_sym)
    Registered::TYPES[definition[:name]] = registered.respond_to?(:type_definition) ? registered.type_definition : TypeDefinition.new(definition)
  end

  def self.register_transport(schema)
    register_transport_with_puppet(schema)
    Registered::TRANSPORTS[schema[:name]] = TransportSchemaDef.new(schema)
  end
end

# Names of attributes: rhost has no capital letters in them.
module Names
  def self.in(type, name)
    type.attributes.key?(name.to_sym) ? name.to_sym : type.attributes.keys.find { |key| out(key) == name.to_s } || name.to_sym
  end

  def self.out(name)
    name.to_s.downcase
  end

  # Hidden by rhost. The provider of a type sees its text, as in Puppet, and a transport a sensitive value.
  def self.hidden?(attribute)
    attribute[:sensitive] && !attribute[:type].include?('Sensitive')
  end
end

# type.yaml, out of the definitions
module Describe
  FEATURES = %w[canonicalize custom_insync remote_resource simple_get_filter supports_noop].freeze
  RELATIONS = %i[autorequire autobefore autosubscribe autonotify].freeze

  def self.all(program)
    types = Registered::TYPES.select { |name, type| described?(name, type) }.transform_values { |type| type(type) }
    described = { 'version' => '1.0', 'program' => ['ruby', *program], 'pass_environment' => %w[HOME PATH LANG TMPDIR http_proxy https_proxy no_proxy], 'types' => types }
    transports = Registered::TRANSPORTS.transform_values { |transport| transport(transport.definition) }
    described['transports'] = transports unless transports.empty?
    JSON.parse(JSON.generate(described))
  end

  # A resource without a name cannot be told from another one.
  def self.described?(name, type)
    type.namevars.any? || Registered.left_out("type '#{name}'", 'none of its attributes is a namevar')
  end

  def self.type(type)
    definition = type.definition
    described = { 'desc' => text(definition[:desc] || definition[:docs]),
                  'features' => (definition[:features] & FEATURES) + %w[batch loose_equality],
                  'attributes' => definition[:attributes].to_h { |name, attribute| [Names.out(name), attribute(attribute, "attribute '#{name}' of type '#{type.name}'")] } }
    described['features'] << 'validate' if definition[:features].include?('custom_generate')
    patterns = title_patterns(type)
    described['title_patterns'] = patterns unless patterns.empty?
    RELATIONS.each do |relation|
      targets = (definition[relation] || {}).to_h { |type, titles| [type, titles(definition, relation, titles)] }
      targets.delete_if { |_, titles| titles.empty? }
      described[relation] = targets.transform_values { |t| t.one? ? t.first : t } unless targets.empty?
    end
    described
  end

  # With several namevars and no pattern of its own, the title is the first of them, as in Puppet.
  def self.title_patterns(type)
    patterns = (type.definition[:title_patterns] || []).map { |p| Regexp.new(p[:pattern]).source }
    patterns = ["\\A(?<#{type.namevars.first}>.*)\\z"] if patterns.empty? && type.namevars.length > 1
    patterns.map { |pattern| pattern.gsub(/\(\?<(?=\w)\w+>/) { |group| Names.out(group) } }
  end

  # What a relation names: a title, or "$attribute". Puppet ignores it when there is no such attribute.
  def self.titles(definition, relation, titles)
    Array(titles).map(&:to_s).select do |title|
      attribute = title[/\A\$(\w+)\z/, 1]
      attribute.nil? || definition[:attributes].key?(attribute.to_sym) ||
        Registered.left_out("#{relation} of type '#{definition[:name]}'", "there is no attribute '#{attribute}'")
    end.map { |title| title.sub(/\A\$\w+\z/, &:downcase) }
  end

  def self.text(desc)
    desc.to_s.strip.empty? ? 'No description.' : desc.strip
  end

  def self.transport(schema)
    { 'desc' => text(schema[:desc]), 'features' => %w[facts verify],
      'attributes' => schema[:connection_info].to_h { |name, attribute| [name, attribute(attribute, "attribute '#{name}' of transport '#{schema[:name]}'")] } }
  end

  def self.attribute(attribute, what)
    type = bounded(attribute[:type].strip)
    type = type.start_with?('Optional[') ? "Optional[Sensitive[#{type[9..]}]" : "Sensitive[#{type}]" if Names.hidden?(attribute)
    behaviour = attribute[:behaviour] || attribute[:behavior]
    described = { 'type' => type, 'desc' => text(attribute[:desc]) }
    described['behaviour'] = behaviour if behaviour
    default = default(attribute, what) unless behaviour == :read_only
    described['default'] = default unless default.nil?
    described
  end

  # No integer of 64 bits is beyond such a bound, as that of an unsigned one.
  def self.bounded(type)
    type.gsub(/\bInteger\[[^\[\]]*\]/) { |range| range.gsub(/-?\d{19,}/) { |n| n.to_i.abs < 2**63 ? n : 'default' } }
  end

  # 'true' for a Boolean, '10' for an Integer: Puppet reads such a default as it reads what a person types. One that the type
  # does not accept fails each resource that relies on it in Puppet.
  def self.default(attribute, what)
    return if attribute[:default].nil?

    type = Puppet::Pops::Types::TypeParser.singleton.parse(attribute[:type])
    type.instance?(attribute[:default]) ? attribute[:default] : Puppet::ResourceApi::DataTypeHandling.mungify(type, attribute[:default], 'it', true)
  rescue StandardError => e
    Registered.left_out("the default of #{what}", why(e))
  end
end

# Values as the protocol has them, in both directions; names of attributes are symbols in Ruby.
module Value
  SENSITIVE = Puppet::Pops::Types::PSensitiveType::Sensitive

  def self.in(value)
    case value
    when Array then value.map { |v| self.in(v) }
    when Hash
      case value['__ptype']
      when nil then value.transform_values { |v| self.in(v) }
      when 'Sensitive' then SENSITIVE.new(self.in(value['__pvalue']))
      when 'Binary' then Puppet::Pops::Types::PBinaryType::Binary.from_base64(value['__pvalue'])
      when 'hash' then value['__pvalue'].each_slice(2).to_h { |k, v| [k, self.in(v)] }
      when 'Float' then { 'NaN' => Float::NAN, 'Infinity' => Float::INFINITY, '-Infinity' => -Float::INFINITY }[value['__pvalue']]
      else value['__pvalue']
      end
    else value
    end
  end

  def self.out(value)
    case value
    when SENSITIVE then { '__ptype' => 'Sensitive', '__pvalue' => out(value.unwrap) }
    when Array then value.map { |v| out(v) }
    when Hash
      pairs = value.map { |k, v| [k.to_s, out(v)] }
      pairs.any? { |k, _| k == '__ptype' } ? { '__ptype' => 'hash', '__pvalue' => pairs.flatten(1) } : pairs.to_h
    when nil, true, false, Integer, String then value
    when Float then value.finite? ? value : { '__ptype' => 'Float', '__pvalue' => value.to_s }
    when Puppet::Pops::Types::PBinaryType::Binary then { '__ptype' => 'Binary', '__pvalue' => value.to_s }
    else value.to_s
    end
  end

  def self.resource(type, hash)
    hash && hash.to_h do |k, v|
      name = Names.in(type, k)
      value = self.in(v)
      plain = value.is_a?(SENSITIVE) && type.is_a?(Puppet::ResourceApi::TypeDefinition) && Names.hidden?(type.attributes[name] || {})
      [name, plain ? value.unwrap : value]
    end
  end

  def self.resource_out(hash)
    out(hash.transform_keys { |k| Names.out(k) })
  end
end

def say(word, what)
  OUT.puts(JSON.generate(word => what))
  OUT.flush
end

# The context of the specification: blocks, reports and log lines become lines of the protocol.
class Context < Puppet::ResourceApi::BaseContext
  attr_accessor :transport, :titles # name of a resource => its title in the manifest

  def device
    transport || raise('This type is managed by "rhost device" only.')
  end

  %i[debug info notice warning err].each do |level|
    define_method(level) do |*args|
      about = args.length > 1 ? title_of(args.first) : nil
      line = { level: level, text: (args.length > 1 ? args[1..] : args).join(', ') }
      # A block of this resource may still be opened, and must then come first.
      about && @depth.to_i.positive? ? line[:title] = about : line[:text] = [about, line[:text]].compact.join(': ')
      say(:log, line)
    end
  end

  %i[creating updating deleting].each do |doing|
    define_method(doing) { |titles, message: nil, &block| around({ doing: doing, titles: these(titles), message: message }, &block) }
  end

  def processing(title, is, should, message: nil, &block)
    around({ doing: :processing, titles: these(title), is: Value.out(is), should: Value.out(should), message: message }, &block)
  end

  def failing(titles, message: nil, &block)
    around({ doing: :failing, titles: these(titles), message: message }, &block)
  end

  %i[created updated deleted].each do |done|
    define_method(done) { |titles, message: nil| these(titles).each { |title| say(:changed, { title: title, message: message }) } }
  end

  def processed(title, is, should)
    (should || {}).each do |attribute, value|
      next if %i[title].include?(attribute) || type.attributes.dig(attribute, :behaviour) || value == (is || {})[attribute]

      attribute_changed(title, attribute, (is || {})[attribute], value)
    end
    these(title).each { |t| say(:changed, { title: t }) }
  end

  def failed(titles, message: 'Failed')
    these(titles).each { |title| say(:failed, { title: title, message: message }) }
  end

  def attribute_changed(title, attribute, is, should, message: nil)
    these(title).each do |t|
      say(:changed, { title: t, attribute: Names.out(attribute), is: Value.out(is), should: Value.out(should), message: message })
    end
  end

  private

  def title_of(name)
    (titles || {})[name.is_a?(Hash) ? name.slice(*type.namevars) : name]
  end

  def these(names)
    (names.is_a?(Array) ? names : [names]).map do |name|
      title_of(name) || raise(ArgumentError, "`#{name}` is not one of the resources of this call")
    end
  end

  # An ordinary error fails the resources of the block, and the work goes on.
  def around(begin_of)
    say(:begin, begin_of.compact)
    @depth = @depth.to_i + 1
    failed = nil
    begin
      yield
    rescue StandardError => e
      failed = why(e)
    end
    @depth -= 1
    say(:end, failed ? { failed: failed } : {})
  end
end

# What Puppet itself logs
Puppet::Util::Log.newdesttype(:rhost) do
  def handle(message)
    level = { debug: :debug, info: :info, notice: :info, warning: :warning }.fetch(message.level, :err)
    say(:log, { level: level, text: message.message.to_s })
  end
end

# The answers to questions
class Server
  def initialize
    @contexts = {}
    @providers = {}
    @reads_lists = {} # by type: get answers several names at once
  end

  def run
    $stdin.each_line do |line|
      verb, asked = JSON.parse(line).first
      next hello(asked) if verb == 'hello'

      begin
        public_send("on_#{verb}", asked)
      rescue StandardError, LoadError => e
        say(:failed, { message: "#{why(e)}#{" (#{e.backtrace.first})" if @debug}" })
      end
      say(:done, true)
    end
  end

  # What was logged while the modules were loaded is said here, before the answer.
  def hello(asked)
    @debug = asked['debug']
    Puppet[:log_level] = @debug ? :debug : :notice
    Puppet[:strict] = asked['strict'].to_sym
    Puppet::Util::Log.newdestination(:rhost)
    say(:hello, { protocol: 1 })
  end

  def on_get(asked)
    type = type_of(asked)
    names = asked['names']&.map { |name| key_of(type, Value.resource(type, name)) }
    found = type.feature?('simple_get_filter') ? get_named(type, names) : read(type, context(type))
    found.each do |resource|
      resource = resource.reject { |key, value| value.nil? || (key == :title && type.title_patterns.empty?) }
      if named?(type, resource)
        say(:resource, Value.resource_out(resource))
      else # nothing in a manifest is it, as in Puppet
        context(type).warning("get returned a resource without #{type.namevars.join(', ')}, with #{resource.keys.join(', ')}")
      end
    end
  end

  def on_set(asked)
    type = type_of(asked)
    changes = asked['changes'].to_h { |c| change(type, c) }
    context(type).titles = asked['changes'].to_h { |c| [key_of(type, Value.resource(type, c['name'])), c['title']] }
    if type.feature?('supports_noop')
      provider(type).set(context(type), changes, noop: asked['noop'])
    else
      provider(type).set(context(type), changes)
    end
  ensure
    context(type).titles = nil
  end

  # Each by itself when all together are refused: only those that are wrong fail.
  def on_canonicalize(asked)
    type = type_of(asked)
    resources = asked['resources'].map { |r| Value.resource(type, r) }
    all = provider(type).canonicalize(context(type), Marshal.load(Marshal.dump(resources)))
    raise 'canonicalize returned another number of resources' if all.length != resources.length

    all.each { |r| say(:resource, Value.resource_out(r)) }
  rescue StandardError
    resources.each do |r|
      say(:resource, Value.resource_out(provider(type).canonicalize(context(type), [r]).first))
    rescue StandardError => e
      say(:failed, { message: why(e) })
    end
  end

  def on_insync(asked)
    type = type_of(asked)
    asked['changes'].each do |c|
      name, states = change(type, c)
      c['attributes'].each do |attribute|
        result, message = provider(type).insync?(context(type), name, attribute ? Names.in(type, attribute) : :rsapi_custom_insync_trigger,
                                                 states[:is], states[:should])
        raise "insync? returned #{result.inspect} instead of true, false or nil" unless [true, false, nil].include?(result)

        say(:insync, { title: c['title'], attribute: attribute, result: result }.merge({ message: message }.compact))
      rescue StandardError => e
        say(:failed, { message: why(e) })
      end
    end
  end

  # What generates other resources cannot be served: rhost knows all of them before it changes anything.
  def on_validate(asked)
    type = type_of(asked)
    resource = Value.resource(type, asked['resource'])
    key = key_of(type, resource)
    title = key.is_a?(Hash) ? key.values.join('/') : key
    return if Array(provider(type).generate(context(type), title, nil, resource)).empty?

    raise 'it generates other resources'
  rescue StandardError => e
    say(:failed, { message: "resources that generate others are not supported: #{why(e)}" })
  end

  def on_connect(asked)
    name = asked['transport']
    schema = Registered::TRANSPORTS.fetch(name)
    require "puppet/transport/#{name}"
    info = Value.resource(schema, asked['info']).reject { |key, _| key == :target }
    @transport_name = name
    @transport_context = Context.new(schema)
    @transport = Puppet::Transport.const_get(camel(name)).new(@transport_context, info)
    Puppet::ResourceApi::Transport.inject_device(name, @transport)
    @providers.clear # those that were asked before were not for this device
  end

  def on_verify(_asked)
    @transport.verify(@transport_context) if @transport.respond_to?(:verify)
  end

  def on_facts(_asked)
    say(:facts, Value.out(@transport.facts(@transport_context)))
  end

  def on_disconnect(_asked)
    @transport.close(@transport_context) if @transport.respond_to?(:close)
    @transport = nil
    @providers.clear
  end

  private

  def read(type, *arguments)
    found = provider(type).get(*arguments)
    found.is_a?(Array) ? found : raise("get returned #{found.inspect} instead of a list of resources")
  end

  # Puppet asks for one name at a time, and some providers answer only the first of several. For all of them, it asks for none.
  def get_named(type, names)
    found = read(type, context(type), names || [])
    return found if names.nil? || names.length < 2

    missing = names - found.map { |resource| key_of(type, resource) }
    @reads_lists[type] ||= missing.length < names.length - 1
    return found if @reads_lists[type]

    found + missing.flat_map { |name| read(type, context(type), [name]) }
  end

  def named?(type, resource)
    type.namevars.none? { |namevar| resource[namevar].nil? }
  end

  def type_of(asked)
    Registered::TYPES.fetch(asked['type'])
  end

  def context(type)
    (@contexts[type] ||= Context.new(type)).tap { |c| c.transport = @transport }
  end

  # A provider that is made for the transport goes before the type's own.
  def provider(type)
    @providers[type] ||= begin
      name = type.name
      Puppet::Provider.const_set(camel(name), Module.new) unless Puppet::Provider.const_defined?(camel(name), false)
      begin
        raise LoadError unless @transport_name

        require "puppet/provider/#{name}/#{@transport_name}"
        Puppet::Provider.const_get(camel(name)).const_get(camel(@transport_name)).new
      rescue LoadError
        require "puppet/provider/#{name}/#{name}"
        Puppet::Provider.const_get(camel(name)).const_get(camel(name)).new
      end
    end
  end

  def camel(name)
    name.split('_').map(&:capitalize).join
  end

  # What Puppet calls a resource: the value of its only namevar, or a hash of all.
  def key_of(type, name)
    type.namevars.length == 1 ? name[type.namevars.first] : name.slice(*type.namevars)
  end

  def change(type, asked)
    name = Value.resource(type, asked['name'])
    gone = type.ensurable? ? name.merge(ensure: 'absent') : name
    key = key_of(type, name)
    [key, { is: Value.resource(type, asked['is']) || gone.merge(title: key), should: Value.resource(type, asked['should']) || gone }]
  end
end

describe = ARGV.delete('--describe')
libs = ARGV.map { |lib| File.expand_path(lib) }
libs = Dir.glob("#{__dir__}/{lib,*/lib}").sort if libs.empty?
abort('there is no lib/ directory of a module') if libs.empty?
Puppet.initialize_settings([], false)
Registered.load_from(libs)
if describe
  OUT.puts('# SPDX-License-Identifier: Apache-2.0', "# Written by #{File.basename(__FILE__)} --describe",
           YAML.dump(Describe.all(["./#{File.basename(__FILE__)}", *(ARGV.empty? ? [] : libs)])).sub("---\n", ''))
else
  Server.new.run
end
