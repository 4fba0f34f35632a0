// The options of a litmus test, and what they say. See litmus_workload.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/workloads/litmus_oracle.hpp"
#include "models/workloads/litmus_program.hpp"
#include "models/workloads/litmus_workload.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

using namespace sim::literals;

void LitmusOptions::declare(sim::Parameters& p) {
  p.integer("threads", threads, 1, 64, "application threads on each node, on which sessions find a place");
  std::string names;
  for (const LitmusTest& test : litmus_tests()) names += fmt::format("{}{}", names.empty() ? "" : ", ", test.name);
  p.text("program", program,
         fmt::format("the litmus test: {}; or one such as \"{{x@4; y@5}} P0@0: x=1; r0=y | P1@1/2: y=1; fence; r1=x\", "
                     "with homes of objects, and nodes and threads of sessions, where wanted",
                     names))
      .canonical([this] { return find_litmus_test(program) != nullptr ? program : parsed_program().text(); });
  const auto outcomes = [&](const char* name, std::string& text, const char* doc) {
    p.text(name, text, doc).canonical([this, name, &text] {
      const LitmusProgram parsed = parsed_program();
      return text_of(parse_litmus_outcomes(text, parsed, name), parsed);
    });
  };
  outcomes("forbidden", forbidden, "outcomes that must not be seen, such as \"r0=0 & r1=0\", separated by ';'");
  outcomes("allowed", allowed, "outcomes that are counted, and are no violation whatever the model says");
  outcomes("required", required, "the same, but each must be seen at least once in the run");
  p.choice("model", model,
           {{"sc", LitmusModel::sc}, {"tso", LitmusModel::tso}, {"pso", LitmusModel::pso}, {"none", LitmusModel::none}},
           "what the memory promises: an outcome that is not declared and that no execution of it has is a violation");
  p.integer("repetitions", repetitions, 1, 1'000'000'000, "how often the program is run; then the run's phase is over")
      .varied({200});
  p.length("spread", spread, 0_ns, 1_s, "each session begins its program up to so much later than the others")
      .varied({0_ns, 2_us, 10_us, 100_us});
  p.length("pause", pause, 0_ns, 1_s, "between two operations of a session: up to so much")
      .varied({0_ns, 500_ns, 5_us});
  p.length("settle", settle, 0_ns, 1_s,
           "before each repetition nothing is done for so long: a store's puts may return before they are everywhere")
      .neutral(0_ns);
  p.ratio("looks", looks, "probability that a session reads an object before the program runs, so as to hold a copy")
      .varied({0.0, 0.5, 1.0});
}

void LitmusOptions::check() const {
  declared_outcomes(parsed_program());
}

Footprint LitmusOptions::footprint(const RunScale& scale) const {
  const std::uint64_t objects = parsed_program().objects.size();
  const double most = scale.time.seconds() * static_cast<double>(scale.nodes) * 1e7;
  return {.objects = objects,
          .warm_accesses = 0,
          .reachable = objects,
          .of_node = objects,
          .operations = scale.operations + static_cast<std::uint64_t>(most)};
}

std::vector<std::string> LitmusOptions::oracles(std::uint64_t) const {
  if (parsed_program().joins()) return {"litmus", "one-call"};
  return {"litmus"};
}

LitmusProgram LitmusOptions::parsed_program() const {
  const std::string& text = program;
  const LitmusTest* shipped = find_litmus_test(text);
  if (shipped == nullptr && !text.empty() && text.find(':') == std::string::npos) {
    std::vector<std::string> names;
    for (const LitmusTest& test : litmus_tests()) names.emplace_back(test.name);
    std::string expected =
        fmt::format(R"(one of {}, or a program such as "P0: x=1; r0=y | P1: y=1; r1=x")", fmt::join(names, ", "));
    throw sim::OptionError("program", fmt::format("'{}'", text.substr(0, 40)), std::move(expected),
                           {text, std::move(names)});
  }
  LitmusProgram parsed = parse_litmus_program(shipped != nullptr ? shipped->program : text);
  if (parsed.registers.empty()) {
    throw sim::OptionError("program", "a program that reads nothing", "one that does: it has several outcomes");
  }
  return parsed;
}

std::vector<DeclaredOutcome> LitmusOptions::declared_outcomes(const LitmusProgram& parsed) const {
  using Verdict = DeclaredOutcome::Verdict;
  std::vector<DeclaredOutcome> declared;
  const auto add = [&](const std::string& text, Verdict verdict, const char* option) {
    for (LitmusOutcome& outcome : parse_litmus_outcomes(text, parsed, option)) {
      const bool twice = std::any_of(declared.begin(), declared.end(),
                                     [&](const DeclaredOutcome& other) { return other.outcome == outcome; });
      if (twice) {
        throw sim::OptionError(option, fmt::format("{} again", outcome.text(parsed)),
                               "outcomes of which each is declared once");
      }
      declared.push_back({std::move(outcome), verdict, "declared forbidden"});
    }
  };
  add(forbidden, Verdict::forbidden, "forbidden");
  add(allowed, Verdict::allowed, "allowed");
  add(required, Verdict::required, "required");
  const LitmusTest* shipped = find_litmus_test(program);
  if (shipped == nullptr) return declared;
  const LitmusOutcome theirs = parse_litmus_outcomes(shipped->outcome, parsed, "program").front();
  for (const DeclaredOutcome& other : declared) {
    if (other.outcome == theirs) return declared;
  }
  declared.push_back({theirs, shipped->allowed(model) ? Verdict::allowed : Verdict::forbidden,
                      fmt::format("forbidden by model {}", to_string(model))});
  return declared;
}

}  // namespace racksim::models
