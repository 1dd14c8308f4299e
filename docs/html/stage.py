#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Collects the pages of the manual for Sphinx.

    stage.py TREE COMMANDS STAGE

TREE is the tree of sources, COMMANDS the directory with the pages that docs/commands.awk makes. STAGE is replaced.
The pages are plain Markdown whose links work where they are. Here the table of contents is made of the links of
each door's page (index.md), links are bent to where pages and files stand in STAGE, and names of manual pages,
such as **rhost-file**(7), and codes of messages become links.
"""
import os
import re
import shutil
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s#:]*)(#[^()\s]*)?\)")
IMAGE = re.compile(r"!\[([^\]]*)\]\(([^()\s]+\.svg)\)")
MANUAL = re.compile(r"\*\*(rhost(?:-[a-z_-]+)?)\*\*\((\d)\)")
CODE = re.compile(r"`(RH\d{4})`")
FENCE = re.compile(r"^ *(```|~~~)")
# By this the tests know what to try; it is no part of the manifest.
EXAMPLE = re.compile(r"^# (scratch )?example( as root| to validate)?$")
OUTSIDE = {
    "CHANGELOG.md": "contributors/changelog.md",
    "CONTRIBUTING.md": "contributors/contributing.md",
    "SECURITY.md": "security/reporting.md",
}
# Folders of docs/ without pages, and those that a build within the tree makes.
NO_PAGES = ("examples", "html", "commands", "manual", "manual.new", "manual.source")
MANUALS = {
    ("rhost", "1"): "reference/rhost.1.md",
    ("rhost-manifest", "5"): "reference/manifest.md",
    ("rhost-definitions", "5"): "reference/definitions.md",
    ("rhost-keywords", "5"): "reference/keywords.md",
    ("rhost-notifications", "5"): "reference/notifications.md",
    ("rhost-recipes", "5"): "reference/recipes.md",
    ("rhost-reports", "5"): "reference/reports.md",
    ("rhost-facts", "7"): "reference/facts.md",
    ("rhost-expressions", "7"): "reference/expressions.md",
    ("rhost-attributes", "7"): "reference/node-attributes.md",
    ("rhost-abi", "7"): "authors/abi.md",
    ("rhost-checks", "7"): "authors/check.md",
    ("rhost-provider", "7"): "authors/rhost-provider.7.md",
}


def pages_of(tree, commands):
    """Where each page comes from, by where it goes: both relative, the first to the tree."""
    pages = {}
    for path in sorted((tree / "docs").rglob("*.md")):
        below = path.relative_to(tree / "docs")
        if below.parts[0] not in NO_PAGES:
            pages[below.as_posix()] = path
    for path in sorted((tree / "plugins").glob("*/*.md")):
        if path.stem == path.parent.name:
            pages[f"types/{path.name}"] = path
    for path in sorted(commands.glob("rhost-*.1.md")):
        pages[f"commands/{path.name[len('rhost-'):-len('.1.md')]}.md"] = path
    for name, place in OUTSIDE.items():
        if (tree / name).exists():
            pages[place] = tree / name
    return pages


class Stage:
    def __init__(self, tree, commands, stage):
        self.tree, self.stage = tree, stage
        self.pages = pages_of(tree, commands)
        self.place = {path.resolve(): place for place, path in self.pages.items()}
        self.codes = {}
        for place, path in self.pages.items():
            if place.startswith("messages/"):
                for code in re.findall(r"^## (RH\d{4})$", path.read_text(), re.M):
                    self.codes[code] = place
        self.broken = []

    def relative(self, here, place):
        return os.path.relpath(place, os.path.dirname(here) or ".")

    def bend(self, here, label, link, anchor):
        """A link of the page `here`, as it has to be in the stage."""
        if not link:
            return f"[{label}]({anchor})"
        # The pages of commands are parts of one page, and their links are the links of that.
        home = self.tree / "docs/reference" if here.startswith("commands/") else self.pages[here].parent
        target = (home / link).resolve()
        if target.is_dir() and (target / "index.md").exists():
            target /= "index.md"
        if target in self.place:
            return f"[{label}]({self.relative(here, self.place[target])}{anchor})"
        if target == (self.tree / "README.md").resolve():
            return f"[{label}]({self.relative(here, 'index.md')})"
        if target.is_file():
            copy = Path("files") / target.relative_to(self.tree.resolve())
            (self.stage / "extra" / copy).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, self.stage / "extra" / copy)
            return f'<a href="{self.relative(here, str(copy))}">{label.replace("`", "")}</a>'
        if target.is_dir():
            return label
        self.broken.append(f"{here}: {link}")
        return label

    def manual(self, here, match):
        name, section = match.groups()
        place = MANUALS.get((name, section))
        if not place:
            place = {"1": "commands/", "7": "types/"}.get(section, "") + name[len("rhost-"):] + ".md"
        return f"[**{name}**({section})]({self.relative(here, place)})" if place in self.pages else match.group(0)

    def code(self, here, match):
        code = match.group(1)
        place = self.codes.get(code)
        return f"[`{code}`]({self.relative(here, place)}#{code.lower()})" if place else match.group(0)

    def picture(self, here, match):
        path = (self.pages[here].parent / match.group(2)).resolve()
        copy = self.stage / "pictures" / path.name
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(path, copy)
        return f"![{match.group(1)}]({self.relative(here, 'pictures/' + path.name)})"

    def line(self, here, line):
        line = IMAGE.sub(lambda m: self.picture(here, m), line)
        line = LINK.sub(lambda m: self.bend(here, m.group(1), m.group(2), m.group(3) or ""), line)
        if here == "reference/commands.md":
            line = re.sub(r"^\| `rhost ([a-z-]+)`", r"| [`rhost \1`](../commands/\1.md)", line)
        if not line.startswith("#"):
            line = MANUAL.sub(lambda m: self.manual(here, m), line)
            line = CODE.sub(lambda m: self.code(here, m), line)
        return line

    def text(self, here):
        """The page, line by line: what stands in code stays as it is."""
        out, inside, before, stacked = [], False, "", False
        text = re.sub(r"<!--.*?-->\n*", "", self.pages[here].read_text(), flags=re.S)
        # A link may be broken over two lines.
        text = re.sub(r"\[([^\[\]\n]*)\n([^\[\]\n]*)\]\(", r"[\1 \2](", text)
        for line in text.split("\n"):
            if FENCE.match(line):
                inside = not inside
            elif inside and before == "```yaml" and EXAMPLE.match(line):
                continue
            elif not inside and not (line.startswith("    ") and (before == "" or before.startswith("    "))):
                line = self.line(here, line)
            # Tables of attributes and options have rows that stand one below the other on a phone.
            if not inside and not before and re.match(r"\| (attribute|option) \|", line):
                out += ['<div class="stack">', ""]
                stacked = True
            elif stacked and not line.startswith("|"):
                out += ["", "</div>", ""]
                stacked = False
            out.append(line)
            before = line
        return "\n".join(out)

    def contents(self, here, text):
        """The pages that a door's page links in its lists and tables, in this order, each once."""
        seen, found = set(), []
        for line in text.split("\n"):
            if not re.match(r"^ *([-*]|\||\d+\.) ?", line):
                continue
            for link in re.findall(r"\]\(([^()\s#:]+\.md)", line):
                place = os.path.normpath(os.path.join(os.path.dirname(here), link))
                if place in self.pages and place != here and place not in seen:
                    seen.add(place)
                    found.append(place)
        return found

    def write(self):
        shutil.rmtree(self.stage, ignore_errors=True)
        self.stage.mkdir(parents=True)
        texts = {here: self.text(here) for here in self.pages}
        owner = {}
        # A page belongs to the first door that has it; the front page has the doors.
        doors = ["index.md"] + [p for p in self.pages if p != "index.md" and p.endswith("/index.md")]
        doors += ["messages.md", "reference/types.md", "reference/commands.md"]
        for door in doors:
            for place in self.contents(door, texts[door]):
                front = door == "index.md" and not (place.endswith("/index.md") or "/" not in place)
                if not front and place not in owner:
                    owner[place] = door
        for door in doors:
            mine = [p for p in self.contents(door, texts[door]) if owner.get(p) == door]
            if mine:
                depth = "---\nmaxdepth: 1\nhidden: true\n---\n"
                rows = "\n".join(self.relative(door, p)[:-3] for p in mine)
                texts[door] += f"\n```{{toctree}}\n{depth}{rows}\n```\n"
        for place in self.pages:
            if place not in owner and place != "index.md":
                self.broken.append(f"{place}: no door leads to it")
        for here, text in texts.items():
            (self.stage / here).parent.mkdir(parents=True, exist_ok=True)
            (self.stage / here).write_text(text)


def main():
    tree, commands, stage = (Path(a) for a in sys.argv[1:4])
    work = Stage(tree, commands, stage)
    work.write()
    for line in work.broken:
        print(f"stage.py: {line}", file=sys.stderr)
    sys.exit(bool(work.broken))


main()
