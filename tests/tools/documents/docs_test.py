#!/usr/bin/env python3
"""tools/docs as a person runs it, on small projects with a program that only pretends to be racksim."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[3] / "tools" / "docs"

RACKSIM = r"""#!/bin/bash
case "$*" in
  "list mechanisms p --json")
    echo '[{"protocol": "p", "option": "ordered", "unsafe": false, "breaks": "a | b", "regression": "p-x"}]' ;;
  "list oracles --json") echo '[{"name": "served", "doc": "d"}, {"name": "torn", "doc": "e"}]' ;;
  "run")
    printf 'scenario  s\nmops      9.9 of 12\n  p.sent        70 packets\n  p.lost         3 packets\n'
    printf 'real      in 0.73 s\nverdict   pass\n' ;;
  "fail") echo 'verdict   FAIL'; exit 1 ;;
  *) echo "what is $*?" >&2; exit 2 ;;
esac
"""


class Project:
    """A folder with pages and a program."""

    def __init__(self, **files):
        folder = tempfile.TemporaryDirectory()
        unittest.addModuleCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("build/release/tools/racksim", RACKSIM)
        (self.root / "build/release/tools/racksim").chmod(0o755)
        for name, text in files.items():
            self.write(name, text)

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def read(self, name):
        return (self.root / name).read_text()

    def docs(self, *arguments):
        """(status, text): what tools/docs ends with and prints."""
        done = subprocess.run([sys.executable, str(DOCS), "--root", str(self.root), *arguments],
                              capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr


def console(text, words=""):
    return f"```console{words}\n{text}```\n"


class Check(unittest.TestCase):
    def clean(self, text, *arguments):
        status, said = Project(**{"docs/a.md": text}).docs(*arguments)
        self.assertEqual(status, 0, said)
        return said

    def differs(self, text, *needles):
        status, said = Project(**{"docs/a.md": text}).docs()
        self.assertEqual(status, 1, said)
        for needle in needles:
            self.assertIn(needle, said)

    def test_what_is_printed_passes_with_gaps_cuts_and_another_time_on_the_wall_clock(self):
        self.clean(console("$ racksim run\n...\nmops      9.9 of ...\n  p.sent        70 packets\n...\n"
                           "real      in 88.1 s\nverdict   pass\n$ tools/racksim run\n"))

    def test_a_wrong_number_is_told_with_page_line_command_and_how_to_renew(self):
        self.differs("# A\n\n" + console("$ racksim run\n...\n  p.sent        71 packets\n...\n"),
                     "docs/a.md:4: $ racksim run", "-  p.sent        71 packets", "+  p.sent        70 packets",
                     "tools/docs --renew docs/a.md")

    def test_a_line_left_out_without_a_gap_is_told(self):
        self.differs(console("$ racksim run\nscenario  s\n  p.sent        70 packets\n...\n"), "+mops      9.9 of 12")

    def test_a_line_that_the_output_does_not_have_is_told(self):
        self.differs(console("$ racksim run\n...\n  p.held         3 packets\n...\n"), "no line of the output begins",
                     "p.held")

    def test_a_command_that_fails_is_told_unless_the_fence_says_so(self):
        self.differs(console("$ racksim fail\n"), "ended with status 1", "verdict   FAIL")
        self.clean(console("$ racksim fail\nverdict   FAIL\n", " fails"))
        self.differs(console("$ racksim run\n", " fails"), "no command of this fence fails")
        self.differs(console("$ racksym run\n", " fails"), "ended with status 127", "racksym")

    def test_a_command_that_hangs_is_ended_with_what_it_began(self):
        project = Project(**{"docs/a.md": console("$ echo begun; sleep 987 & sleep 987\n")})
        begun = time.monotonic()
        status, said = project.docs("--timeout", "1")
        self.assertEqual(status, 1)
        self.assertLess(time.monotonic() - begun, 20)
        self.assertIn("did not end within 1 s", said)
        self.assertIn("begun", said)

    def test_commands_run_in_order_from_the_root_and_go_on_after_a_backslash(self):
        self.clean(console("$ mkdir -p build/docs && echo a > \\\n    build/docs/x\n"
                           "$ cat build/docs/x; ls\na\nbuild\ndocs\n"))

    def test_long_fences_run_if_asked_and_others_never(self):
        text = console("$ racksim run\nno\n", " long")
        self.assertIn("1 fences left out", self.clean(text))
        self.assertEqual(Project(**{"docs/a.md": text}).docs("--long")[0], 1)
        self.clean(console("$ racksim fail\nno\n", " norun"), "--long")

    def test_a_shape_may_have_other_numbers_but_no_other_words(self):
        self.clean(console("$ racksim run\n...\nmops      1.5e+04 of 3 k\n...\n", " shape"))
        self.differs(console("$ racksim run\n...\nmops      1.5 to 3\n...\n", " shape"), "mops      9.9 of 12")

    def test_a_printed_file_is_compared_whole(self):
        page = "```json docs/x.json\n{\"a\": 1}\n```\n"
        project = Project(**{"docs/a.md": page, "docs/x.json": "{\"a\": 2}\n"})
        status, said = project.docs()
        self.assertEqual(status, 1)
        self.assertIn("+{\"a\": 2}", said)
        self.assertIn("which is not there", Project(**{"docs/a.md": page}).docs()[1])

    def test_generated_parts_and_counts_are_compared(self):
        self.differs("<!-- generated: mechanisms p -->\n<!-- end -->\n", "generated: mechanisms p",
                     "+| `p.ordered` | `false` | a \\| b | `p-x` |")
        self.differs("there are <!-- count: oracles -->3<!-- end --> oracles\n", "docs/a.md:1: count: oracles", "-3",
                     "+2")
        self.clean("there are <!-- count: oracles -->2<!-- end --> oracles, `<!-- count: oracles -->3<!-- end -->`\n")
        self.differs("<!-- generated: mechanics p -->\n<!-- end -->\n", "nothing generates \"mechanics\"", "mechanisms")
        self.differs("<!-- generated: mechanisms q -->\n<!-- end -->\n", "what is list mechanisms q")
        self.differs("<!-- count: orcs -->1<!-- end -->\n", "nothing counts \"orcs\"")

    def test_links_must_lead_to_files_and_headings(self):
        self.differs("[a](b.md)\n", "docs/a.md:1: the link `b.md` leads to nothing")
        self.differs("# A page\n[a](#a-pag)\n", "leads to no heading of docs/a.md")
        self.clean("# A `page` of x_y's\n[a](#a-page-of-x_ys) [b](../docs/a.md) [c](https://example.org/x) "
                   "`[d](e.md)`\n")

    def test_pages_must_not_be_long_nor_end_within_a_fence(self):
        self.differs("\n" * 301, "has 301 lines, at most 300")
        status, said = Project(**{"README.md": "\n" * 201}).docs()
        self.assertEqual((status, "at most 200" in said), (1, True), said)
        self.differs("```console\n$ true\n", "does not end")
        self.differs("<!-- generated: commands -->\n", "has no `<!-- end -->`")

    def test_bad_arguments_are_told_apart_from_differences(self):
        project = Project(**{"docs/a.md": "# A\n"})
        self.assertEqual(project.docs("docs/b.md")[0], 2)
        self.assertEqual(project.docs("--build", "build/other")[0], 2)
        self.assertEqual(project.docs("docs/a.md")[0], 0)


class Renew(unittest.TestCase):
    def test_what_can_be_renewed_is_in_its_shape_and_the_next_check_passes(self):
        page = ("# A\n\n* in a list\n\n  ```console\n  $ racksim run\n  ...\n  mops      1.0 of ...\n  ...\n"
                "    p.lost        99 packets\n  ...\n  ```\n\n```json docs/x.json\nold\n```\n\n"
                "<!-- generated: mechanisms p -->\n<!-- end -->\n\n"
                "<!-- count: oracles -->3<!-- end --> and <!-- count: oracles -->4<!-- end -->\n")
        project = Project(**{"docs/a.md": page, "docs/x.json": "{\n  \"a\": 2\n}\n"})
        status, said = project.docs("--renew")
        self.assertEqual(status, 0, said)
        renewed = project.read("docs/a.md")
        self.assertIn("  ...\n  mops      9.9 of ...\n  ...\n    p.lost         3 packets\n  ...\n  ```", renewed)
        self.assertIn("```json docs/x.json\n{\n  \"a\": 2\n}\n```", renewed)
        self.assertIn("| `p.ordered` |", renewed)
        self.assertIn("<!-- count: oracles -->2<!-- end --> and <!-- count: oracles -->2<!-- end -->", renewed)
        status, said = project.docs()
        self.assertEqual(status, 0, said)

    def test_a_quote_without_gaps_becomes_all_of_the_output(self):
        project = Project(**{"docs/a.md": console("$ racksim fail\nold\n\n$ racksim fail\n", " fails")})
        self.assertEqual(project.docs("--renew")[0], 0)
        self.assertEqual(project.read("docs/a.md"),
                         console("$ racksim fail\nverdict   FAIL\n\n$ racksim fail\n", " fails"))

    def test_what_cannot_be_renewed_is_told_and_stays(self):
        page = (console("$ racksim run\n...\n  p.held         3 packets\n...\n") + "[a](b.md)\n" +
                console("$ racksim fail\nno\n"))
        project = Project(**{"docs/a.md": page})
        status, said = project.docs("--renew")
        self.assertEqual(status, 1)
        for told in ("p.held", "`b.md`", "ended with status 1"):
            self.assertIn(told, said)
        self.assertEqual(project.read("docs/a.md"), page)

    def test_a_page_that_says_what_is_so_is_not_written(self):
        project = Project(**{"docs/a.md": console("$ racksim run\n...\nreal      in 1.5 s\n...\n")})
        before = (project.root / "docs/a.md").stat()
        self.assertEqual(project.docs("--renew")[0], 0)
        after = (project.root / "docs/a.md").stat()
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_only_the_pages_that_are_named_are_renewed(self):
        stale = "<!-- count: oracles -->3<!-- end -->\n"
        project = Project(**{"docs/a.md": stale, "docs/b/c.md": stale, "README.md": stale})
        self.assertEqual(project.docs("--renew", "docs/b")[0], 0)
        self.assertEqual((project.read("docs/a.md"), project.read("README.md")), (stale, stale))
        self.assertIn("2", project.read("docs/b/c.md"))

    def test_an_interruption_leaves_pages_whole_and_no_process_behind(self):
        page = "<!-- count: oracles -->3<!-- end -->\n" + console("$ echo $$ > build/docs/pid; exec sleep 986\n")
        project = Project(**{"docs/a.md": page})
        running = subprocess.Popen([sys.executable, str(DOCS), "--root", str(project.root), "--renew"],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        pid = project.root / "build/docs/pid"
        while not pid.exists() or not pid.read_text().strip():
            time.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=30)[0].decode()
        self.assertEqual(running.returncode, 130, said)
        self.assertEqual(project.read("docs/a.md"), page)
        self.assertEqual(sorted(os.listdir(project.root / "docs")), ["a.md"])
        with self.assertRaises(ProcessLookupError):
            for _ in range(100):  # until whoever adopts it has buried it
                os.kill(int(pid.read_text()), 0)
                time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
