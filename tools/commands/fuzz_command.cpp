// racksim fuzz FILE: derives scenarios from a template, runs them in parallel, and reports and shrinks what fails.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <thread>
#include <utility>

#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/commands/fuzz_reach.hpp"
#include "tools/commands/fuzz_strength.hpp"
#include "tools/experiment/baseline.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/provenance.hpp"
#include "tools/files/data_files.hpp"
#include "tools/files/write_file.hpp"
#include "tools/fuzz/fuzz.hpp"
#include "tools/fuzz/fuzz_baseline.hpp"
#include "tools/fuzz/fuzz_report.hpp"
#include "tools/fuzz/shrink.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/report/report.hpp"
#include "tools/report/report_text.hpp"
#include "tools/text/printable.hpp"
#include "tools/text/shell.hpp"

namespace racksim::tools {
namespace {

struct FuzzOptions {
  std::string file;
  std::optional<std::uint64_t> runs;
  std::uint64_t seed = 1;
  std::string time;
  std::uint64_t failures = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::string out;
  std::string run_limit = "30s";
  std::vector<std::string> overrides;
  std::optional<std::uint64_t> only;
  bool baseline = false, bless = false;
  bool shrink = true;
  bool json = false;
  bool strength = false, reach = false;
  std::vector<std::string> beside;  // templates of the same protocol, for those two
};

constexpr std::uint64_t kRuns = 1000;         // if neither a count nor a time is given
constexpr std::uint64_t kStrengthRuns = 300;  // for each mechanism, and for what templates reach

class FuzzCommand {
 public:
  FuzzCommand(const FuzzOptions& options, CommandContext& context)
      : options_(options),
        context_(context),
        swarm_(load_swarm(options.file, context.catalogue, options.overrides, options.seed)) {}

  int run() {
    if (options_.baseline || options_.bless) refuse_what_changes_coverage();
    if (options_.bless) return bless();
    if (options_.strength) return of_templates(fuzz_strength);
    if (options_.reach) return of_templates(fuzz_reach);
    if (!options_.beside.empty()) {
      throw InputError("racksim fuzz", "--beside", "it alone", "--strength or --reach with it");
    }
    return options_.only ? run_one(*options_.only) : run_many();
  }

 private:
  /// What is asked of several templates together.
  template <class Ask>
  int of_templates(const Ask& ask) {
    FuzzPlan plan;
    plan.runs = options_.runs.value_or(kStrengthRuns);
    plan.limits = {options_.jobs, wall_clock_limit("racksim fuzz", "--run-limit", options_.run_limit)};
    std::vector<std::string> templates{options_.file};
    templates.insert(templates.end(), options_.beside.begin(), options_.beside.end());
    return ask(templates, options_.overrides, options_.seed, plan, options_.json, context_);
  }

  /// One run of the campaign, in this process, with the whole report.
  int run_one(std::uint64_t index) {
    for (std::uint64_t redraw = 0;; ++redraw) {
      const JsonValue document = swarm_.derive(index, redraw);
      try {
        return run_document(index, document);
      } catch (const InputError&) {  // options that do not fit: nothing has begun
        if (redraw == kMostRedraws) throw;
      }
    }
  }

  int run_document(std::uint64_t index, const JsonValue& document) {
    Scenario scenario = read_scenario(document, swarm_.file(), context_.catalogue);
    if (!options_.out.empty()) check_output_folder(output_folder(), "racksim fuzz", "--out");
    scenario.run.check_invariants = true;  // as the campaign does
    sim::Metrics metrics;
    const RunResult result = run_experiment(scenario, metrics, "", {});
    const std::string name = fmt::format("run-{}", index);
    if (options_.json) {
      context_.out << to_json(report_json(scenario, result, metrics));
    } else {
      const std::string explain = options_.out.empty() ? "" : racksim_command("explain", file_of(name));
      context_.out << report_text(scenario, result, metrics, {command_for(index), explain});
    }
    context_.out.flush();
    if (!options_.out.empty()) write_scenario(name, document);
    return result.pass ? exit_ok : exit_failed;
  }

