"""Links between files of the project: whether what they lead to is there, and the headings behind `#`."""
import os
import re

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
CODE = re.compile(r"`[^`]*`")


def anchors_of(text):
    """The anchors that GitHub gives the headings of a page."""
    anchors, fenced = set(), False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        heading = re.match(r"#{1,6} +(.*?)\s*#*$", line)
        if fenced or not heading:
            continue
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number, plain = 0, anchor
        while anchor in anchors:
            number += 1
            anchor = f"{plain}-{number}"
        anchors.add(anchor)
    return anchors


def faults(root, page, read):
    """(line, text) of what links of a page do not find. `read` gives a file's text, as it will be."""
    for index, line in page.prose:
        for target in LINK.findall(CODE.sub("", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(page.path), path)) if path else page.path
            text = read(file)
            if text is None and not os.path.exists(os.path.join(root, file)):
                yield index + 1, f"the link `{target}` leads to nothing: there is no {file}"
            elif anchor and file.endswith(".md") and text is not None and anchor not in anchors_of(text):
                yield index + 1, f"the link `{target}` leads to no heading of {file}"
