"""Runs the commands of a page, each by a bash of its own from the project's root.

`racksim` and `tools/racksim` are the built program: `tools/racksim` would first build what is out of date, which a
check must not wait for. A path below build/release/ is one below the folder of the build that is checked. A command
that does not end in time is ended with all that it has begun.
"""
import os
import signal
import subprocess
import threading

# A function may have a slash in its name, and goes before the file.
PRELUDE = 'tools/racksim() { racksim "$@"; }\n'


class Commands:
    def __init__(self, root, build, timeout):
        self.root, self.build, self.timeout = root, build, timeout
        self._running, self._lock, self._stopped = set(), threading.Lock(), False

    def run(self, command, timeout=None):
        """(status, lines): what a command ends with and prints; the status is None if it does not end in time."""
        environment = dict(os.environ, LC_ALL="C.UTF-8", TERM="dumb", RACKSIM_PROGRESS="none",
                           PATH=os.path.join(self.build, "tools") + os.pathsep + os.environ["PATH"])
        build = os.path.relpath(self.build, self.root)
        os.makedirs(os.path.join(self.root, "build", "docs"), exist_ok=True)
        with self._lock:
            if self._stopped:
                raise KeyboardInterrupt
            process = subprocess.Popen(["bash", "-c", PRELUDE + command.replace("build/release/", build + "/")],
                                       cwd=self.root, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            self._running.add(process)
        try:
            output = process.communicate(timeout=timeout or self.timeout)[0]
            status = process.returncode
        except subprocess.TimeoutExpired:
            self._end(process)
            output, status = process.communicate()[0], None
        finally:
            with self._lock:
                self._running.discard(process)
        if self._stopped:
            raise KeyboardInterrupt
        lines = output.decode("utf-8", "replace").replace(build + "/", "build/release/").split("\n")
        return status, lines[:-1] if lines[-1] == "" else lines

    def stop(self):
        """Ends all that runs; nothing begins any more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            self._end(process)

    @staticmethod
    def _end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def steps(lines):
    """(index, command, end, output): the commands of a fence, and the quoted lines behind each up to `end`."""
    found, index = [], 0
    while index < len(lines):
        if not lines[index].startswith("$ "):
            index += 1
            continue
        begin, command = index, lines[index][2:]
        while command.endswith("\\") and index + 1 < len(lines):
            index += 1
            command = command[:-1] + lines[index].lstrip()
        index += 1
        first = index
        while index < len(lines) and not lines[index].startswith("$ "):
            index += 1
        output = lines[first:index]
        while output and not output[-1].strip():  # an empty line before the next command is for the reader
            output = output[:-1]
        found.append((begin, command, first, output))
    return found