  /// A baseline is of whole campaigns of the template as it is.
  void refuse_what_changes_coverage() const {
    const char* option = options_.bless ? "--bless" : "--baseline";
    const auto refuse = [&](const char* other) {
      throw InputError("racksim fuzz", option, std::string("it together with ") + other, std::string("no ") + other);
    };
    if (!options_.overrides.empty()) refuse("--set");
    if (options_.only) refuse("--only");
    if (!options_.time.empty()) refuse("--time");
    if (coverage_map(swarm_.original()).race_points.empty()) {
      throw InputError(swarm_.file(), "/protocol/name", quote(swarm_.original().protocol.name),
                       "a protocol that declares race points");
    }
  }

  std::string stored_baseline() const { return baseline_file(swarm_.file()).string(); }

  /// Runs the campaigns of a new baseline and stores what they have in common.
  int bless() {
    check_output(stored_baseline(), "racksim fuzz", "--bless");
    const auto stored = load_fuzz_baseline(stored_baseline());
    FuzzPlan plan;
    plan.runs = options_.runs.value_or(stored ? stored->runs : kBaselineRuns);
    plan.limits = {options_.jobs, wall_clock_limit("racksim fuzz", "--run-limit", options_.run_limit)};
    std::vector<FuzzResult> campaigns;
    for (std::uint64_t seed = options_.seed; seed < options_.seed + kBlessedCampaigns; ++seed) {
      swarm_ = load_swarm(swarm_.file(), context_.catalogue, {}, seed);
      campaigns.push_back(run_all(plan));
      if (campaigns.back().interrupted) throw Interrupted("not renewed: its campaigns were not over");
      if (campaigns.back().failures.empty()) continue;
      const FuzzFailure& failure = campaigns.back().failures.front();
      context_.out << fmt::format("not renewed: with fuzz seed {} run {} fails: {}\n", seed, failure.index,
                                  description(failure.result));
      return exit_failed;
    }
    const FuzzBaseline now = common_baseline(*plan.runs, campaigns);
    const auto& names = campaigns.front().coverage.map().race_points;
    for (std::size_t point = 0; point < names.size(); ++point) {
      std::string counts;
      for (const auto& campaign : campaigns) counts += fmt::format("{:>6}", campaign.runs_reaching[point]);
      const auto has = [&](const FuzzBaseline& baseline) {
        return std::count(baseline.race_points.begin(), baseline.race_points.end(), names[point]) > 0;
      };
      const char* mark = !has(now) ? (stored && has(*stored) ? "gone" : "-") : stored && !has(*stored) ? "new" : "";
      context_.out << fmt::format("{:<5}{}  {}\n", mark, counts, names[point]);
    }
    const auto document = with_schema(fuzz_baseline_json(now), "fuzz-baseline", stored_baseline());
    write_file(stored_baseline(), to_json(document), "racksim fuzz", "--bless");
    context_.out << fmt::format("{}: {} of {} race points, in campaigns of {} runs\n", stored_baseline(),
                                now.race_points.size(), names.size(), now.runs);
    return exit_ok;
  }

  /// The baseline to compare with.
  FuzzBaseline required_baseline() const {
    const auto baseline = load_fuzz_baseline(stored_baseline());
    if (!baseline) throw InputError(stored_baseline(), "/", "no such file", "a baseline: run with --bless");
    if (options_.runs.value_or(baseline->runs) < baseline->runs) {
      throw InputError("racksim fuzz", "--runs", std::to_string(*options_.runs),
                       fmt::format("at least the {} runs of {}", baseline->runs, stored_baseline()));
    }
    return *baseline;
  }

