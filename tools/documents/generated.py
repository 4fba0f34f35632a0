"""Generated parts and counts of pages: `<!-- generated: mechanisms flowcc -->`, `<!-- count: mutants flowcc -->`.

Parts:   mechanisms PROTOCOL    its safety mechanisms: option, unsafe value, what goes wrong, regression
         options OWNER          the options of a protocol, a workload, a kind of fault or a part of a scenario
         commands               the sub-commands of racksim, a line each
         list KIND              what `racksim list KIND` names, with a sentence each
         claims                 how many claims of each paper are met, off, unclear and not modelled
Counts:  oracles, protocols, workloads, faults, programs, testbeds, figures, scenarios, models: of `racksim list`
         mechanisms [PROTOCOL], mutants [PROTOCOL], metrics, options [OWNER]
         claims [PAPER [met|off|unclear|not_modelled]]
         regressions, templates (of fuzzing), litmus (scenarios/litmus)
"""
import glob
import json
import os

from documents.program import cell, code, table, written


class Unknown(Exception):
    """No generator of that name, or not with these arguments."""


def mechanisms(program, protocol):
    rows = [(code(protocol + "." + one["option"]), code(written(one["unsafe"])), one["breaks"], code(one["regression"]))
            for one in program.list("mechanisms", protocol)]
    return table(("option", "unsafe value", "what goes wrong", "regression"), rows)


def range_of(option):
    """What may be given for an option."""
    if "choices" in option:
        return ", ".join(code(one) for one in option["choices"])
    ends = [code(written(option[end])) if end in option else "" for end in ("least", "most")]
    if ends == ["", ""]:
        return option["type"]
    if not ends[1]:
        return f"{option['type']}, from {ends[0]}"
    return f"{option['type']}, {ends[0]} to {ends[1]}"


def options_table(options):
    rows = [(code(one["path"]), range_of(one), code(written(one["default"])), one["doc"]) for one in options]
    return table(("option", "values", "default", "meaning"), rows)


def options(program, owner):
    return options_table(program.list("options", owner))


def commands(program):
    return table(("command", "what it does"), [(code("racksim " + name), doc) for name, doc in program.commands()])


def listed(program, kind):
    return table(("name", "what it is"), [(code(one["name"]), one["doc"]) for one in program.list(kind)])


def claims(program):
    rows = []
    for paper, standings in program.list("claims")["summary"].items():
        rows.append((paper, sum(standings.values()), standings["met"], standings["off"], standings["unclear"],
                     standings["not modelled"]))
    rows.append(("all", *(sum(row[i] for row in rows) for i in range(1, 6))))
    return table(("paper", "claims", "met", "off", "unclear", "not modelled"), rows)


PARTS = {"mechanisms": mechanisms, "options": options, "commands": commands, "list": listed, "claims": claims}


def part(program, call):
    """The lines of a generated part."""
    name, *arguments = call.split()
    if name not in PARTS:
        raise Unknown(f"nothing generates \"{name}\"; there are {', '.join(sorted(PARTS))}")
    try:
        return ["", *PARTS[name](program, *arguments), ""]
    except TypeError:
        raise Unknown(f"\"{name}\" does not take {len(arguments)} arguments") from None
    except RuntimeError as error:
        raise Unknown(str(error)) from None


def regressions(root):
    """Scenarios of the suite, the cases of a file each for itself."""
    number = 0
    for file in glob.glob(os.path.join(root, "scenarios", "regress", "**", "*.json"), recursive=True):
        if "baselines" not in file.split(os.sep):
            with open(file, encoding="utf-8") as text:
                number += len(json.load(text).get("cases", [None]))
    return number


def claims_number(program, paper=None, standing=None):
    summary = program.list("claims")["summary"]
    chosen = [summary[paper]] if paper else summary.values()
    return sum(one[standing.replace("_", " ")] if standing else sum(one.values()) for one in chosen)


COUNTS = {
    "claims": claims_number,
    "mechanisms": lambda program, *of: len(program.list("mechanisms", *of)),
    "options": lambda program, *of: len(program.list("options", *of)),
    "metrics": lambda program: len(program.list("metrics")),
    "mutants": lambda program, protocol="*": len(
        glob.glob(os.path.join(program.root, "tests", "mutants", protocol, "*.patch"))),
    "regressions": lambda program: regressions(program.root),
    "templates": lambda program: len(glob.glob(os.path.join(program.root, "scenarios", "fuzz", "*.json"))),
    "litmus": lambda program: len(glob.glob(os.path.join(program.root, "scenarios", "litmus", "*.json"))),
}
for kind in ("oracles", "protocols", "workloads", "faults", "programs", "testbeds", "figures", "scenarios", "models"):
    COUNTS[kind] = lambda program, kind=kind: len(program.list(kind))


def count(program, call):
    """The text of a count."""
    name, *arguments = call.split()
    if name not in COUNTS:
        raise Unknown(f"nothing counts \"{name}\"; there are {', '.join(sorted(COUNTS))}")
    try:
        return f"{COUNTS[name](program, *arguments):,}"
    except (TypeError, KeyError):
        raise Unknown(f"\"{name}\" cannot be counted by {' '.join(arguments)}") from None
    except RuntimeError as error:
        raise Unknown(str(error)) from None
