// The list of a paper's claims that the project carries, where each is tested, and how it stands.
//
// scenarios/claims/PAPER.json:
//
//   {"version": 1, "title": "Wang, Q. et al.: Concordia: ...",
//    "claims": [
//      {"id": "concordia-fig9-base-drop", "section": "Fig. 9", "basis": "result",
//       "text": "The server-managed variant is only 3.8 times slower at full sharing.", "expected": "3.8",
//       "figure": "concordia/fig9"},
//      ...]}
//
// An id begins with the paper's name. `basis` says on what the claim rests: the paper's "result" or "design", "derived"
// or "inferred" from them, or "background", which the paper takes from others. `text` and `expected` are for people.
// Where a claim is tested is one or more of
//
//   "figure": a figure file that judges the claim under its id, or in parts under ID/PART; how it stands is what
//             `racksim figure NAME --record` last recorded
//   "tests": names of test cases, each of which carries the tag [claim:ID] and shows the claim, or [off:ID] and shows
//            what is so instead; a test checks that they do
//   "not_modelled": why nothing tests the claim
//
// Beside "tests" stands "words", what the claim's words without a number are read as (claim_words.hpp); with a figure
// they stand there.
//
// A claim that only holds in a weaker reading than the paper's is not met:
//
//   "off": of a claim with tests: what is so instead
//   "partly": what the paper includes in the claim and figure and tests leave out; at best the claim is unclear
//   "ambiguous": what the paper leaves open; a figure's parts are then readings, and unless all agree it is unclear
//   "reason": of a claim with a figure that is off or unclear: why, as far as that is known
//
// A new protocol adds its own file; nothing else names the papers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/figure/figure_record.hpp"

namespace racksim::tools {

enum class Standing : std::uint8_t { met, off, unclear, not_modelled };
const char* to_string(Standing standing);

struct PaperClaim {
  std::string paper, id, section, basis, text, expected;
  std::string figure;              ///< name of a figure, or empty
  std::vector<std::string> tests;  ///< names of test cases
  std::vector<WordShare> words;    ///< that the tests read the claim by
  std::string not_modelled, off, partly, ambiguous, reason;

  std::vector<FigureRecord::Reading> readings;  ///< of the claim or its parts, as the figure's record has them
  std::string repeats;                          ///< how often that figure ran each point; empty for once
  Standing standing = Standing::unclear;
  std::string why;  ///< why the claim is not met; empty if it is
};

/// What a claim may rest on ("basis").
const std::vector<std::string>& claim_bases();

/// One list, whose figures and records lie in `folder` (as scenarios_folder()). Throws InputError.
std::vector<PaperClaim> read_paper_claims(const std::string& file, const std::filesystem::path& folder);

/// All lists in `folder`/claims (`folder` as scenarios_folder()), by paper, in the order of the files. Throws
/// InputError.
std::vector<PaperClaim> load_paper_claims(const std::filesystem::path& folder);

/// The JSON Schema of a list.
JsonValue paper_claims_schema();

/// One line a claim: paper, id, section, standing, where; then how many stand how, paper by paper.
std::string paper_claims_text(const std::vector<PaperClaim>& claims);
/// The same and the claims' texts, for programs.
JsonValue paper_claims_json(const std::vector<PaperClaim>& claims);

}  // namespace racksim::tools
