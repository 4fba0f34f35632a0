// Printing a suite's results. See suite_report.hpp.
#include "tools/suite/suite_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/experiment/metric_change.hpp"
#include "tools/experiment/provenance.hpp"
#include "tools/text/printable.hpp"
#include "tools/text/shell.hpp"

namespace racksim::tools {
namespace {

std::vector<std::string> failures_of(const SuiteResult& result) {
  auto failures = result.failures;
  failures.insert(failures.end(), result.baseline.failures.begin(), result.baseline.failures.end());
  return failures;
}

/// The last column of the table: what the baseline says.
std::string comparison_text(const SuiteResult& result) {
  if (!result.run_passed()) return "";
  const std::string modes = result.modes > 1 ? fmt::format("; the same in {} modes", result.modes) : "";
  if (result.seeds && result.seeds->run > 1) {
    return fmt::format("fails as expected with {} of {} seeds{}", result.seeds->run - result.seeds->missed.size(),
                       result.seeds->run, modes);
  }
  if (result.baseline.comparisons.empty()) return result.baseline.failures.empty() ? "nothing compared" + modes : "";
  std::string text;
  for (const auto& row : result.baseline.comparisons) {
    if (!text.empty()) text += ", ";
    if (row.stored && row.now) {
      text += fmt::format("{} {}", row.metric, change_text(*row.stored, *row.now));
    } else if (row.metric == "run hash") {
      text += row.met ? "run hash equal" : "run hash differs";
      if (row.met) break;  // then nothing else can
    } else {
      text += row.metric + " not comparable";
    }
  }
  return text + modes;
}

JsonValue optional_number(const std::optional<double>& value) {
  return value ? JsonValue(*value) : JsonValue();
}

std::string test_case(const SuiteScenario& scenario, const SuiteResult& result) {
  std::string xml = fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" time=\"{:.3f}\"",
                                xml_escaped(scenario.entry.folder), xml_escaped(scenario.entry.name),
                                xml_escaped(scenario.entry.file), result.seconds);
  if (result.passed()) return xml + "/>\n";
  if (result.skipped) return xml + ">\n      <skipped message=\"interrupted\"/>\n    </testcase>\n";
  const char* kind = result.ended ? "failure" : "error";
  const auto failures = failures_of(result);
  std::string all;
  for (const auto& failure : failures) all += failure + "\n";
  xml += fmt::format(">\n      <{0} message=\"{1}\">{2}</{0}>\n    </testcase>\n", kind, xml_escaped(failures.front()),
                     xml_escaped(all));
  return xml;
}

}  // namespace

std::string suite_text(const std::vector<SuiteScenario>& scenarios, const std::vector<SuiteResult>& results,
                       double wall_seconds) {
  std::size_t width = 8, passed = 0, skipped = 0;
  for (const auto& scenario : scenarios) width = std::max(width, scenario.entry.name.size());
  std::string out = fmt::format("{:<{}}  result    time  compared with the baseline\n", "scenario", width);
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const auto& entry = scenarios[i].entry;
    const auto& result = results[i];
    passed += result.passed() ? 1 : 0;
    skipped += result.skipped ? 1 : 0;
    if (result.skipped) continue;
    std::string line = fmt::format("{:<{}}  {:<6}  {:>4.1f} s  {}", entry.name, width,
                                   result.passed() ? "pass" : "FAIL", result.seconds, comparison_text(result));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    for (const auto& failure : failures_of(result)) out += fmt::format("    {}\n", failure);
    if (!result.passed()) out += fmt::format("    repeat: {}\n", racksim_command("run", entry.file));
  }
  out += fmt::format("{} of {} passed in {:.1f} s", passed, scenarios.size(), wall_seconds);
  out += skipped > 0 ? fmt::format("; interrupted, {} have no result\n", skipped) : "\n";
  return out;
}

JsonValue suite_json(const std::vector<SuiteScenario>& scenarios, const std::vector<SuiteResult>& results,
                     double wall_seconds) {
  auto list = JsonValue::array();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    auto row = JsonValue::object({{"name", scenarios[i].entry.name},
                                  {"file", scenarios[i].entry.file},
                                  {"verdict", results[i].skipped    ? "skipped"
                                              : results[i].passed() ? "pass"
                                                                    : "fail"},
                                  {"seconds", results[i].seconds},
                                  {"modes", results[i].modes}});
    row.set("failures", array_of(failures_of(results[i])));
    if (const auto& seeds = results[i].seeds) {
      auto& count = row.set("seeds", JsonValue::object());
      count.set("run", seeds->run);
      count.set("missed", array_of(seeds->missed));
    }
    auto& baseline = row.set("baseline", JsonValue::array());
    for (const auto& comparison : results[i].baseline.comparisons) {
      auto& compared = baseline.push(JsonValue::object());
      compared.set("metric", comparison.metric);
      compared.set("stored", optional_number(comparison.stored));
      compared.set("now", optional_number(comparison.now));
      compared.set("allowed", comparison.allowed);
      compared.set("met", comparison.met);
    }
    list.push(std::move(row));
  }
  const bool all = std::all_of(results.begin(), results.end(), [](const auto& result) { return result.passed(); });
  return JsonValue::object({{"verdict", all ? "pass" : "fail"},
                            {"wall_s", wall_seconds},
                            {"provenance", provenance_json()},
                            {"scenarios", std::move(list)}});
}

std::string suite_junit(const std::vector<SuiteScenario>& scenarios, const std::vector<SuiteResult>& results) {
  std::vector<std::string> folders;
  for (const auto& scenario : scenarios) {
    if (std::find(folders.begin(), folders.end(), scenario.entry.folder) == folders.end()) {
      folders.push_back(scenario.entry.folder);
    }
  }
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const auto& folder : folders) {
    std::string cases;
    std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
    double seconds = 0;
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
      if (scenarios[i].entry.folder != folder) continue;
      ++tests;
      failures += !results[i].passed() && results[i].ended ? 1 : 0;
      errors += !results[i].ended && !results[i].skipped ? 1 : 0;
      skipped += results[i].skipped ? 1 : 0;
      seconds += results[i].seconds;
      cases += test_case(scenarios[i], results[i]);
    }
    xml += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n{}",
        xml_escaped(folder), tests, failures, errors, skipped, seconds, cases);
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto character = first_character(text.substr(i));
    // The two code points that XML leaves out are none.
    const bool left_out = !character || character->code == 0xfffe || character->code == 0xffff;
    const std::size_t length = left_out ? 1 : character->bytes;
    const char c = text[i];
    if (length > 1) {
      out += text.substr(i, length);
    } else if (left_out || (character->code < 0x20 && c != '\t' && c != '\n' && c != '\r')) {
      out += '?';
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c < 0x20) {
      out += fmt::format("&#{};", static_cast<int>(c));  // a plain one in an attribute would be read as a space
    } else {
      out += c;
    }
    i += length;
  }
  return out;
}

}  // namespace racksim::tools
