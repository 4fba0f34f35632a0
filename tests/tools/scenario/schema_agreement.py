#!/usr/bin/python3
"""Holds the JSON Schemas of scenarios/schema/ against the readers, whose verdict is that of `racksim validate`.

    schema_agreement.py RACKSIM SOURCE [MUTANTS [SEED]]

Every file below SOURCE/scenarios, and of the documents docs/tutorial and docs/figures, is valid by its schema and by its
reader; those of docs/examples use parts that this build lacks. Of mutated files a reader may refuse more than the schema, because it knows more: other files, units, sums, names that the build declares. What the schema refuses the
reader has to refuse as well; and of what the reader refuses the schema has to refuse the share FLOOR.

Exit status: 0 agreed, 1 not, 77 skipped, because Debian's python3-jsonschema is not installed.
"""
import collections
import concurrent.futures
import copy
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

MUTANTS = 1000
SEED = 1
FLOOR = 0.8  # measured: 0.91
BATCH = 25  # files that one `racksim validate` reads

# What `racksim validate` calls each kind, and how many of the mutants are of it.
KINDS = {
    "scenario": ("scenario", 6),
    "suite": ("suite of ", 4),
    "testbed": ("testbed", 2),
    "testbed-part": ("part of a testbed", 1),
    "figure": ("figure", 2),
    "claims": ("list of claims", 1),
    "record": ("record of claims", 1),
    "packets": ("packet file for ", 2),
    "report": ("report", 1),
    "baseline": ("baseline", 1),
    "fuzz-baseline": ("fuzz baseline", 1),
}


def kind_of(path, document):
    """The kind of a file below scenarios/: the schema that it names, else what lies in its folder."""
    if isinstance(document.get("$schema"), str):
        return pathlib.PurePath(document["$schema"]).stem
    parts = path.parts
    if parts[0] == "testbeds":
        return "testbed-part" if parts[1] == "parts" else "testbed"
    if "baselines" in parts:
        return "fuzz-baseline" if parts[0] == "fuzz" else "baseline"
    if parts[0] == "claims":
        return "record" if parts[1] == "recorded" else "claims"
    if parts[0] in ("figures", "switch"):
        return {"figures": "figure", "switch": "packets"}[parts[0]]
    return "suite" if "cases" in document else "scenario"