  int run_many() {
    std::optional<FuzzBaseline> baseline;
    if (options_.baseline) baseline = required_baseline();
    FuzzPlan plan;
    plan.runs = options_.runs;
    if (baseline && !plan.runs) plan.runs = baseline->runs;
    if (!options_.time.empty()) plan.time = wall_clock_limit("racksim fuzz", "--time", options_.time);
    if (!plan.runs && !plan.time) plan.runs = kRuns;
    plan.failures = options_.failures;
    plan.limits = {options_.jobs, wall_clock_limit("racksim fuzz", "--run-limit", options_.run_limit)};
    check_output_folder(output_folder(), "racksim fuzz", "--out");
    const FuzzResult result = run_all(plan);
    if (result.runs > 0 && result.refused == result.runs && !result.interrupted) {
      throw InputError(swarm_.file(), "/", "a template of which no run fits: " + result.first_refusal,
                       "options under which its variations can run");
    }
    keep_failures(result);
    // What is expected of a run's metrics is nothing to expect of a smaller one.
    const bool shrinks = options_.shrink && !result.failures.empty() && !result.interrupted && trouble_.empty();
    if (shrinks && result.failures.front().result.kind != "expectation") {
      keep([&] { shrink_first(result.failures.front(), plan); });
    }
    // A campaign that ended early says nothing of what it would have reached.
    if (baseline && result.failures.empty() && !result.interrupted) lost_ = lost_race_points(*baseline, result);
    const FuzzReport report = report_of(result);
    context_.out << (options_.json ? to_json(fuzz_report_json(report)) : fuzz_report_text(report));
    context_.out.flush();
    if (!trouble_.empty()) throw SystemError(trouble_);
    if (result.interrupted || (shrunk_ && shrunk_->interrupted)) return exit_interrupted;
    return result.failures.empty() && lost_.empty() ? exit_ok : exit_failed;
  }

  FuzzReport report_of(const FuzzResult& result) const {
    std::vector<std::string> commands;
    for (const FuzzFailure& failure : result.failures) commands.push_back(command_for(failure.index));
    return {swarm_, result, options_.file,       options_.seed, options_.jobs, options_.baseline,
            lost_,  files_, std::move(commands), shrunk_,       shrunk_file_};
  }

  /// What of a campaign is over, by whichever limit ends it first.
  static double share_of(const FuzzPlan& plan, std::uint64_t runs, double seconds) {
    double share = 0;
    if (plan.runs) share = static_cast<double>(runs) / static_cast<double>(*plan.runs);
    if (plan.time) share = std::max(share, seconds / std::chrono::duration<double>(*plan.time).count());
    return share;
  }

  FuzzResult run_all(const FuzzPlan& plan) {
    ProgressLine line(context_.err, !options_.json);
    return fuzz(swarm_, plan, scenario_runner(context_.catalogue, {TrialDetail::coverage, true}),
                coverage_map(swarm_.original()), [&](const FuzzResult& so_far, double wall) {
                  line.show([&](double) {
                    const auto count = so_far.coverage.count();
                    return fmt::format("{} runs, {:.0f}/s, coverage {}/{} pairs {}/{} races, {} failures{}",
                                       so_far.runs, static_cast<double>(so_far.runs) / wall, count.pairs,
                                       count.possible_pairs, count.race_points, count.declared_race_points,
                                       so_far.failures.size(), time_left(wall, share_of(plan, so_far.runs, wall)));
                  });
                });
  }

  std::string command_for(std::uint64_t index) const {
    return racksim_command("fuzz", options_.file,
                           {"--seed", std::to_string(options_.seed), "--only", std::to_string(index)},
                           options_.overrides);
  }

  std::string origin(const FuzzFailure& failure) const { return "found by: " + command_for(failure.index); }

  /// Does what keeps something that was found. What goes wrong is told after what was found.
  template <class Keep>
  void keep(const Keep& keep) {
    try {
      keep();
    } catch (const SystemError& error) {
      trouble_ = error.what();
    } catch (const InputError& error) {  // the folder was good before the campaign
      trouble_ = error.what();
    }
  }

  void keep_failures(const FuzzResult& result) {
    files_.resize(result.failures.size());
    for (std::size_t i = 0; i < files_.size() && trouble_.empty(); ++i) {
      keep([&] { files_[i] = write_failure(result.failures[i]); });
    }
    if (trouble_.empty()) trouble_ = result.trouble;
  }

  /// Writes a scenario to the output folder and returns its path.
  std::string write_scenario(const std::string& name, const JsonValue& document) {
    write_file(file_of(name), to_json(document), "racksim fuzz", "--out");
    return file_of(name);
  }
  std::string write_failure(const FuzzFailure& failure) {
    JsonValue document = swarm_.derive(failure.index, failure.result.redraws);
    document.set("doc", printable(description(failure.result) + "; " + origin(failure)));
    keep_checking(document, failure.result);
    return write_scenario(fmt::format("run-{}", failure.index), document);
  }

