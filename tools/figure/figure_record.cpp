// Keeping what a figure's claims came to. See figure_record.hpp.
#include "tools/figure/figure_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/figure/figure_report.hpp"
#include "tools/scenario/binding.hpp"

namespace racksim::tools {
namespace fs = std::filesystem;
namespace {

const JsonValue::Array& array_member(const JsonValue& document, const JsonLocation& root, const char* key) {
  const auto* value = document.find(key);
  if (!value || !value->elements()) root.member(key).refuse(value ? value->description() : "nothing", "an array");
  return *value->elements();
}

}  // namespace

FigureRecord record_of(const Figure& figure, const std::vector<PointResult>& results) {
  FigureRecord record;
  record.figure = figure.name;
  record.repeats = figure.repeats;
  for (const JudgedClaim& judged : judge_claims(figure, results)) {
    const Verdict& verdict = judged.verdict;
    record.claims.push_back({judged.claim->id, judged.claim->paper.text, verdict.simulated, judged.text, verdict.met,
                             !verdict.unclear.empty()});
  }
  for (const PointResult& result : results) record.run_hashes.push_back(result.hash);
  return record;
}

fs::path record_file_of(const std::string& figure_file) {
  const fs::path file = fs::absolute(figure_file).lexically_normal();
  for (fs::path folder = file.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (folder.filename() != "figures") continue;
    return folder.parent_path() / "claims" / "recorded" / file.lexically_relative(folder);
  }
  return {};
}

JsonValue readings_json(const std::vector<FigureRecord::Reading>& readings) {
  return array_of(readings, [](const FigureRecord::Reading& reading) {
    auto one = JsonValue::object({{"id", reading.id},
                                  {"paper", reading.paper},
                                  {"simulated", reading.simulated},
                                  {"verdict", reading.verdict},
                                  {"met", reading.met}});
    if (reading.unclear) one.set("unclear", true);
    return one;
  });
}

JsonValue record_json(const FigureRecord& record) {
  auto document = JsonValue::object({{"version", 1}, {"figure", record.figure}});
  if (record.repeats != Repeats{}) document.set("repeats", repeats_json(record.repeats));
  document.set("claims", readings_json(record.claims));
  document.set("run_hashes", array_of(record.run_hashes));
  return document;
}

FigureRecord read_figure_record(const std::string& file) {
  const JsonValue document = read_json_file(file);
  const JsonLocation root{file, ""};
  FigureRecord record;
  std::uint64_t version = 0;
  std::string schema;
  sim::Parameters own;
  own.text("$schema", schema, "");
  own.integer("version", version, 1, 1, "");
  own.text("figure", record.figure, "");
  bind(document, root, own, {{"repeats", "claims", "run_hashes"}, nullptr});
  if (version != 1) root.refuse("no \"version\"", "\"version\": 1, the format of the file");
  if (const auto* repeats = document.find("repeats"))
    record.repeats = read_repeats_json(*repeats, root.member("repeats"));
  const auto& claims = array_member(document, root, "claims");
  for (std::size_t i = 0; i < claims.size(); ++i) {
    FigureRecord::Reading reading;
    sim::Parameters members;
    members.text("id", reading.id, "");
    members.text("paper", reading.paper, "");
    members.text("simulated", reading.simulated, "");
    members.text("verdict", reading.verdict, "");
    members.flag("met", reading.met, "");
    members.flag("unclear", reading.unclear, "");
    bind(claims[i], root.member("claims").element(i), members);
    record.claims.push_back(std::move(reading));
  }
  const auto& hashes = array_member(document, root, "run_hashes");
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    record.run_hashes.push_back(require_string(hashes[i], root.member("run_hashes").element(i), "a run hash"));
  }
  return record;
}

std::string record_difference(const FigureRecord& kept, const FigureRecord& fresh) {
  std::vector<std::string> changed;
  for (const FigureRecord::Reading& reading : fresh.claims) {
    if (std::find(kept.claims.begin(), kept.claims.end(), reading) == kept.claims.end()) changed.push_back(reading.id);
  }
  for (const FigureRecord::Reading& reading : kept.claims) {
    const auto same_id = [&](const FigureRecord::Reading& other) { return other.id == reading.id; };
    if (std::none_of(fresh.claims.begin(), fresh.claims.end(), same_id)) changed.push_back(reading.id);
  }
  if (!changed.empty()) return fmt::format("{}", fmt::join(changed, ", "));
  return kept.run_hashes == fresh.run_hashes ? "" : "no claim, but runs";
}

}  // namespace racksim::tools
