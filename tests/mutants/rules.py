# SPDX-License-Identifier: Apache-2.0
"""The rules that make mutants of a line of C.

What no test can notice is not mutated, by rule:
- memory that is not freed and descriptors that are not closed at the end, messages at debug level, va_end();
- the check of a system call that fails, and what only passes such a failure on: an error check and an error
  return are mutated where some test meets the error. On a sound machine system calls don't fail; make
  check-campaign makes each of them fail, and looks at what becomes of it;
- the report of a system call that failed (rh_error_system, rhost_fail_errno), in the same way;
- what is executed when memory is used up: the process ends;
- O_NOFOLLOW beside O_CREAT | O_EXCL, which follows no link either, and O_DIRECTORY of ".", which is one;
- that a provider's own callback returns -1: the host takes the reason that was given for a failure, whatever is
  returned, but for suits(). That what helpers return is heeded is mutated; in canonicalize it is not where the next
  line returns -1: it changes nothing but the value, which is refused with the first reason.
"""
import re

DISPENSABLE = re.compile(r"\b(free|close|closedir|fclose|rh_debug|rhost_debug|memset|umask|va_end|\w+_clear|"
                         r"\w+_free|\w+_unref|mnt_free_\w+|mnt_unref_\w+|curl_slist_free_all)\(")

CALL = re.compile(r"^    +(?:\(void\))?[a-z_]+\w*\([^=;{}]*\);$")
CONDITION = re.compile(r"^( +(?:\} else )?if )\((.*)\)( \{)?$")


# Calls of the system, and of the C library, that fail only when the machine does.
SYSTEM = frozenset("""
    accept access bind chdir chmod chown clock_gettime clone close close_range closedir connect dup dup2 dup3 execve
    fallocate fchdir fchmod fchmodat fchown fchownat fclose fcntl fdatasync fdopen fdopendir fflush fgetxattr
    flistxattr flock fopen fork fprintf fputc fputs fread fremovexattr fseek fsetxattr fstat fstatat fstatfs fsync
    ftruncate fwrite getdents getline getpwnam_r getrandom getrlimit getsockopt getxattr inotify_init1 ioctl kill
    lchown lgetxattr link linkat listen llistxattr lseek lsetxattr lstat memfd_create mkdir mkdirat mkstemp mmap
    mount mprotect munmap open openat opendir openat2 pipe pipe2 poll posix_spawn ppoll prctl pread pwrite read
    readdir readlink readlinkat realpath recv recvmsg rename renameat renameat2 rewinddir rmdir select send sendmsg
    setgid setgroups setpgid setpriority setrlimit setsid setsockopt setuid sigaction sigprocmask snprintf socket
    socketpair stat statfs statx symlink symlinkat sync syncfs timerfd_create truncate umask umount2 unlink
    unlinkat unshare utimensat vsnprintf wait waitid waitpid write writev""".split())

COMPARING = ("strcmp", "strncmp", "memcmp", "strcasecmp", "strncasecmp")


def callee(code, end, before):
    """The name of the function whose result stands before `end`, also by way of a variable set a few lines above."""
    text = code[:end]
    if text.endswith(")"):
        depth = 0
        for i in range(len(text) - 1, -1, -1):
            depth += (text[i] == ")") - (text[i] == "(")
            if depth == 0:
                m = re.search(r"(\w+)$", text[:i])
                if m:
                    return m.group(1)
                m = re.match(r"\(\w+ = (\w+)\(", text[i:])
                return m.group(1) if m else None
        return None
    m = re.search(r"((?:\w|->|\.)+)$", text)
    if m:
        for line in reversed(before[-4:]):
            set_by = re.search(r"(?:^|[ *])%s = (\w+)\(" % re.escape(m.group(1)), line)
            if set_by:
                return set_by.group(1)
    return None


