// Reading the lists of the papers' claims. See paper_claims.hpp.
#include "tools/figure/paper_claims.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tools/files/data_files.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/shell.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

void require_one_of(const std::string& name, const std::vector<std::string>& names, const JsonLocation& place) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    place.refuse(quote(name), one_of(names), nearest_name(name, names));
  }
}

std::vector<std::string> read_tests(const JsonValue* tests, const JsonLocation& place) {
  std::vector<std::string> names;
  if (!tests) return names;
  const auto* list = tests->elements();
  if (!list || list->empty()) place.refuse(tests->description(), "an array of names of test cases");
  for (std::size_t i = 0; i < list->size(); ++i) {
    names.push_back(require_string((*list)[i], place.element(i), "the name of a test case"));
  }
  return names;
}

/// What goes together, and what does not.
void check_forms(const PaperClaim& claim, const JsonLocation& place) {
  const bool tested = !claim.figure.empty() || !claim.tests.empty();
  if (!tested && claim.not_modelled.empty())
    place.refuse("a claim that nothing tests", "\"figure\", \"tests\" or \"not_modelled\"");
  if (!claim.not_modelled.empty() && !(claim.off + claim.partly + claim.ambiguous).empty()) {
    place.member("not_modelled").refuse("a reason why the claim is not met beside it", "one reason");
  }
  if (!claim.off.empty() && claim.tests.empty()) {
    place.member("off").refuse("no \"tests\" beside it", "tests that show what is so; figures are recorded");
  }
  if (!claim.words.empty() && claim.tests.empty()) {
    place.member("words").refuse("no \"tests\" beside it", "tests; with a figure they stand in the figure's claim");
  }
  if (!claim.reason.empty() && claim.figure.empty()) {
    place.member("reason").refuse("no \"figure\" beside it", "a figure that is off; of tests \"off\" says what is so");
  }
}

PaperClaim read_claim_of_paper(const JsonValue& value, const JsonLocation& place, const std::string& paper,
                               const std::vector<std::string>& figures) {
  PaperClaim claim;
  claim.paper = paper;
  sim::Parameters members;
  const std::pair<const char*, std::string*> required[] = {{"id", &claim.id},
                                                           {"section", &claim.section},
                                                           {"basis", &claim.basis},
                                                           {"text", &claim.text},
                                                           {"expected", &claim.expected}};
  const std::pair<const char*, std::string*> optional[] = {
      {"figure", &claim.figure}, {"not_modelled", &claim.not_modelled}, {"off", &claim.off},
      {"partly", &claim.partly}, {"ambiguous", &claim.ambiguous},       {"reason", &claim.reason}};
  for (const auto& [key, target] : required) members.text(key, *target, "");
  for (const auto& [key, target] : optional) members.text(key, *target, "");
  bind(value, place, members, {{"tests", "words"}, nullptr});
  for (const auto& [key, target] : required) {
    if (target->empty()) place.refuse("no " + quote(key), quote(key) + " of the claim");
  }
  for (const auto& [key, target] : optional) {
    if (value.find(key) && target->empty()) place.member(key).refuse("an empty string", "a name or a reason");
  }
  if (!claim.id.starts_with(paper + "-")) {
    place.member("id").refuse(quote(claim.id), "an id that begins with " + quote(paper + "-"));
  }
  require_one_of(claim.basis, claim_bases(), place.member("basis"));
  if (!claim.figure.empty()) require_one_of(claim.figure, figures, place.member("figure"));
  claim.tests = read_tests(value.find("tests"), place.member("tests"));
  if (const auto* words = value.find("words")) claim.words = read_word_shares(*words, place.member("words"));
  check_forms(claim, place);
  return claim;
}

/// What the figure's record says of the claim and its parts. False if there is no record of them.
bool read_readings(PaperClaim& claim, const fs::path& folder) {
  const fs::path file = folder / "claims" / "recorded" / (claim.figure + ".json");
  if (!fs::exists(file)) return false;
  FigureRecord record = read_figure_record(file.string());
  if (record.repeats.count() > 1) claim.repeats = record.repeats.text();
  for (FigureRecord::Reading& reading : record.claims) {
    if (reading.id != claim.id && !reading.id.starts_with(claim.id + "/")) continue;
    claim.readings.push_back(std::move(reading));
  }
  return !claim.readings.empty();
}

