// The rounds of reduction. See shrink.hpp.
#include "tools/fuzz/shrink.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "tools/fuzz/noise_log.hpp"
#include "tools/fuzz/reductions.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/text/printable.hpp"
#include "tools/text/shell.hpp"

namespace racksim::tools {
namespace {

/// A hang costs the whole wall-clock limit each time it is seen.
constexpr std::uint64_t kRunsOfHang = 50;
/// So many faults are left out in turn before it is seen whether one of them could be; each costs a whole document.
constexpr std::size_t kTogether = 64;

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
    bool minimal = reduce();
    if (minimal && name_packets()) minimal = reduce();
    result_.interrupted = interrupted();
    result_.minimal = minimal && !result_.interrupted;
    return std::move(result_);
  }

 private:
  enum class Seeds : std::uint8_t { present, several };

  Scenario read() const { return read_scenario(result_.document, "shrinking scenario", catalogue_); }

  /// Rounds of all reductions; whether they ended because nothing more can be taken away.
  bool reduce() {
    bool reduced = true;
    while (reduced && result_.runs < most_ && !interrupted()) {
      reduced = false;
      for (const Reduction reduction : reductions()) {
        while (try_candidates(reduction(result_.document, read()), Seeds::several)) reduced = true;
      }
    }
    return !reduced && result_.runs < most_ && !interrupted();
  }

  /// Replaces noise by what it did, and that by what is needed of it. False if there is none, or the run cannot be
  /// repeated so.
  bool name_packets() {
    if (!plan_.noise_runner || !is_noisy(result_.document)) return false;
    const std::string noise = try_once(plan_.limits, [&] { return plan_.noise_runner(result_.document); }).noise;
    ++result_.runs;
    if (noise.empty()) return false;  // it crashed or hung before it could tell
    if (!try_candidates({with_noise_replaced(result_.document, noise_from_text(noise))}, Seeds::present)) return false;
    take_faults_away();
    return true;
  }

  /// Delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002): faults go by
  /// halves, by quarters, and so on to single ones, until each that is left is needed.
  void take_faults_away() {
    const auto count = [&] { return result_.document.find("faults")->elements()->size(); };
    for (std::size_t size = std::max<std::size_t>(1, count() / 2);;) {
      bool taken = false;
      for (std::size_t begin = 0; begin < count();) {
        std::vector<JsonValue> candidates;
        for (std::size_t first = begin; first < count() && candidates.size() < kTogether; first += size) {
          candidates.push_back(result_.document);
          JsonValue& faults = *candidates.back().find("faults");
          for (std::size_t i = std::min(first + size, count()); i > first; --i) faults.erase(i - 1);
        }
        const auto which = try_candidates(candidates, Seeds::present);
        // What came before it is needed, as far as this pass can tell.
        begin += which.value_or(candidates.size()) * size;
        taken = taken || which;
        if (result_.runs >= most_ || interrupted()) return;
      }
      if (size == 1 && !taken) return;
      if (size > 1) size /= 2;
    }
  }

  /// Tries all candidates with the present seed, and then perhaps with others; takes the first that fails in the same
  /// way, and tells which it was.
  std::optional<std::size_t> try_candidates(const std::vector<JsonValue>& candidates, Seeds seeds) {
    std::vector<JsonValue> tries;
    std::vector<std::string> texts;
    std::vector<std::size_t> numbers;
    const auto add = [&](std::size_t number, std::uint64_t seed) {
      JsonValue candidate = candidates[number];
      candidate.set("seed", seed);
      std::string text = to_canonical_json(candidate);
      if (in_vain_.count(text) > 0) return;
      tries.push_back(std::move(candidate));
      texts.push_back(std::move(text));
      numbers.push_back(number);
    };
    const std::uint64_t present = read().seed;
    for (std::size_t i = 0; i < candidates.size(); ++i) add(i, present);
    for (const std::uint64_t seed : plan_.seeds) {
      if (seed == present || seeds == Seeds::present) continue;
      for (std::size_t i = 0; i < candidates.size(); ++i) add(i, seed);
    }
    std::optional<std::size_t> taken;
    const std::uint64_t allowed = std::min<std::uint64_t>(tries.size(), most_ - result_.runs);
    run_trials(
        plan_.limits, [&](std::uint64_t number, std::uint64_t) { return runner_(tries[number]); },
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
    if (!taken) return std::nullopt;
    result_.document = std::move(tries[*taken]);
    ++result_.reductions;
    if (progress_) progress_(result_);
    return numbers[*taken];
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
  document.set("doc", printable(fmt::format("{}; {}", description(shrunk.result), origin)));
  for (const auto& [key, value] : *shrunk.document.members()) {
    if (key != "version" && key != "name" && key != "doc") document.set(key, value);
  }
  keep_checking(document, shrunk.result);
  return document;
}

std::string shrinking_line(const ShrinkResult& so_far) {
  return fmt::format("shrinking: {} runs, {} reductions, {} operations", so_far.runs, so_far.reductions,
                     so_far.result.operations);
}

std::string shrink_text(const ShrinkResult& shrunk, const std::string& file) {
  return fmt::format("{:<13}{} reductions in {} runs, {}\n             {}\n{:<13}{}\n", "shrunk", shrunk.reductions,
                     shrunk.runs,
                     shrunk.minimal       ? "to a local minimum"
                     : shrunk.interrupted ? "when it was interrupted"
                                          : "when the runs were used up",
                     description(shrunk.result), "replay", racksim_command("run", file));
}

}  // namespace racksim::tools
