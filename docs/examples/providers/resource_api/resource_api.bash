# SPDX-License-Identifier: Apache-2.0
# Types of a Puppet module, served by resource_api.rb: what its tests share. They need Ruby, puppet and the gem
# puppet-resource_api, which ./bootstrap does not install; without them they are skipped.

example=$abs_top_srcdir/docs/examples/providers/resource_api

# Ruby with puppet takes a second to start, most of it to compile its files: their code is kept for the other starts.
setup_file() {
    export WHY=''
    ruby -e 'require "puppet/resource_api"' 2>/dev/null || {
        WHY="needs ruby, puppet and puppet-resource_api"
        return 0
    }
    mkdir -p "$BATS_FILE_TMPDIR/bin" "$BATS_FILE_TMPDIR/code"
    cat >"$BATS_FILE_TMPDIR/keep.rb" <<END
class RubyVM::InstructionSequence
  def self.load_iseq(path)
    return if path.start_with?('$BATS_RUN_TMPDIR')
    kept = "$BATS_FILE_TMPDIR/code/#{path.tr('/', '%')}"
    return load_from_binary(File.binread(kept)) if File.exist?(kept)
    code = compile_file(path)
    File.binwrite("#{kept}.#{Process.pid}", code.to_binary)
    File.rename("#{kept}.#{Process.pid}", kept)
    code
  end
end
END
    printf '#!/bin/sh\nexec %s -r%s "$@"\n' "$(command -v ruby)" "$BATS_FILE_TMPDIR/keep.rb" >"$BATS_FILE_TMPDIR/bin/ruby"
    chmod 755 "$BATS_FILE_TMPDIR/bin/ruby"
    export PATH="$BATS_FILE_TMPDIR/bin:$PATH"
}

setup() {
    work_open
    [ -z "$WHY" ] || skip "$WHY"
    cp -R "$example" plugins-gate
    mkdir plugins
    mv plugins-gate plugins/gate
    export TMPDIR=$work
}

# Rules, lists and so on, from a manifest on standard input.
gate() {
    apply --plugin-dir plugins --isolation=worker --detailed-exitcodes "$@"
}
