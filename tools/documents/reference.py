"""The pages of docs/reference/, written from what the program declares."""
import re

from documents.generated import listed, mechanisms, options_table
from documents.program import code, paragraph, table, written

FOLDER = "docs/reference/"
NOTE = "<!-- Written by tools/docs --renew from the program's declarations: change those instead. -->"

# What each page is for; the index lists them in this order.
PAGES = {
    "scenario.md": "every key of a scenario, with type, range, default and meaning",
    "workloads.md": "the options of each workload",
    "faults.md": "the options of each kind of fault",
    "oracles.md": "what each oracle judges, and when it is asked",
    "metrics.md": "what a report counts, by who counts it",
    "programs.md": "the switch programs",
    "testbed.md": "the constants of a rack, and their values in each testbed",
    "commands.md": "what each sub-command of racksim takes",
}


def page(title, lines):
    return "\n".join([NOTE, "", f"# {title}", "", *lines]).rstrip("\n") + "\n"


def by(entries, key):
    """Entries by what `key` says, in the order in which that comes first."""
    groups = {}
    for entry in entries:
        groups.setdefault(entry[key], []).append(entry)
    return groups


def sections(headed):
    lines = []
    for heading, content in headed:
        lines += [f"## {heading}", "", *content, ""]
    return lines


def schema_rows(schema, paths):
    """Rows of a table of options for keys whose forms the schema alone knows."""
    rows = []
    for path in paths:
        entry = schema
        for part in path.split("."):
            entry = entry["properties"][part]
        forms = [one.get("pattern") and "length of time" or "`{\"operations\": N}`" for one in entry.get("anyOf", [])]
        values = " or ".join(forms) or ("`fifo`, `lifo` or `shuffle:SEED`" if "pattern" in entry else entry["type"])
        rows.append((code(path), values, "", entry.get("description", "")))
    return table(("option", "values", "default", "meaning"), rows)[2:]


def scenario(program):
    schema, options = program.schema(), by(program.list("options"), "part")
    elsewhere = {"rack": "a testbed's name, or an object with it and other values: [testbed.md](testbed.md)",
                 "protocol": "its name, and options of protocols: [protocols](README.md#protocols)",
                 "workload": "its kind, and its options: [workloads.md](workloads.md)",
                 "faults": "a list of kinds with their options: [faults.md](faults.md)",
                 "run": "the phases: [below](#run)", "check": "the oracles: [below](#check)",
                 "observe": "what else is written: [below](#observe)", "expect": "what must come out: [below](#expect)",
                 "fuzz": "what `racksim fuzz` draws of it: [fuzzing](../fuzzing.md#a-templates-own-draws)"}
    keys = [(code(key), "yes" if key in schema.get("required", []) else "", elsewhere.get(key) or
             entry.get("description", {"version": "the format, 1", "$schema": "for editors; ignored"}.get(key, "")))
            for key, entry in schema["properties"].items()]
    values = {"verdict": "`pass`, `fail`", "violation": "the name of an oracle or kind of violation"}
    expect = [(code(key), values.get(key, ""), entry.get("description", ""))
              for key, entry in schema["properties"]["expect"]["properties"].items()]
    expect.append(("a metric", "`min`, `max`, `equals`", "Bounds of a number of the report: [metrics.md](metrics.md)."))
    run = options_table(options["run"])
    run[2:2] = schema_rows(schema, ["run.warmup", "run.measure", "run.schedule.order"])
    names = schema["properties"]["observe"]["properties"]["series"]["properties"]["metrics"]
    observe = options_table(options["observe"])
    observe += table(("option", "values", "default", "meaning"),
                     [("`observe.series.metrics`", "names", "`throughput_mops`, `latency_ns.mean`, `latency_ns.p99`",
                       names["description"])])[2:]
    check = [("`check." + key + "`", entry["description"]) for key, entry in
             schema["properties"]["check"]["properties"].items() if key == "all"]
    return page("Keys of a scenario", [
        *paragraph("`--set PATH=VALUE` takes the same paths. A length of time is written as `10ms`, a size as `4KiB`, "
                   "a data rate as `100Gbps`. `racksim list options` prints this, `racksim schema` the JSON "
                   "Schema."), "",
        *table(("key", "required", "what it is"), keys), "",
        *sections([("run", run),
                   ("check", ["Each oracle is also an option, true or false: [oracles.md](oracles.md).", "",
                              *table(("option", "meaning"), check), "", *options_table(options["check"])]),
                   ("observe", observe),
                   ("expect", table(("key", "values", "meaning"), expect))])])


def protocols(program):
    """A page for each protocol."""
    options = by([one for one in program.list("options") if one["part"] == "protocol"], "owner")
    for protocol in program.list("protocols"):
        name = protocol["name"]
        headed = [("Options", options_table(options[name]) if name in options else ["It has none."])]
        if program.list("mechanisms", name):
            text = "With the unsafe value a mechanism is off, and the regression of `scenarios/regress/` shows it."
            headed.append(("Safety mechanisms", [text, "", *mechanisms(program, name)]))
        simple = [(one["name"].split("/", 1)[1], one["doc"]) for one in program.list("simplifications")
                  if one["name"].startswith(name + "/")]
        if simple:
            text = "What is known or done for the whole rack at once, although no message carries it."
            headed.append(("Simplified", [text, "", *table(("what", "how"), simple)]))
        sentence = protocol["doc"][0].upper() + protocol["doc"][1:] + "."
        yield f"protocols/{name}.md", page(f"Protocol {name}", [
            *paragraph(sentence), "", "Its metrics: [metrics.md](../metrics.md).", "", *sections(headed)])


