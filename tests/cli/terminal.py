# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a terminal: terminal.py [--columns=N] [--press=TEXT]... COMMAND...

The file `raw` gets all that it wrote, `screens` each screen that it left while it waited, with a line "--" behind it, and
`screen` the last one. Ctrl-C is pressed when TEXT is on the screen, once for each --press, half a second apart at
least. Exits with the status of the command, 128 and the signal when one ended it.
"""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
import unicodedata


class Screen:
    def __init__(self, columns):
        self.columns = columns
        self.lines = [[]]
        self.row = self.column = 0

    def put(self, c):
        width = 2 if unicodedata.east_asian_width(c) in "WF" else 1
        if self.column + width > self.columns:
            self.down()
            self.column = 0
        line = self.lines[self.row]
        line.extend([" "] * (self.column + width - len(line)))
        line[self.column:self.column + width] = [c] + [""] * (width - 1)
        self.column += width

    def down(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append([])

    def write(self, text):
        for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.", text, re.S):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.down()
            elif part == "\x1b[J":
                self.lines = self.lines[:self.row + 1]
                self.lines[self.row] = self.lines[self.row][:self.column]
            elif part == "\x1b[A":
                self.row = max(0, self.row - 1)
            elif part.startswith("\x1b[") and part.endswith("m"):
                pass
            elif part < " ":
                raise SystemExit("terminal.py: unknown control %r" % part)
            else:
                self.put(part)

    def text(self):
        return "".join("".join(line).rstrip() + "\n" for line in self.lines)


def main():
    columns, press, args = 80, [], sys.argv[1:]
    while args[0].startswith("--"):
        name, value = args.pop(0).split("=", 1)
        if name == "--columns":
            columns = int(value)
        else:
            press.append(value)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    pid = os.fork()
    if pid == 0:
        os.close(master)
        os.login_tty(slave) if hasattr(os, "login_tty") else login(slave)
        os.execvp(args[0], args)
    os.close(slave)
    screen, pressed = Screen(columns), 0.0
    waiting = b""
    with open("raw", "wb") as raw, open("screens", "w") as screens:
        while True:
            ready = select.select([master], [], [], 0.02)[0]
            if ready:
                try:
                    chunk = os.read(master, 65536)
                except OSError:
                    break
                if not chunk:
                    break
                raw.write(chunk)
                waiting += chunk
                continue
            try:
                text = waiting.decode()
            except UnicodeDecodeError:
                continue
            waiting = b""
            if text:
                screen.write(text)
                screens.write(screen.text() + "--\n")
                screens.flush()
            if press and press[0] in screen.text() and time.monotonic() - pressed > 0.7:
                os.write(master, b"\x03")
                pressed = time.monotonic()
                press.pop(0)
    screen.write(waiting.decode(errors="replace"))
    with open("screen", "w") as f:
        f.write(screen.text())
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(status if status >= 0 else 128 - status)


def login(slave):
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(slave, fd)


main()
