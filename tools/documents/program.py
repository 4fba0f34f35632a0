"""What the program says of itself: the lists of `racksim list`, its schema and the help of its commands."""
import json
import os
import subprocess
import textwrap
import threading


class Program:
    """Each question is asked once."""

    def __init__(self, root, build):
        self.root = root
        self.path = os.path.join(build, "tools", "racksim")
        self._answers, self._lock = {}, threading.Lock()

    def text(self, *arguments):
        with self._lock:
            if arguments not in self._answers:
                done = subprocess.run([self.path, *arguments], cwd=self.root, capture_output=True, text=True)
                if done.returncode != 0:
                    raise RuntimeError(f"racksim {' '.join(arguments)} failed: {done.stderr.strip()}")
                self._answers[arguments] = done.stdout
            return self._answers[arguments]

    def list(self, *arguments):
        """The list of a kind: `list("mechanisms", "flowcc")`."""
        return json.loads(self.text("list", *arguments, "--json"))

    def schema(self):
        """The schema of a scenario that builds on no other, with what it refers to put in."""
        whole = json.loads(self.text("schema", "scenario"))

        def resolved(part):
            if isinstance(part, list):
                return [resolved(one) for one in part]
            if not isinstance(part, dict):
                return part
            if "$ref" in part:
                return resolved(whole["$defs"][part["$ref"].removeprefix("#/$defs/")])
            return {key: resolved(one) for key, one in part.items()}

        return resolved(whole["else"])

    def commands(self, *command):
        """(name, sentence) of each sub-command of the program, or of a command that has some."""
        _, _, listed = self.text(*command, "--help").partition("Subcommands:\n")
        return [tuple(part.strip() for part in line.strip().split("  ", 1)) for line in listed.split("\n") if line.strip()]

    def help_of(self, *command):
        return self.text(*command, "--help").rstrip("\n").split("\n")


def cell(text):
    """A text as a table's cell has it."""
    return str(text).replace("|", "\\|").replace("\n", " ").strip()


def table(header, rows):
    """A Markdown table."""
    return (["| " + " | ".join(header) + " |", "|" + "---|" * len(header)] +
            ["| " + " | ".join(cell(one) for one in row) + " |" for row in rows])


def paragraph(text):
    """Lines of prose."""
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def written(value):
    """A value as a scenario has it."""
    return value if isinstance(value, str) else json.dumps(value)


def code(text):
    """A text as code, in which a bar of a table would end the cell."""
    return f"`{text}`" if text != "" else ""
