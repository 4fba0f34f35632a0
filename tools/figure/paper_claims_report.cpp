// How the papers' claims stand, as text and JSON. See paper_claims.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "tools/figure/paper_claims.hpp"

namespace racksim::tools {
namespace {

constexpr std::array kStandings{Standing::met, Standing::off, Standing::unclear, Standing::not_modelled};

using Counts = std::array<std::size_t, kStandings.size()>;

std::map<std::string, Counts> counts_by_paper(const std::vector<PaperClaim>& claims) {
  std::map<std::string, Counts> counts;
  for (const PaperClaim& claim : claims) ++counts[claim.paper][static_cast<std::size_t>(claim.standing)];
  return counts;
}

/// "12 claims: 4 met, 1 off, 0 unclear, 7 not modelled"
std::string counts_text(const Counts& counts) {
  std::string text;
  std::size_t all = 0;
  for (const Standing standing : kStandings) {
    const std::size_t count = counts[static_cast<std::size_t>(standing)];
    all += count;
    text += fmt::format("{} {} {}", text.empty() ? "" : ",", count, to_string(standing));
  }
  return fmt::format("{} claims:{}", all, text);
}

/// Figure and tests, and why the claim is not met.
std::string where_text(const PaperClaim& claim) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!claim.figure.empty()) add("figure " + claim.figure);
  for (const FigureRecord::Reading& reading : claim.readings) {
    const std::string part = reading.id == claim.id ? "" : reading.id.substr(claim.id.size() + 1) + ": ";
    add(fmt::format("{}paper {}, simulated {}, {}", part, reading.paper, reading.simulated, reading.verdict));
  }
  for (const std::string& test : claim.tests) add("test \"" + test + "\"");
  if (!claim.why.empty()) add(claim.why);
  return text;
}

}  // namespace

std::string paper_claims_text(const std::vector<PaperClaim>& claims) {
  std::size_t paper = 0, id = 0, section = 0, standing = 0;
  for (const PaperClaim& claim : claims) {
    paper = std::max(paper, claim.paper.size());
    id = std::max(id, claim.id.size());
    section = std::max(section, claim.section.size());
    standing = std::max(standing, std::string(to_string(claim.standing)).size());
  }
  std::string text;
  for (const PaperClaim& claim : claims) {
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}\n", claim.paper, paper, claim.id, id, claim.section,
                        section, to_string(claim.standing), standing, where_text(claim));
  }
  for (const auto& [name, counts] : counts_by_paper(claims)) text += fmt::format("{}: {}\n", name, counts_text(counts));
  return text;
}

JsonValue paper_claims_json(const std::vector<PaperClaim>& claims) {
  JsonValue report;
  report.set("claims", array_of(claims, [](const PaperClaim& claim) {
               return JsonValue::object({{"paper", claim.paper},
                                         {"id", claim.id},
                                         {"section", claim.section},
                                         {"basis", claim.basis},
                                         {"text", claim.text},
                                         {"expected", claim.expected},
                                         {"standing", to_string(claim.standing)},
                                         {"why", claim.why},
                                         {"figure", claim.figure},
                                         {"tests", array_of(claim.tests)},
                                         {"words", word_shares_text(claim.words)},
                                         {"repeats", claim.repeats},
                                         {"readings", readings_json(claim.readings)}});
             }));
  JsonValue summary = JsonValue::object();
  for (const auto& [paper, counts] : counts_by_paper(claims)) {
    JsonValue by_standing = JsonValue::object();
    for (const Standing standing : kStandings) {
      by_standing.set(to_string(standing), static_cast<std::uint64_t>(counts[static_cast<std::size_t>(standing)]));
    }
    summary.set(paper, std::move(by_standing));
  }
  report.set("summary", std::move(summary));
  return report;
}

}  // namespace racksim::tools
