// The table of mechanisms and who found them. See fuzz_strength.hpp.
#include "tools/commands/fuzz_strength.hpp"

#include <fmt/format.h>

#include <ostream>

#include "tools/fuzz/strength.hpp"
#include "tools/processes/progress_line.hpp"

namespace racksim::tools {
namespace {

bool is_strong(const Strength& strength) {
  return strength.fails_as_it_is.empty() && !strength.interrupted && strength.missed() == 0;
}

/// What is known of a mechanism that was not found.
std::string why_missed(const MechanismSearch& search) {
  if (!search.refusal.empty()) return "cannot be run so: " + search.refusal;
  return search.acts ? "runs went another way, and no oracle objected" : "no run went another way";
}

void print_text(const Strength& strength, std::uint64_t runs, CommandContext& context) {
  constexpr const char* kRow = "{:<44} {:<14} {:>6}  {}\n";
  if (!strength.searches.empty()) context.out << fmt::format(kRow, "mechanism", "turned off", "runs", "found by");
  for (const MechanismSearch& search : strength.searches) {
    const bool found = search.found_after.has_value();
    context.out << fmt::format(
        kRow, search.mechanism.option, to_canonical_json(search.mechanism.unsafe),
        found ? std::to_string(*search.found_after) : "-",
        found ? fmt::format("{} ({})", search.oracle, search.template_file) : "NOT FOUND: " + why_missed(search));
  }
  const auto line = [&](const char* name, const std::string& text) {
    context.out << fmt::format("{:<13}{}\n", name, text);
  };
  if (!strength.fails_as_it_is.empty()) line("fails", "with all mechanisms in place: " + strength.fails_as_it_is);
  line("strength", fmt::format("{} of {} mechanisms found, each within {} runs of a template",
                               strength.searches.size() - strength.missed(), strength.searches.size(), runs));
  line("verdict", strength.interrupted ? "interrupted" : is_strong(strength) ? "pass" : "FAIL");
}

void print_json(const Strength& strength, const std::vector<std::string>& templates, std::uint64_t runs,
                CommandContext& context) {
  auto report = JsonValue::object({{"templates", array_of(templates)},
                                   {"runs", runs},
                                   {"interrupted", strength.interrupted},
                                   {"verdict", is_strong(strength) ? "pass" : "fail"}});
  if (!strength.fails_as_it_is.empty()) report.set("fails_as_it_is", strength.fails_as_it_is);
  JsonValue& mechanisms = report.set("mechanisms", JsonValue::array());
  for (const MechanismSearch& search : strength.searches) {
    JsonValue& one = mechanisms.push(JsonValue::object());
    one.set("option", search.mechanism.option);
    one.set("unsafe", search.mechanism.unsafe);
    one.set("found", search.found_after.has_value());
    if (search.found_after) {
      one.set("runs", *search.found_after);
      one.set("oracle", search.oracle);
      one.set("template", search.template_file);
    } else {
      one.set("why", why_missed(search));
    }
  }
  context.out << to_json(report);
}

}  // namespace

int fuzz_strength(const std::vector<std::string>& templates, const std::vector<std::string>& overrides,
                  std::uint64_t seed, const FuzzPlan& plan, bool json, CommandContext& context) {
  ProgressLine line(context.err, !json);
  const Strength strength =
      measure_strength(templates, overrides, seed, plan, context.catalogue, [&](const auto& option, const auto& file) {
        line.show(
            [&](double) { return option.empty() ? file + " as it is" : fmt::format("{} without {}", file, option); });
      });
  json ? print_json(strength, templates, *plan.runs, context) : print_text(strength, *plan.runs, context);
  if (strength.interrupted) return exit_interrupted;
  return is_strong(strength) ? exit_ok : exit_failed;
}

}  // namespace racksim::tools
