"""Quoted output of a command: whether it is what the command prints, and what it has to become.

A quoted line `...` alone stands for any number of lines, also none, and ` ...` at the end of a line for the rest of it.
Times on the wall clock ("0.73 s") are not compared. In a fence `shape` no number is, nor whether an aim is met: what is
left are the words.

A renewed quote without `...` is all of the output. With `...` it keeps its shape: each of its lines becomes that line
of the output which is the same but for numbers, or else begins with the same words; what stood side by side stays
without a gap. A line for which there is none is told, and the quote stays as it is.
"""
import difflib
import re

WALL_CLOCK = re.compile(r"\s*(?<![\w.])\d+(\.\d+)? s\b")
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.,]*(e[-+]?\d+)?(?![\w])")
HASH = re.compile(r"\b[0-9a-f]{16,}\b")
# Of a fence `shape`: a number with the prefix of its unit, and the verdict on it.
MEASURED = re.compile(r"\s*(?<![\w.])[-+]?\d[\d.,]*(e[-+]?\d+)?( [kMG](?=\s|$))?(?![\w])")
AIM = re.compile(r"\b(met|missed)\b")


def is_gap(line):
    return line.strip() == "..."


def without_cut(line):
    """The line before ` ...` at its end; None if it has none."""
    return line.rstrip()[:-4] if line.rstrip().endswith(" ...") and not is_gap(line) else None


def comparable(line, shape=False):
    """What of a line is compared."""
    if shape:
        return " ".join(AIM.sub("met", MEASURED.sub(" # ", line)).split())
    return WALL_CLOCK.sub(" # s", line.rstrip())


def same(quoted, printed, shape=False):
    cut = without_cut(quoted)
    if cut is not None:
        return comparable(printed, shape).startswith(comparable(cut, shape))
    return comparable(quoted, shape) == comparable(printed, shape)


def fits(quoted, output, shape=False):
    """Whether the quoted lines, with their gaps, are the output's."""
    runs = [[]]
    for line in quoted:
        if is_gap(line):
            runs.append([])
        else:
            runs[-1].append(line)

    def at(run, place):
        return place + len(run) <= len(output) and all(
            same(line, output[place + i], shape) for i, line in enumerate(run))

    if not at(runs[0], 0) or (len(runs) == 1 and len(runs[0]) != len(output)):
        return False
    place = len(runs[0])
    for run in runs[1:-1]:  # the first place for each leaves most for the next
        while not at(run, place):
            place += 1
            if place > len(output):
                return False
        place += len(run)
    last = runs[-1] if len(runs) > 1 else []
    return len(output) - len(last) >= place and at(last, len(output) - len(last))


def words_of(line):
    return [NUMBER.sub("#", HASH.sub("#", word)) for word in line.split()]


def label_of(line):
    """The words before the first number."""
    words = words_of(line)
    count = next((i for i, word in enumerate(words) if word.strip("()[],:;%") == "#"), len(words))
    return words[:count]


class Likeness:
    """How well lines of an output take a quoted line's place; 0: not at all."""

    def __init__(self, quoted):
        cut = without_cut(quoted)
        self.text = quoted.rstrip() if cut is None else cut
        self.is_cut = cut is not None
        self.plain, self.words, self.label = self.text.split(), words_of(self.text), label_of(self.text)

    def to(self, printed, words, label):
        if not self.words:
            return 0 if words else 5
        if self.text == printed.rstrip():
            return 1000
        begin = words[:len(self.words)] if self.is_cut else words
        plain = printed.split()
        alike = sum(a == b for a, b in zip(self.plain, plain))
        first = 100 if plain and self.plain[0] == plain[0] else 0
        if begin == self.words:
            return 300 + first + 10 * alike
        return 100 + 10 * alike if self.label and self.label == label[:len(self.label)] and (
            self.is_cut or label == self.label) else 0


def places(lines, output):
    """For each quoted line the index of the output's that takes its place, in order; None where there is none."""
    words, labels = [words_of(line) for line in output], [label_of(line) for line in output]
    best = [[0] * (len(output) + 1) for _ in range(len(lines) + 1)]
    scores = []
    for i in range(len(lines) - 1, -1, -1):
        like = Likeness(lines[i])
        row = [like.to(output[j], words[j], labels[j]) for j in range(len(output))]
        scores.insert(0, row)
        for j in range(len(output) - 1, -1, -1):
            take = row[j] + best[i + 1][j + 1] if row[j] else 0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], take)
    found, j = [], 0
    for i in range(len(lines)):
        place = None
        for k in range(j, len(output)):
            if best[i][k] != best[i][j]:
                break
            if scores[i][k] and scores[i][k] + best[i + 1][k + 1] == best[i][j]:
                place, j = k, k + 1
                break
        found.append(place)
    return found


def cut_like(quoted, printed):
    """As many words of the printed line as the quoted one has before its cut."""
    count = len(without_cut(quoted).split())
    match = re.match(r"\s*(?:\S+\s+){%d}\S+" % max(count - 1, 0), printed)
    return printed if not match or match.end() == len(printed) else match[0] + " ..."


def renewed(quoted, output):
    """(lines, missed): the quote in its shape, and those of its lines of which the output has none."""
    if not any(is_gap(line) or without_cut(line) is not None for line in quoted):
        return list(output), []
    lines = [line for line in quoted if not is_gap(line)]
    found = places(lines, output)
    missed = [line for line, place in zip(lines, found) if place is None]
    if missed:
        return list(quoted), missed
    result, at, gap, index = [], 0, None, 0
    for line in quoted:
        if is_gap(line):
            gap = line
            continue
        place = found[index]
        index += 1
        result += [gap] if gap is not None else output[at:place]
        result.append(cut_like(line, output[place]) if without_cut(line) is not None else output[place])
        at, gap = place + 1, None
    return result + ([gap] if gap is not None else output[at:]), []


def difference(quoted, now):
    """The lines that differ, as a unified diff shows them."""
    return [line for line in difflib.unified_diff(quoted, now, "quoted", "printed", n=1, lineterm="")][2:]
