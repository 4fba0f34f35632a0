"""A page of the documents: its fences, its generated parts and its counts, and how they are replaced.

A fence is ```LANGUAGE WORDS, with its lines, perhaps indented in a list. A part stands between
`<!-- generated: NAME ARGUMENTS -->` and `<!-- end -->`, each alone on its line, and a count within a line between
`<!-- count: NAME ARGUMENTS -->` and `<!-- end -->`. Within fences and code neither means anything.
"""
import os
import re
import tempfile

FENCE = re.compile(r"^( *)(`{3,})\s*([^`]*)$")
PART = re.compile(r"^\s*<!-- generated: (.+?) -->\s*$")
PART_END = re.compile(r"^\s*<!-- end -->\s*$")
COUNT = re.compile(r"<!-- count: (.+?) -->(.*?)<!-- end -->")
CODE = re.compile(r"`[^`]*`")


class Fence:
    """`first` and `behind` are the indices of its first line of content and of the line that closes it."""

    def __init__(self, info, indent, first):
        words = info.split()
        self.language = words[0] if words else ""
        self.words = words[1:]
        self.indent = indent
        self.first = first
        self.behind = first
        self.lines = []

    def has(self, word):
        return word in self.words

    def file(self):
        """The path of the file that it prints; None if it prints none."""
        if self.language in ("", "console") or not self.words:
            return None
        return self.words[0] if re.search(r"[./]", self.words[0]) else None


class Part:
    """A generated part; `first` and `behind` as a fence's."""

    def __init__(self, call, first):
        self.call = call
        self.first = first
        self.behind = first


class Page:
    """`faults` are (line, text) of what cannot be read as a page. Lines are counted from 1, indices from 0."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.split("\n")
        self.fences, self.parts, self.counts, self.prose, self.faults = [], [], [], [], []
        self._edits = []
        self._read()

    def _read(self):
        fence = part = ticks = None
        for index, line in enumerate(self.lines):
            mark = FENCE.match(line)
            if fence is not None:
                if mark and len(mark[2]) >= ticks and not mark[3].strip():
                    fence.behind = index
                    self.fences.append(fence)
                    fence = None
                else:
                    fence.lines.append(line[len(fence.indent):] if line.startswith(fence.indent) else line.lstrip())
            elif mark:
                fence, ticks = Fence(mark[3], mark[1], index + 1), len(mark[2])
            elif PART.match(line):
                if part is not None:
                    self.faults.append((index + 1, "a generated part begins within another"))
                part = Part(PART.match(line)[1], index + 1)
            elif PART_END.match(line) and part is not None:
                part.behind = index
                self.parts.append(part)
                part = None
            else:
                self.prose.append((index, line))
                code = [range(*span.span()) for span in CODE.finditer(line)]
                self.counts += [(index, found) for found in COUNT.finditer(line)
                                if not any(found.start() in span for span in code)]
        if fence is not None:
            self.faults.append((fence.first, "the fence that begins here does not end"))
        if part is not None:
            self.faults.append((part.first, "the generated part that begins here has no `<!-- end -->`"))
        within = [range(part.first, part.behind) for part in self.parts]
        self.fences = [one for one in self.fences if not any(one.first in lines for lines in within)]

    def replace(self, part, lines):
        """Puts other lines into a fence or a part."""
        indent = getattr(part, "indent", "")
        self._edits.append((part.first, part.behind, [(indent + line).rstrip() for line in lines]))

    def replace_count(self, index, found, text):
        """Puts another text into a count."""
        self._edits.append((index, None, (found, text)))

    def renewed(self):
        """The text with all replacements."""
        lines = list(self.lines)
        # From the end, so that places before stay what they are; in one line from its end too.
        for first, behind, content in sorted(
                self._edits, key=lambda edit: (edit[0], edit[2][0].start() if edit[1] is None else 0), reverse=True):
            if behind is None:
                found, text = content
                line = lines[first]
                lines[first] = line[:found.start(2)] + text + line[found.end(2):]
            else:
                lines[first:behind] = content
        return "\n".join(lines)


def write_whole(path, text):
    """Writes a file so that nobody ever sees a part of it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".renewed-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
