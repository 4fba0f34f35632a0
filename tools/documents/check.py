"""Checks one page after the other, and renews them."""
import os
import threading
import time

from documents import generated, links, quote
from documents.commands import steps
from documents.page import Page, write_whole

# Lines that one reads at a time; written pages are looked things up in.
MOST_LINES = {"README.md": 200}
MOST_LINES_OF_PAGE = 300
LOOKED_UP = ("docs/reference/", "docs/fidelity/")
LONG = 30  # how many times as long commands of fences `long` may take


class Fault:
    """Something that is not as the page says. `mended`: the page says it now."""

    def __init__(self, page, line, text, detail=(), mended=False, renewable=False):
        self.page, self.line, self.text = page, line, text
        self.detail, self.mended, self.renewable = list(detail), mended, renewable


class Checker:
    def __init__(self, root, program, commands, renew, long):
        self.root, self.program, self.commands, self.renew, self.long = root, program, commands, renew, long
        self.ran = self.left_out = self.told = self.mended = 0
        self.slowest = (0, "")
        self._texts, self._lock = {}, threading.Lock()

    def read(self, path):
        """A page's text, as it was found or renewed; None if there is none."""
        with self._lock:
            if path not in self._texts:
                try:
                    with open(os.path.join(self.root, path), encoding="utf-8") as file:
                        self._texts[path] = file.read()
                except (OSError, UnicodeDecodeError):
                    self._texts[path] = None
            return self._texts[path]

    def _write(self, path, text):
        write_whole(os.path.join(self.root, path), text)
        with self._lock:
            self._texts[path] = text

    def check_written(self, written, chosen, all_of_them):
        """Faults of pages that are written as a whole: stale ones, missing ones, and ones that nothing writes."""
        faults = []
        for path, text in written.items():
            now = self.read(path)
            if now == text or path not in chosen:
                continue
            detail = quote.difference((now or "").split("\n"), text.split("\n"))[:20]
            faults.append(Fault(path, 1, "is not what tools/docs writes", detail, self.renew, True))
            if self.renew:
                self._write(path, text)
        for folder in LOOKED_UP if written and all_of_them else ():
            for place, _, files in os.walk(os.path.join(self.root, folder)):
                for path in (os.path.relpath(os.path.join(place, file), self.root) for file in files):
                    if path not in written:
                        faults.append(Fault(path, 1, "is no page that tools/docs writes", (), self.renew, True))
                        if self.renew:
                            os.unlink(os.path.join(self.root, path))
        return faults

    def check(self, path):
        """The faults of a page, which is renewed first if asked for."""
        page = Page(path, self.read(path) or "")
        faults = [Fault(path, line, text) for line, text in page.faults]
        if not faults:
            for fence in page.fences:
                if fence.language == "console":
                    faults += self._check_commands(page, fence)
                elif fence.file():
                    faults += self._check_file(page, fence)
            for part in page.parts:
                faults += self._check_part(page, part)
            for index, found in page.counts:
                faults += self._check_count(page, index, found)
        if self.renew and page.renewed() != page.text:
            self._write(path, page.renewed())
            page = Page(path, page.renewed())
        faults += [Fault(path, line, text) for line, text in links.faults(self.root, page, self.read)]
        most = MOST_LINES.get(path, MOST_LINES_OF_PAGE)
        if len(page.lines) - 1 > most and not path.startswith(LOOKED_UP):
            faults.append(Fault(path, most + 1, f"has {len(page.lines) - 1} lines, at most {most} are one page"))
        return sorted(faults, key=lambda fault: fault.line)

    def _check_commands(self, page, fence):
        if fence.has("norun") or (fence.has("long") and not self.long):
            with self._lock:
                self.left_out += 1
            return []
        faults, content, shift = [], list(fence.lines), 0
        all_steps = steps(fence.lines)
        if not all_steps:
            faults.append(Fault(page.path, fence.first, "a fence `console` without a line that begins with `$ `"))
        failed = False
        for begin, command, first, quoted in all_steps:
            line = fence.first + begin + 1
            limit = self.commands.timeout * (LONG if fence.has("long") else 1)
            begun = time.monotonic()
            status, output = self.commands.run(command, limit)
            with self._lock:
                self.ran += 1
                self.slowest = max(self.slowest, (time.monotonic() - begun, f"{page.path}:{line}"))
            failed = failed or status != 0
            fault = self._ending(page, line, command, status, output, limit, fence.has("fails"))
            if fault:
                faults.append(fault)
                continue
            if not quoted or quote.fits(quoted, output, fence.has("shape")):
                continue
            now, missed = quote.renewed(quoted, output)
            if missed:
                detail = [f"no line of the output begins as this one: {one}" for one in missed]
                detail += ["the output:"] + ["  " + one for one in output[:12]] + ["  ..."] * (len(output) > 12)
                faults.append(Fault(page.path, line, f"$ {command}", detail))
                continue
            content[first + shift:first + shift + len(quoted)] = now
            shift += len(now) - len(quoted)
            faults.append(Fault(page.path, line, f"$ {command}", quote.difference(quoted, now), self.renew, True))
        if fence.has("fails") and not failed:
            faults.append(Fault(page.path, fence.first, "no command of this fence fails, and it says `fails`"))
        if self.renew and content != fence.lines:
            page.replace(fence, content)
        return faults

    @staticmethod
    def _ending(page, line, command, status, output, limit, may_fail):
        last = ["  " + one for one in output[-12:]]
        if status is None:
            return Fault(page.path, line, f"$ {command}", [f"did not end within {limit:g} s; its last lines:", *last])
        if status in (126, 127) or (status != 0 and not may_fail):  # a command that bash does not find never counts
            return Fault(page.path, line, f"$ {command}", [f"ended with status {status}; its last lines:", *last])
        return None

    def _check_file(self, page, fence):
        path = fence.file()
        text = self.read(path)
        if text is None:
            return [Fault(page.path, fence.first, f"prints the file {path}, which is not there")]
        lines = text.split("\n")
        lines = lines[:-1] if lines[-1] == "" else lines
        if [one.rstrip() for one in lines] == [one.rstrip() for one in fence.lines]:
            return []
        if self.renew:
            page.replace(fence, lines)
        detail = quote.difference(fence.lines, lines)
        return [Fault(page.path, fence.first, f"the file {path}", detail, self.renew, True)]

    def _check_part(self, page, part):
        try:
            lines = generated.part(self.program, part.call)
        except generated.Unknown as error:
            return [Fault(page.path, part.first, str(error))]
        now = page.lines[part.first:part.behind]
        if now == lines:
            return []
        if self.renew:
            page.replace(part, lines)
        return [Fault(page.path, part.first, f"generated: {part.call}", quote.difference(now, lines), self.renew, True)]

    def _check_count(self, page, index, found):
        try:
            number = generated.count(self.program, found[1])
        except generated.Unknown as error:
            return [Fault(page.path, index + 1, str(error))]
        if number == found[2]:
            return []
        if self.renew:
            page.replace_count(index, found, number)
        return [Fault(page.path, index + 1, f"count: {found[1]}", [f"-{found[2]}", f"+{number}"], self.renew, True)]

    def tell(self, faults):
        """Prints faults; the exit status that they come to."""
        for fault in faults:
            print(f"{fault.page}:{fault.line}: {'renewed: ' if fault.mended else ''}{fault.text}")
            for line in fault.detail:
                print("    " + line)
            if fault.renewable and not fault.mended:
                print(f"    (tools/docs --renew {fault.page} rewrites it)")
        self.mended += sum(fault.mended for fault in faults)
        self.told += sum(not fault.mended for fault in faults)
        return int(any(not fault.mended for fault in faults))

    def summary(self, pages):
        """What was done, in a line."""
        left_out = f", {self.left_out} fences left out" if self.left_out else ""
        renewed = f", {self.mended} renewed" if self.renew else ""
        slowest = " (the slowest in {:.1f} s, {})".format(*self.slowest) if self.ran else ""
        return f"{pages} pages, {self.ran} commands run{slowest}{left_out}{renewed}, {self.told} differences"