def checks_system(line, before):
    """Whether the line is a condition that only a failing system call meets."""
    m = re.search(r"(.*) < 0\)(?: \{)?$", line)
    return bool(m) and "&&" not in line and "||" not in line and callee(line, m.end(1), before) in SYSTEM


# Rules for errors: mutants of them need a test that meets the error, on the line itself or on the next one.
MEETS_ERROR = {"drop an error": 0, "drop an error check": 1}

# What reports a failure of the system or of memory.
REPORT = re.compile(r"\b(rh_error_system|rhost_fail_errno|rh_out_of_memory|abort|_exit)\(")


def needs_error(rule, line):
    """0 or 1, where a mutant needs a test that meets the error: on the line, or on the next one. None without."""
    if rule == "drop a call" and REPORT.search(line):
        return 0
    return MEETS_ERROR.get(rule)

SLOTS = "act|canonicalize|converge|create|get|insync|load|open|remove|set|update"
CALLBACK = re.compile(r"^ +\.(?:%s) *= (\w+),$" % SLOTS, re.M)
CANONICALIZE = re.compile(r"^ +\.canonicalize *= (\w+),$", re.M)


def function_of(lines, number):
    """The name of the function that has the line."""
    for line in reversed(lines[:number]):
        m = re.match(r"(\w+)\(", line)
        if m:
            return m.group(1)
    return None


def balanced(text):
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return depth == 0


def rules(line, before=()):
    """Each (rule, new line) for a line of C; `before` is the lines above it."""
    stripped = line.strip()
    if not stripped or stripped.startswith(("/*", "*", "//", "#", "static const", "enum")):
        return
    code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda m: "\0" * len(m.group()), line)

    def put(match, text):
        return line[: match.start()] + text + line[match.end():]

    if CALL.match(line) and balanced(line) and not DISPENSABLE.search(line):
        yield "drop a call", re.match(r" *", line).group() + ";"
    m = CONDITION.match(line)
    if m and balanced(m.group(2)):
        yield "negate a condition", "%s(!(%s))%s" % (m.group(1), m.group(2), m.group(3) or "")
    for old, new in ((" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > ")):
        for m in re.finditer(re.escape(old) + r"(?!0)", code):
            yield "off by one", put(m, new)
    for m in re.finditer(r" ([+-]) 1\b(?!\.)", code):
        yield "off by one", put(m, " %s 0" % m.group(1))
    for m in re.finditer(r" < 0\b", code):
        whose = callee(code, m.start(), before)
        if whose in COMPARING:
            yield "swap an order", put(m, " > 0")
        elif whose not in SYSTEM:
            yield "drop an error check", put(m, " < -9")
    if stripped == "return -1;" and not (before and checks_system(before[-1], before[:-1])):
        yield "drop an error", line.replace("-1", "0")
    for m in re.finditer(r"\b(O_EXCL|O_NOFOLLOW|O_TRUNC|O_APPEND|O_DIRECTORY|O_NONBLOCK) \| ", code):
        if m.group(1) == "O_NOFOLLOW" and "O_CREAT | O_EXCL" in code:
            continue
        if m.group(1) == "O_DIRECTORY" and '"."' in line:
            continue
        yield "drop a flag", put(m, "")
    for m in re.finditer(r"\bAT_SYMLINK_NOFOLLOW\b", code):
        yield "drop a flag", put(m, "0")
    for m in re.finditer(r" (&&|\|\|) ", code):
        yield "swap and, or", put(m, " || " if m.group(1) == "&&" else " && ")
    for m in re.finditer(r"\b0[0-7]{3}\b", code):
        # Not the bits that the usual umask clears.
        yield "change a constant", put(m, "0%03o" % (int(m.group(), 8) ^ 0o44))
    for m in re.finditer(r"\breturn (true|false);", code):
        yield "swap a result", put(m, "return %s;" % ("false" if m.group(1) == "true" else "true"))
    for m in re.finditer(r" (==|!=) ", code):
        yield "negate a comparison", put(m, " != " if m.group(1) == "==" else " == ")