void take_standing_of_figure(PaperClaim& claim, const fs::path& folder) {
  if (!read_readings(claim, folder)) {
    claim.standing = Standing::unclear;
    claim.why = "not recorded: " + racksim_command("figure", claim.figure, {"--record"});
    return;
  }
  const auto count = [&](auto holds) { return std::count_if(claim.readings.begin(), claim.readings.end(), holds); };
  const auto met = count([](const auto&r) { return r.met; }), unclear = count([](const auto&r) { return r.unclear; });
  const auto off = static_cast<std::ptrdiff_t>(claim.readings.size()) - met - unclear;
  if (off == 0 && unclear == 0) {
    claim.standing = Standing::met;
  } else if (off > 0 && met == 0) {
    claim.standing = Standing::off;
  } else {
    claim.standing = off > 0 && claim.ambiguous.empty() ? Standing::off : Standing::unclear;
  }
  if (claim.standing == Standing::met) return;
  claim.why = claim.reason;
  if (off > 0 && claim.standing == Standing::unclear) claim.why = claim.ambiguous;
  if (off > 0 || !claim.why.empty()) return;
  for (const auto& reading : claim.readings) {
    if (reading.unclear) claim.why = reading.verdict;
  }
}

/// Tests cannot be run from here: a test that carries the claim's tag shows what the list says, or the test fails.
void take_standing(PaperClaim& claim, const fs::path& folder) {
  claim.standing = Standing::met;
  if (!claim.figure.empty()) take_standing_of_figure(claim, folder);
  if (!claim.not_modelled.empty()) {
    claim.standing = Standing::not_modelled;
    claim.why = claim.not_modelled;
  } else if (!claim.off.empty()) {
    claim.standing = Standing::off;
    claim.why = claim.off;
  } else if (claim.standing == Standing::met && !claim.partly.empty()) {
    claim.standing = Standing::unclear;
    claim.why = claim.partly;
  } else if (claim.standing == Standing::met && claim.figure.empty() && !claim.ambiguous.empty()) {
    claim.standing = Standing::unclear;
    claim.why = claim.ambiguous;
  }
}

/// `ids` are those of all lists read so far.
std::vector<PaperClaim> read_list(const std::string& file, const fs::path& folder, std::set<std::string>& ids) {
  const JsonValue document = read_json_file(file);
  const JsonLocation root{file, ""};
  std::uint64_t version = 0;
  std::string title, schema;
  sim::Parameters own;
  own.text("$schema", schema, "");
  own.integer("version", version, 1, 1, "");
  own.text("title", title, "");
  bind(document, root, own, {{"claims"}, nullptr});
  if (version != 1) root.refuse("no \"version\"", "\"version\": 1, the format of the file");
  const auto* list = document.find("claims");
  if (!list || !list->elements()) root.refuse("no list \"claims\"", "\"claims\" with an array of claims");
  const std::string paper = fs::path(file).stem().string();
  const auto figures = json_names_below(folder / "figures");
  std::vector<PaperClaim> claims;
  for (std::size_t i = 0; i < list->elements()->size(); ++i) {
    const JsonLocation place = root.member("claims").element(i);
    PaperClaim claim = read_claim_of_paper((*list->elements())[i], place, paper, figures);
    if (!ids.insert(claim.id).second)
      place.member("id").refuse("the id " + quote(claim.id) + " again", "an id for each claim");
    take_standing(claim, folder);
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace

const std::vector<std::string>& claim_bases() {
  static const std::vector<std::string> all{"result", "design", "derived", "inferred", "background"};
  return all;
}

const char* to_string(Standing standing) {
  switch (standing) {
    case Standing::met:
      return "met";
    case Standing::off:
      return "off";
    case Standing::unclear:
      return "unclear";
    case Standing::not_modelled:
      break;
  }
  return "not modelled";
}

std::vector<PaperClaim> read_paper_claims(const std::string& file, const fs::path& folder) {
  std::set<std::string> ids;
  return read_list(file, folder, ids);
}

std::vector<PaperClaim> load_paper_claims(const fs::path& folder) {
  std::vector<PaperClaim> claims;
  std::set<std::string> ids;
  for (const std::string& paper : json_names_below(folder / "claims")) {
    if (paper.find('/') != std::string::npos) continue;  // records
    for (PaperClaim& claim : read_list((folder / "claims" / (paper + ".json")).string(), folder, ids)) {
      claims.push_back(std::move(claim));
    }
  }
  return claims;
}

}  // namespace racksim::tools