  /// Shrinks the first failure; the file it went to.
  void shrink_first(const FuzzFailure& failure, const FuzzPlan& plan) {
    ShrinkPlan shrink_plan;
    shrink_plan.limits = plan.limits;
    shrink_plan.noise_runner = scenario_runner(context_.catalogue, TrialDetail::noise);
    ProgressLine line(context_.err, !options_.json);
    shrunk_ = shrink(swarm_.derive(failure.index, failure.result.redraws), failure.result, context_.catalogue,
                     scenario_runner(context_.catalogue, TrialDetail::none), shrink_plan,
                     [&](const ShrinkResult& so_far) { line.show([&](double) { return shrinking_line(so_far); }); });
    shrunk_file_ =
        write_scenario(fmt::format("run-{}-shrunk", failure.index), shrunk_scenario(*shrunk_, origin(failure)));
  }

  std::string file_of(const std::string& name) const { return (output_folder() / (name + ".json")).string(); }

  std::filesystem::path output_folder() const {
    return options_.out.empty() ? fmt::format("runs/fuzz-{}-{}", swarm_.original().name, options_.seed) : options_.out;
  }

  const FuzzOptions& options_;
  CommandContext& context_;
  Swarm swarm_;
  std::vector<std::string> files_;  // of the failures; empty where none could be written
  std::string trouble_;             // why something that was found could not be kept, or no more could be run
  std::vector<std::string> lost_;   // race points of the baseline
  std::optional<ShrinkResult> shrunk_;
  std::string shrunk_file_;
};

void add_fuzz(CommandContext& context) {
  auto* command = context.app.add_subcommand("fuzz", "Run random variations of a scenario and check every promise");
  const auto options = std::make_shared<FuzzOptions>();
  add_scenario(*command, "FILE", options->file, "Scenario file that serves as the template");
  add_number(*command, "--runs", options->runs, "At most so many runs (default 1000, without limit if --time is given)",
             {1});
  add_number(*command, "--seed", options->seed, "Seed of all choices (default 1)");
  command->add_option("--time", options->time, "Begin no run after so much time, such as 30s");
  add_number(*command, "--jobs", options->jobs, "Processes at a time (default: one per processor)", {1, 1024});
  add_number(*command, "--failures", options->failures, "Stop after so many failing runs (default 1)", {1, 1'000'000});
  command->add_option("--run-limit", options->run_limit, "Real time after which a run counts as hung (default 30s)");
  command->add_option("--out", options->out, "Folder for failing scenarios (default runs/fuzz-NAME-SEED)");
  command->add_option("--set", options->overrides, "Give a value that is then not varied: path=value")
      ->expected(1)
      ->take_all();
  add_number(*command, "--only", options->only, "Run only this run of the campaign and print its report");
  command->add_flag("--baseline", options->baseline,
                    "Fail if a race point of the template's stored baseline is not reached");
  command->add_flag("--bless", options->bless, "Store the race points that three campaigns reach as the new baseline");
  command
      ->add_flag("--strength", options->strength,
                 "Turn each safety mechanism of the protocol off, and tell within how many runs (300) it is found")
      ->excludes("--time", "--failures", "--out", "--only", "--baseline", "--bless");
  command
      ->add_flag(
          "--reach", options->reach,
          "List the values of each parameter, the race points and the rows that 300 runs reach, and what none does")
      ->excludes("--time", "--failures", "--out", "--only", "--baseline", "--bless", "--strength");
  command
      ->add_option("--beside", options->beside,
                   "With --strength or --reach: another template of the protocol, which may find what FILE does not")
      ->expected(1)
      ->take_all();
  command->add_flag("!--no-shrink", options->shrink, "Leave the first failure as it was found");
  command->add_flag("--json", options->json, "Print the result as JSON, alone on standard output");
  command->callback(
      [&context, options] { context.action = [&context, options] { return FuzzCommand(*options, context).run(); }; });
}

const sim::Registration<CommandEntry> fuzz_command({.name = "fuzz", .add = add_fuzz});

}  // namespace

}  // namespace racksim::tools
