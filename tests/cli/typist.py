# SPDX-License-Identifier: Apache-2.0
"""Types into an interactive shell: typist.py SHELL SETUP TEXT

SHELL is bash or zsh, SETUP a file that the shell reads first. TEXT is typed ("\\t" for the tab key), and the line that
the shell then has is printed. A key that the setup binds here writes it to a file, so that nothing depends on time.
"""
import os
import pty
import select
import sys
import tempfile
import time

BASH = r"""
PS1='READY> '
bind 'set bell-style none'
bind 'set page-completions off'
bind 'set completion-query-items 0'
bind 'set enable-bracketed-paste off'
_typist() { printf '%s' "$READLINE_LINE" >"$TYPIST.new" && mv "$TYPIST.new" "$TYPIST"; }
bind -x '"\C-xd": _typist'
"""
ZSH = r"""
PS1='READY> '
unsetopt prompt_sp zle_bracketed_paste
LISTMAX=-1
zstyle ':completion:*' menu no
_typist() { print -rn -- "$BUFFER" >"$TYPIST.new" && mv "$TYPIST.new" "$TYPIST" }
zle -N _typist
bindkey -e
bindkey '^Xd' _typist
"""


def main():
    shell, setup, text = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home:
        line = os.path.join(home, "line")
        with open(setup, encoding="utf-8") as f:
            own = f.read()
        name = ".zshrc" if shell == "zsh" else "rc"
        with open(os.path.join(home, name), "w", encoding="utf-8") as f:
            f.write(own + (ZSH if shell == "zsh" else BASH))
        command = ["zsh", "-d", "-i"] if shell == "zsh" else ["bash", "--noprofile", "--rcfile", os.path.join(home, name), "-i"]
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update(TYPIST=line, ZDOTDIR=home, TERM="dumb" if shell == "bash" else "vt100", HISTFILE="/dev/null",
                              LC_ALL="C.UTF-8", COLUMNS="200")
            os.execvp(command[0], command)
        shown, typed, end = b"", False, time.monotonic() + 120
        try:
            while time.monotonic() < end and not os.path.exists(line):
                if select.select([fd], [], [], 0.05)[0]:
                    try:
                        part = os.read(fd, 65536)
                    except OSError:
                        break
                    if not part:
                        break
                    shown += part
                if not typed and b"READY> " in shown:
                    os.write(fd, text.replace("\\t", "\t").encode() + b"\x18d")
                    typed = True
            if not os.path.exists(line):
                sys.exit("no line; the shell printed: %r" % shown)
            with open(line, encoding="utf-8") as f:
                print(f.read())
        finally:
            os.close(fd)
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
            os.waitpid(pid, 0)


main()
