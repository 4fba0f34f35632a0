// Running, tracing and comparing both sides. See comparison.hpp.
#include "tools/diff/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "tools/files/data_files.hpp"
#include "tools/processes/child_processes.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/report/run_execution.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace {

/// Observations shown before and after the first difference.
constexpr std::size_t kContext = 3;
/// A window in which nothing differs is followed by one so many times as long.
constexpr std::int64_t kWindowGrowth = 4;

constexpr std::chrono::milliseconds kPatience{1000};

struct Side {
  ComparedRun given;
  std::string file;  ///< the scenario that executes it
  bool stored = false;
};

bool is_run_folder(const ComparedRun& run) {
  std::error_code error;
  return std::filesystem::is_directory(run.given, error);
}

Side find_side(const ComparedRun& given) {
  return {given, scenario_file_of(given), is_run_folder(given) && given.overrides.empty()};
}

/// Executes sides in child processes at the same time; the results come in their order.
std::vector<ChildResult> execute(const std::vector<std::pair<Side, std::optional<TraceRequest>>>& runs,
                                 const Catalogue& catalogue) {
  std::vector<ChildResult> results(runs.size());
  ChildProcesses children(static_cast<unsigned>(runs.size()));
  std::size_t begun = 0;
  while (begun < runs.size() || children.running() > 0) {
    while (begun < runs.size() && children.has_room()) {
      const bool begins = children.start(begun, [&catalogue, &run = runs[begun]] {
        const auto& [side, trace] = run;
        return to_canonical_json(
            run_json(execute_run(side.file, side.given.overrides, side.given.program, trace, catalogue)));
      });
      if (begins) ++begun;
    }
    if (auto ended = children.wait(kPatience)) results[ended->id] = std::move(*ended);
    stop_if_interrupted([] { return "the runs had not ended, nothing was compared"; });
  }
  return results;
}

std::array<StoredRun, 2> obtain(const std::array<Side, 2>& sides, const Catalogue& catalogue) {
  std::array<StoredRun, 2> runs;
  std::vector<std::pair<Side, std::optional<TraceRequest>>> missing;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < 2; ++i) {
    if (sides[i].stored) {
      runs[i] = read_run_folder(sides[i].given.given);
    } else {
      if (sides[i].given.program.empty())
        load_scenario(sides[i].file, catalogue, sides[i].given.overrides);  // a mistake is told before a run
      missing.emplace_back(sides[i], std::nullopt);
      which.push_back(i);
    }
  }
  if (missing.empty()) return runs;
  const auto results = execute(missing, catalogue);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& file = missing[i].first.file;
    if (results[i].ending == ChildResult::Ending::no_memory) throw SystemError(results[i].text);
    if (!results[i].answered())
      JsonLocation{file, ""}.refuse("a run that did not end: " + results[i].text, "a run that ends");
    runs[which[i]] = read_run_json(parse_json(results[i].text, file), file);
  }
  return runs;
}

ObservationsBySource load_trace(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return read_trace(in, file);
}

/// Looks for the first difference by executing both sides again.
class Search {
 public:
  Search(const std::array<Side, 2>& sides, RunComparison& comparison, const Catalogue& catalogue)
      : sides_(sides), comparison_(comparison), catalogue_(catalogue) {}

  void run() {
    const sim::Time end = std::max(comparison_.a.checkpoints.end.at, comparison_.b.checkpoints.end.at);
    sim::Time from = comparison_.divergence->after, until = comparison_.divergence->by.value_or(end);
    // The window may hold no difference: a checkpoint covers what was recorded before it, which in one event can
    // concern a later instant, and the hash also depends on how sources are numbered.
    while (trace(from, until) && !comparison_.first) {
      if (until >= end) {
        note("no observation differs in name, time and content: the runs number their sources differently");
        return;
      }
      const sim::Duration length = std::max(until - from, sim::Duration::from_ps(1'000'000));
      from = until;
      until = std::min(until + length * kWindowGrowth, end);
    }
  }

 private:
  /// Traces the window on both sides and compares; false if a side cannot be executed as it was.
  bool trace(sim::Time from, sim::Time until) {
    const ScratchFolder scratch;
    const std::array<std::string, 2> files{(scratch.path() / "a.jsonl").string(),
                                           (scratch.path() / "b.jsonl").string()};
    std::vector<std::pair<Side, std::optional<TraceRequest>>> runs;
    for (std::size_t i = 0; i < 2; ++i) runs.emplace_back(sides_[i], TraceRequest{files[i], from, until});
    const auto results = execute(runs, catalogue_);
    const bool a = reproduced("A", sides_[0], comparison_.a, results[0]);
    const bool b = reproduced("B", sides_[1], comparison_.b, results[1]);
    if (!a || !b) return false;
    comparison_.first = first_difference(load_trace(files[0]), load_trace(files[1]), kContext);
    return true;
  }

  bool reproduced(const char* name, const Side& side, const StoredRun& run, const ChildResult& result) {
    if (!result.answered()) {
      note(fmt::format("{} cannot be executed again: {}", name, result.text));
      return false;
    }
    const std::string now = read_run_json(parse_json(result.text, side.file), side.file).hash();
    if (now == run.hash()) return true;
    const char* program = side.given.program.empty() ? "this program" : side.given.program.c_str();
    note(fmt::format(
        "{0} was stored with run hash {1}, but {2} now gives {3} for the same configuration: {0} was made by "
        "another version. To see the first observation that differs, name that version's racksim with "
        "--program-{4}",
        name, run.hash(), program, now, name[0] == 'A' ? 'a' : 'b'));
    return false;
  }

  void note(std::string text) { comparison_.notes.push_back(std::move(text)); }

  const std::array<Side, 2>& sides_;
  RunComparison& comparison_;
  const Catalogue& catalogue_;
};

}  // namespace

std::string scenario_file_of(const ComparedRun& run) {
  if (is_run_folder(run)) return (std::filesystem::path(run.given) / "config.json").string();
  return find_scenario_file(run.given);
}

bool RunComparison::same() const {
  return same_hash() && std::none_of(metrics.begin(), metrics.end(), [](const auto& m) { return m.differs(); });
}

RunComparison compare_runs(const ComparedRun& a, const ComparedRun& b, const Catalogue& catalogue) {
  check_program(a.program, {"racksim diff", "--program-a"});
  check_program(b.program, {"racksim diff", "--program-b"});
  const std::array<Side, 2> sides{find_side(a), find_side(b)};
  auto runs = obtain(sides, catalogue);
  RunComparison comparison;
  comparison.a = std::move(runs[0]);
  comparison.b = std::move(runs[1]);
  comparison.parameters = parameter_differences(comparison.a.configuration, comparison.b.configuration);
  comparison.metrics = metric_differences(*comparison.a.report.find("metrics"), *comparison.b.report.find("metrics"));
  if (comparison.same_hash()) return comparison;
  comparison.divergence = first_divergence(comparison.a.checkpoints, comparison.b.checkpoints);
  if (comparison.divergence) {
    Search(sides, comparison, catalogue).run();
  } else {
    comparison.notes.push_back("every observation is the same: only the configurations differ, which the hash covers");
  }
  return comparison;
}

}  // namespace racksim::tools