def objects_in(value, path=()):
    """Every object of a document, and the keys and indices that lead to it."""
    if isinstance(value, dict):
        yield value, path
        for key, inner in value.items():
            yield from objects_in(inner, path + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from objects_in(inner, path + (index,))


def other_type(value, dice):
    others = [None, True, 7, "abc", [], {}]
    return dice.choice([other for other in others if type(other) is not type(value)])


def out_of_range(value, dice):
    if isinstance(value, bool) or value is None:
        return 2
    if isinstance(value, (int, float)):
        return dice.choice([-1, -0.5, 10**21, 1e300])
    if isinstance(value, str):
        return dice.choice(["-" + value, value + "x", "999999999999s", ""])
    return value


def mutate(document, dice):
    """A copy with one change; what it was, and the path of the changed member."""
    mutant = copy.deepcopy(document)
    place, path = dice.choice(list(objects_in(mutant)))
    change = dice.choice(["drop", "rename", "retype", "range", "add"])
    if not place:
        change = "add"
    if change == "add":
        key = "unheard_of"
        place[key] = dice.choice([1, "text", {}, None])
    else:
        key = dice.choice(list(place))
        if change == "drop":
            del place[key]
        elif change == "rename":
            place[key + "x"] = place.pop(key)
        elif change == "retype":
            place[key] = other_type(place[key], dice)
        else:
            place[key] = out_of_range(place[key], dice)
    return mutant, change, path + (key,)


def is_replaced(case, path):
    """True if a case replaces what the rest of its suite has at the path."""
    dotted = ".".join(map(str, path))
    if any(dotted == key or dotted.startswith(key + ".") for key in case.get("set", {})):
        return True
    for key in path:
        if not isinstance(case, dict):
            return True
        if key not in case:
            return False
        case = case[key]
    return not isinstance(case, dict)


def is_never_read(kind, document, path):
    """True for what a suite says and each of its cases replaces: no reader looks at it."""
    return kind == "suite" and path[0] != "cases" and all(is_replaced(case, path) for case in document["cases"].values())


def verdicts(racksim, files):
    """What `racksim validate` says each file is, by file; nothing of those that it refuses."""
    said = subprocess.run([racksim, "validate", *map(str, files)], capture_output=True, text=True)
    if said.returncode not in (0, 2):
        sys.exit(f"racksim validate ended with {said.returncode}: {said.stderr[-500:]}\n{' '.join(map(str, files))}")
    lines = (line.split(": valid ", 1) for line in said.stdout.splitlines() if ": valid " in line)
    refusals = said.stderr
    return {pathlib.Path(file): words for file, words in lines}, refusals


def all_verdicts(racksim, files):
    batches = [files[i:i + BATCH] for i in range(0, len(files), BATCH)]
    accepted, refusals = {}, ""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for words, told in pool.map(lambda batch: verdicts(racksim, batch), batches):
            accepted.update(words)
            refusals += told
    return accepted, refusals


def main(racksim, source, mutants=MUTANTS, seed=SEED):
    scenarios = pathlib.Path(source) / "scenarios"
    schemas = {}
    for file in sorted((scenarios / "schema").glob("*.json")):
        schemas[file.stem] = json.loads(file.read_text())
        Draft202012Validator.check_schema(schemas[file.stem])
    validators = {kind: Draft202012Validator(schema) for kind, schema in schemas.items()}
    failures = []
    if set(validators) != set(KINDS):
        failures.append(f"schemas without a kind, or kinds without a schema: {sorted(set(validators) ^ set(KINDS))}")

    with tempfile.TemporaryDirectory() as folder:
        # A copy of the folder, in which mutants find what they build on.
        copied = pathlib.Path(folder) / "scenarios"
        shutil.copytree(scenarios, copied)
        for own in ("tutorial", "figures"):  # of the documents, which build on shipped files by their names
            shutil.copytree(scenarios.parent / "docs" / own, copied / "docs" / own)
        report = subprocess.run(
            [racksim, "run", "quickstart.json", "--json", "--set", 'run.warmup="0s"', "--set", 'run.measure="1us"'],
            capture_output=True, text=True, check=True)
        (copied / "report.json").write_text(report.stdout)

        shipped = collections.defaultdict(list)
        for file in sorted(copied.rglob("*.json")):
            path = file.relative_to(copied)
            if path.parts[0] != "schema":
                document = json.loads(file.read_text())
                shipped["report" if path.name == "report.json" else kind_of(path, document)].append((file, document))
        accepted, refusals = all_verdicts(racksim, [file for group in shipped.values() for file, _ in group])
        for kind, group in shipped.items():
            for file, document in group:
                if not accepted.get(file, "").startswith(KINDS[kind][0]):
                    failures.append(f"{file}: {accepted.get(file, 'refused')}, expected {kind}\n{refusals}")
                error = next(validators[kind].iter_errors(document), None)
                if error:
                    failures.append(f"{file}: refused by schema/{kind}.json at {error.json_path}: {error.message[:300]}")
        if failures:
            return failures

        dice = random.Random(seed)
        bag = [kind for kind, (_, weight) in KINDS.items() for _ in range(weight) if shipped[kind]]
        made = {}
        for number in range(mutants):
            kind = dice.choice(bag)
            file, document = dice.choice(shipped[kind])
            mutant, change, path = mutate(document, dice)
            # A list of claims is told by its file's name; others find what they build on from their own folder.
            own = (file.parent / f"mutant{number}" / file.name) if kind == "claims" else file.with_name(
                f"{file.stem}~{number}.json")
            own.parent.mkdir(exist_ok=True)
            own.write_text(json.dumps(mutant))
            made[own] = (kind, mutant, f"{change} {'/'.join(map(str, path))} of {file.relative_to(copied)}", path)
        accepted, _ = all_verdicts(racksim, list(made))

        counts = collections.defaultdict(collections.Counter)
        for file, (kind, mutant, what, path) in made.items():
            fine = accepted.get(file, "").startswith(KINDS[kind][0])
            by_schema = validators[kind].is_valid(mutant)
            count = counts[kind]
            count["mutants"] += 1
            count["refused"] += not fine
            count["by both"] += not fine and not by_schema
            if fine and not by_schema and not is_never_read(kind, mutant, path):
                error = next(validators[kind].iter_errors(mutant))
                failures.append(f"the schema alone refuses: {what}: {error.json_path}: {error.message[:200]}")

    total = sum(counts.values(), collections.Counter())
    print(f"{'kind':<14}{'mutants':>9}{'refused by the reader':>23}{'by the schema too':>19}")
    for name, count in [*((kind, counts[kind]) for kind in KINDS if kind in counts), ("all", total)]:
        share = f"{100 * count['by both'] / max(1, count['refused']):.0f} %"
        print(f"{name:<14}{count['mutants']:>9}{count['refused']:>23}{count['by both']:>13}{share:>6}")
    if total["by both"] < FLOOR * total["refused"]:
        failures.append(f"the schemas refuse less than {100 * FLOOR:.0f} % of what the readers refuse")
    return failures


if __name__ == "__main__":
    found = main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
    print("\n".join(found[:40]))
    sys.exit(1 if found else 0)
