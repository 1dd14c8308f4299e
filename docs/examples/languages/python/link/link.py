# SPDX-License-Identifier: Apache-2.0
"""link - the plugin of the same name once more, in Python: it passes the same tests."""
import errno
import json
import os
import secrets
import sys


def say(**answer):
    print(json.dumps(answer))


def get(path):
    try:
        say(resource={"path": path, "ensure": "present", "target": os.readlink(path)})
    except OSError as e:
        # What is not a link counts as absent here: `change` knows whether it may be replaced. A directory may not.
        if os.path.isdir(path) and not os.path.islink(path):
            raise IsADirectoryError(f"'{path}' is a directory, not a link") from e
        if e.errno not in (errno.ENOENT, errno.EINVAL):
            raise


def change(path, should):
    if should is None or should["ensure"] == "absent":
        os.unlink(path)
        return
    if os.path.lexists(path) and not os.path.islink(path) and not should["force"]:
        raise OSError(f"'{path}' exists, but is not a link")
    # The link is made beside its place and renamed into it, so that no reader finds the path missing.
    # Its name is a random one, and symlink() fails where there is something: it is nobody else's file.
    beside = os.path.join(os.path.dirname(path), ".link-" + secrets.token_hex(8))
    os.symlink(should["target"], beside)
    try:
        os.rename(beside, path)
    except OSError:
        os.unlink(beside)
        raise


for line in sys.stdin:
    [(verb, asked)] = json.loads(line).items()
    if verb == "hello":
        say(hello={"protocol": 1})
    elif verb == "get":
        try:
            for name in asked["names"] or []:
                get(name["path"])
        except OSError as e:
            say(failed={"message": str(e)})
        say(done=True)
    elif verb == "set":
        for c in asked["changes"]:
            try:
                change(c["name"]["path"], c["should"])
                say(changed={"title": c["title"]})
            except OSError as e:
                say(failed={"title": c["title"], "message": str(e)})
        say(done=True)
    sys.stdout.flush()
