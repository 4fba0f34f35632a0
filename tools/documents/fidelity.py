"""docs/fidelity.md and docs/fidelity/PAPER.md: every claim of the papers beside what was simulated.

They are written from scenarios/claims/: the lists of claims, with the reasons why some are off, and the records of the
figures.
"""
import json
import os

from documents.generated import claims as counts_table
from documents.program import code, paragraph, table

INDEX = "docs/fidelity.md"
NOTE = "<!-- Written by tools/docs --renew from scenarios/claims/: change those instead. -->"


def title_of(program, paper):
    with open(os.path.join(program.root, "scenarios", "claims", paper + ".json"), encoding="utf-8") as file:
        return json.load(file)["title"]


def figures_of(program, paper):
    return [one["name"] for one in program.list("figures") if one["name"].startswith(paper + "/")]


def members(program, figure, key):
    """A list of a figure's file, or of the figure that it builds on."""
    path = os.path.join(program.root, "scenarios", "figures", figure + ".json")
    while os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            figure = json.load(file)
        if key in figure or not isinstance(figure.get("base"), str):
            return figure.get(key, [])
        path = os.path.join(os.path.dirname(path), figure["base"])
    return []


def own_claims(program, paper):
    """Rows of what the figures of a paper are held to besides: closed forms and other expectations of ours."""
    rows = []
    for figure in figures_of(program, paper):
        record = os.path.join(program.root, "scenarios", "claims", "recorded", figure + ".json")
        if not os.path.exists(record):
            continue
        texts = {one["id"]: one.get("text", "") for one in members(program, figure, "claims")}
        with open(record, encoding="utf-8") as file:
            rows += [(figure, texts.get(one["id"], ""), one["paper"], one["simulated"], one["verdict"])
                     for one in json.load(file)["claims"] if one["id"].startswith("own/")]
    return rows


def values(claim, key):
    """What the readings of a claim have, each part under its name."""
    parts = []
    for reading in claim["readings"]:
        name = reading["id"][len(claim["id"]) + 1:]
        parts.append((name + ": " if name else "") + reading[key])
    return "; ".join(parts)


def verdict(claim):
    """How the claim stands, and by how much it is off."""
    if claim["standing"] == "met" and any("fitted" in one["verdict"] for one in claim["readings"]):
        return "met (fitted)"
    by = [one["verdict"] for one in claim["readings"] if not one["met"] and one["verdict"] != "not met"]
    return "; ".join(by) if claim["standing"] == "off" and by else claim["standing"]


def fitted(program, paper):
    """Rows of the constants that were fitted to a claim of the paper's figures."""
    rows = {}
    for figure in figures_of(program, paper):
        for one in members(program, figure, "calibrated"):
            rows[one["constant"], one["on"]] = (code(one["constant"]), one["on"], one["doc"])
    return list(rows.values())


def paper_page(program, paper, claims):
    by_figures = [(one["section"], one["text"], values(one, "paper"), values(one, "simulated"), verdict(one),
                   one["why"]) for one in claims if one["readings"] and one["standing"] != "not modelled"]
    by_tests = [(one["section"], one["text"], one["expected"] + one["words"], "; ".join(one["tests"]), one["standing"], one["why"])
                for one in claims if not one["readings"] and one["standing"] != "not modelled"]
    left_out = [(one["section"], one["text"], one["why"]) for one in claims if one["standing"] == "not modelled"]
    number = {standing: sum(one["standing"] == standing for one in claims)
              for standing in ("met", "off", "unclear", "not modelled")}
    figures = ", ".join(code(name) for name in sorted({one["figure"] for one in claims if one["figure"]}))
    repeated = ", ".join(f"{code(name)} with {repeats}" for name, repeats in sorted(
        {(one["figure"], one["repeats"]) for one in claims if one["figure"] and one["repeats"]}))
    runs = "Each point was run once" + (f", but those of {repeated}." if repeated else ".")
    lines = [NOTE, "", f"# {paper}: claims and what was simulated", "", title_of(program, paper) + ".", "",
             f"{len(claims)} claims: " + ", ".join(f"{count} {standing}" for standing, count in number.items()) + ". " +
             "[All papers](../fidelity.md).", ""]
    header = ("where", "claim", "paper", "simulated", "standing", "why")
    if by_figures:
        lines += ["## By figures", "", *paragraph(f"`racksim figure NAME` runs one of {figures}. {runs}"), "",
                  *table(header, by_figures), ""]
    constants = fitted(program, paper)
    if constants:
        lines += ["## Fitted", "", *table(("constant", "to the claim", "how"), constants), ""]
    own = own_claims(program, paper)
    if own:
        lines += ["## Beside the paper", "", "What the figures are held to besides: closed forms, other expectations.",
                  "", *table(("figure", "expectation", "closed form or bound", "simulated", "verdict"), own), ""]
    if by_tests:
        lines += ["## By tests", "", *table((*header[:3], "shown by the test", *header[4:]), by_tests), ""]
    if left_out:
        lines += ["## Not modelled", "", *table(("where", "claim", "why not"), left_out), ""]
    return "\n".join(lines)


def index_page(program, papers):
    rows = [(f"[{paper}](fidelity/{paper}.md)", title_of(program, paper)) for paper in papers]
    return "\n".join([
        NOTE, "", "# The papers' claims, and what was simulated", "",
        *paragraph("Every claim that the papers make, also in their text, stands in a list (`scenarios/claims/`): what "
                   "the paper says, what was simulated, how the claim stands, and why where it is not met. Figures "
                   "were run at full scale and recorded."), "",
        "One command runs all figures again, records them and writes these pages:", "",
        "```console norun", "$ tests/campaigns/figures --record && tools/docs --renew docs/fidelity.md docs/fidelity",
        "```", "", *paragraph("`racksim figure NAME` runs one; without `--record` it says whether the claims are as "
                            "recorded. "
                       "`racksim list claims` prints all of this as text."), "",
        "## In all", "", *counts_table(program), "",
        "| standing | what it means |", "|---|---|",
        "| met | the value, of several seeds the 95 % interval of their mean, is within what the paper's rounding, or the "
        "claim's words, allow |",
        "| off | it is outside: by how much, and why as far as that is known |",
        "| unclear | the interval goes across, or the claim holds of nothing; a part of it holds, or one of several "
        "readings, or the paper leaves it open |",
        "| not modelled | nothing here tests it |", "",
        *paragraph("What was fitted to a paper's number is listed with its paper. All else is a prediction. "
                   "[Claims](claims.md) tells how seeds, directions and words such as \"about\" are judged."), "",
        "## By paper", "", *table(("claims of", "paper"), rows)]) + "\n"


def pages(program):
    """Path and text of each page."""
    papers = {}
    for claim in program.list("claims")["claims"]:
        papers.setdefault(claim["paper"], []).append(claim)
    found = {INDEX: index_page(program, papers)}
    for paper, claims in papers.items():
        found[f"docs/fidelity/{paper}.md"] = paper_page(program, paper, claims)
    return found