def owned(program, title, kind, part, text):
    """A page with a section for each entry of a kind that has options."""
    options = by([one for one in program.list("options") if one["part"] == part], "owner")
    headed = [(entry["name"], [entry["doc"] + ".", "", *(options_table(options[entry["name"]])
                                                         if entry["name"] in options else ["It has no options."])])
              for entry in program.list(kind)]
    return page(title, [*paragraph(text), "", *sections(headed)])


def oracles(program):
    every = program.schema()["properties"]["check"]["properties"]["all"]["description"]
    return page("Oracles", [f"`check.all` asks for: {every[0].lower()}{every[1:]}", "", *listed(program, "oracles")])


def metrics(program):
    """Metrics that exist once for each of many stand in one row, with N for their numbers."""
    rows, users = {}, {}
    for one in program.list("metrics"):
        owner = re.sub(r"\d+$", "N", one["name"].split(".")[0])
        name = re.sub(r"(?<=[a-z])\d+(?=\.|$)", "N", one["name"]) if one["shown"] == "json" else one["name"]
        name = re.sub(r"(?<=^tor)\d+", "N", name)
        if owner == "litmus" and re.search(r"\.r\d", name):
            name, one["doc"] = "litmus.OUTCOME", "of the test that ended so: r0_0_r1_1 for `r0=0 & r1=1`"
        rows.setdefault(owner, {})[name] = (code(name), one["unit"], one["kind"], one["shown"], one["doc"])
        users.setdefault(owner, set()).update(one["protocols"])
    all_protocols = {one["name"] for one in program.list("protocols")}
    headed = []
    for owner in sorted(rows):
        where = "any protocol" if users[owner] == all_protocols else ", ".join(sorted(users[owner]))
        headed.append((owner, [f"In runs of {where}.", "", *table(("metric", "unit", "kind", "shown", "meaning"),
                                                                  rows[owner].values())]))
    return page("Metrics", [
        *paragraph("A metric's number is of the measured phase. `expect`, figures and comparisons take these names, "
                   "and with a counter `NAME.whole_run` and `NAME.mega_per_second`, with a histogram `NAME.mean`, "
                   "`NAME.p50`, `NAME.p99` and `NAME.max`, with a time series `NAME.lowest_share`. `throughput_mops` "
                   "and `latency_ns.p99` are those of all operations."), "",
        *paragraph("Unit and meaning are read together: \"packets that nodes sent\". Shown: `always`, unless it is 0; "
                   "`trouble`, with the whole run beside it; `verbose`, with `--verbose`; `json`, with `--json` alone. "
                   "`racksim list metrics FILE` prints those of a scenario; which of these a run has depends on its "
                   "options."), "", *sections(headed)])


def testbed(program):
    constants = program.list("constants")
    testbeds = [one["name"] for one in program.list("testbeds")]
    values = {(one["testbed"], one["constant"]): one for one in constants}

    def value(name, constant):
        one = values.get((name, constant))
        return (code(written(one["value"])) + (" (fitted)" if one.get("calibrated") else "")) if one else ""

    rows, meanings = [], []
    for option in program.list("options", "rack"):
        constant = option["path"].removeprefix("rack.")
        rows.append((code(option["path"]), *(value(name, constant) for name in testbeds)))
    meanings = [one for one in program.list("options", "rack")]
    return page("Constants of a rack", [
        *paragraph("A testbed gives the values, a scenario's `rack` may give others. `racksim list constants TESTBED` "
                   "prints each value with its source; [hardware.md](../hardware.md) says where the numbers come from."),
        "",
        *sections([("Testbeds", listed(program, "testbeds")), ("Meaning", options_table(meanings)),
                   ("Values", table(("constant", *testbeds), rows))])])


def commands(program):
    all_of_them = []
    for name, doc in program.commands():
        all_of_them += [(name, doc)] + [(f"{name} {inner}", its) for inner, its in program.commands(name)]
    headed = [(name, [doc + ".", "", "```text", *program.help_of(*name.split()), "```"]) for name, doc in all_of_them]
    return page("Commands", sections(headed))


def index(program):
    rows = [(f"[{name}]({name})", what) for name, what in PAGES.items()]
    of_protocols = [(f"[{one['name']}](protocols/{one['name']}.md)", one["doc"]) for one in program.list("protocols")]
    return page("Reference", [
        *paragraph("What the program declares, for looking things up: `racksim describe NAME` says the same of one "
                   "option, metric, fault or oracle. `tools/docs --renew` writes these pages; a test says when one is "
                   "stale."), "", *table(("page", "what it has"), rows), "", "## Protocols", "",
        *table(("options of", "what it is"), of_protocols)])


def pages(program):
    """Path and text of each page."""
    found = {
        "README.md": index(program),
        "scenario.md": scenario(program),
        "workloads.md": owned(program, "Workloads", "workloads", "workload",
                              "`workload.kind` names one; its options stand beside it."),
        "faults.md": owned(program, "Faults", "faults", "faults",
                           "`faults` is a list: `[{\"kind\": \"noise\", \"loss\": 0.01, \"until\": \"2ms\"}]`. In "
                           "`--set` N is a fault's place in it, from 0. Which kinds a protocol promises to survive, "
                           "`racksim list protocols` says."),
        "oracles.md": oracles(program),
        "metrics.md": metrics(program),
        "programs.md": page("Switch programs", [
            *paragraph("`racksim fit PROGRAM` places one into stages, `racksim switch PROGRAM PACKETS` sends packets "
                       "through it."), "", *listed(program, "programs")]),
        "testbed.md": testbed(program),
        "commands.md": commands(program),
        **dict(protocols(program)),
    }
    return {FOLDER + name: text for name, text in found.items()}
