// The rounds of reduction. See shrink.hpp.
#include "tools/shrink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "tools/interruption.hpp"
#include "tools/reductions.hpp"

namespace racksim::tools {
namespace {

/// A hang costs the whole wall-clock limit each time it is seen.
constexpr std::uint64_t kRunsOfHang = 50;

class Shrinking {
 public:
  Shrinking(JsonValue document, const TrialResult& failure, const Catalogue& catalogue, const ScenarioRunner& runner,
            const ShrinkPlan& plan, const ShrinkProgress& progress)
      : catalogue_(catalogue), runner_(runner), plan_(plan), progress_(progress), kind_(failure.kind) {
    result_.document = std::move(document);
    result_.result = failure;
    most_ = kind_ == "hang" ? std::min(plan.runs, kRunsOfHang) : plan.runs;
  }

  ShrinkResult run() {
    bool reduced = true;
    while (reduced && result_.runs < most_ && !interrupted()) {
      reduced = false;
      for (const Reduction reduction : reductions()) {
        while (try_candidates(reduction(result_.document, read()))) reduced = true;
      }
    }
    result_.interrupted = interrupted();
    result_.minimal = !reduced && result_.runs < most_ && !result_.interrupted;
    return std::move(result_);
  }

 private:
  Scenario read() const { return read_scenario(result_.document, "shrinking scenario", catalogue_); }

  /// Tries all candidates with the present seed, then with others; takes the first that fails in the same way.
  bool try_candidates(const std::vector<JsonValue>& candidates) {
    std::vector<JsonValue> tries;
    std::vector<std::string> texts;
    const auto add = [&](JsonValue candidate, std::uint64_t seed) {
      candidate.set("seed", seed);
      std::string text = to_canonical_json(candidate);
      if (in_vain_.count(text) > 0) return;
      tries.push_back(std::move(candidate));
      texts.push_back(std::move(text));
    };
    const std::uint64_t present = read().seed;
    for (const JsonValue& candidate : candidates) add(candidate, present);
    for (const std::uint64_t seed : plan_.seeds) {
      if (seed == present) continue;
      for (const JsonValue& candidate : candidates) add(candidate, seed);
    }
    std::optional<std::size_t> taken;
    const std::uint64_t allowed = std::min<std::uint64_t>(tries.size(), most_ - result_.runs);
    run_trials(
        plan_.limits, [&](std::uint64_t number) { return runner_(tries[number]); },
        [&](std::uint64_t number) { return number < allowed; },
        [&](std::uint64_t number, const TrialResult& trial) {
          ++result_.runs;
          if (!trial.failed() || !trial.shows(kind_)) {
            in_vain_.insert(std::move(texts[number]));
            return true;
          }
          taken = number;
          result_.result = trial;
          return false;
        });
    if (!taken) return false;
    result_.document = std::move(tries[*taken]);
    ++result_.reductions;
    if (progress_) progress_(result_);
    return true;
  }

  const Catalogue& catalogue_;
  const ScenarioRunner& runner_;
  const ShrinkPlan& plan_;
  const ShrinkProgress& progress_;
  std::string kind_;
  std::uint64_t most_ = 0;
  std::set<std::string> in_vain_;  // candidates that did not fail in the same way, as canonical text
  ShrinkResult result_;
};

}  // namespace

ShrinkResult shrink(JsonValue document, const TrialResult& failure, const Catalogue& catalogue,
                    const ScenarioRunner& runner, const ShrinkPlan& plan, const ShrinkProgress& progress) {
  expand_rack(document);
  return Shrinking(std::move(document), failure, catalogue, runner, plan, progress).run();
}

JsonValue shrunk_scenario(const ShrinkResult& shrunk, const std::string& origin) {
  JsonValue document;
  document.set("version", 1);  // first, with what a reader wants to know next
  const auto* name = shrunk.document.find("name");
  document.set("name", (name && name->string() ? *name->string() : "scenario") + "-shrunk");
  document.set("doc", fmt::format("{}; {}.", description(shrunk.result), origin));
  for (const auto& [key, value] : *shrunk.document.members()) {
    if (key != "version" && key != "name" && key != "doc") document.set(key, value);
  }
  return document;
}

std::string shrinking_line(const ShrinkResult& so_far) {
  return fmt::format("shrinking: {} runs, {} reductions, {} operations", so_far.runs, so_far.reductions,
                     so_far.result.operations);
}

std::string shrink_text(const ShrinkResult& shrunk, const std::string& file) {
  return fmt::format("{:<13}{} reductions in {} runs, {}\n             {}\n{:<13}racksim run {}\n", "shrunk",
                     shrunk.reductions, shrunk.runs,
                     shrunk.minimal       ? "to a local minimum"
                     : shrunk.interrupted ? "when it was interrupted"
                                          : "when the runs were used up",
                     description(shrunk.result), "replay", file);
}

}  // namespace racksim::tools
