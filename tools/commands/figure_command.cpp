// racksim figure NAME: runs a paper's figure and says which of the paper's claims hold.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>

#include "tools/commands/command_arguments.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/figure/figure_chart.hpp"
#include "tools/figure/figure_record.hpp"
#include "tools/figure/figure_report.hpp"
#include "tools/files/data_files.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/progress_line.hpp"

namespace racksim::tools {
namespace {

struct FigureOptions {
  std::string name;
  std::string out;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t seeds = 0;
  bool quick = false;
  bool json = false;
  bool record = false;
};

/// One line per point that went wrong, and the exit status.
int report_problems(const Figure& figure, const std::vector<PointResult>& results, std::ostream& err) {
  int status = exit_ok;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].ended() && results[i].pass) continue;
    const FigurePoint& point = figure.points[i / figure.criteria()];
    err << fmt::format("{}: {} at {} {}: {}\n  repeat: {}\n", figure.name, figure.axes.series[point.series],
                       figure.sweep_label, figure.axes.sweep[point.sweep].label, results[i].problem,
                       figure.command_of(point, results[i].load));
    if (!results[i].ended()) status = exit_internal_error;
    if (status == exit_ok) status = exit_failed;
  }
  return status;
}

/// Keeps what the claims came to for `racksim list claims`; only of points that are all well.
void record_claims(const Figure& figure, const std::vector<PointResult>& results, const std::string& file,
                   CommandContext& context) {
  const bool well = std::all_of(results.begin(), results.end(), [](const auto& r) { return r.ended() && r.pass; });
  if (!well) {
    context.err << figure.name << ": not recorded, since points failed\n";
    return;
  }
  write_file(file, to_json(with_schema(record_json(record_of(figure, results)), "record", file)), "racksim figure",
             "--record");
  context.err << "recorded in " << file << '\n';
}

/// Whether the claims came to what was kept before, if anything was; one line.
std::string compared_with_record(const Figure& figure, const std::vector<PointResult>& results,
                                 const std::string& file) {
  if (!std::filesystem::exists(file)) return "not recorded yet; --record does\n";
  const std::string difference = record_difference(read_figure_record(file), record_of(figure, results));
  return difference.empty() ? "as recorded\n" : "other than recorded (--record renews it): " + difference + '\n';
}

int run_figure(const FigureOptions& options, CommandContext& context) {
  const Figure figure = load_figure(find_figure_file(options.name), context.catalogue, options.quick, options.seeds);
  const std::filesystem::path folder =
      options.out.empty() ? std::filesystem::path("runs/figures") / figure.name : std::filesystem::path(options.out);
  const std::string record = record_file_of(figure.file).string();
  if (options.record && record.empty()) {
    throw InputError("racksim figure", "--record", quote(figure.file), "a figure below a folder named \"figures\"");
  }
  make_folder(folder, "racksim figure", "--out");
  const std::filesystem::path csv = folder / "points.csv", picture = folder / "figure.svg";
  for (const auto& file : {csv, picture}) check_output(file, "racksim figure", "--out");
  if (options.record) check_output(record, "racksim figure", "--record");

  KeptPoints kept(folder / KeptPoints::kFile, program_identity(), "racksim figure", "--out");
  std::vector<PointResult> results;
  {
    ProgressLine line(context.err, true);
    std::optional<std::size_t> kept_before;
    results = run_points(figure, context.catalogue, options.jobs, kept, [&](std::size_t done, std::size_t all) {
      const std::size_t before = kept_before.value_or(done);
      kept_before = before;
      line.show([&](double wall) {
        return fmt::format("{} of {} points{}, {:.0f} s", done, all, time_left(wall, done - before, all - before),
                           wall);
      });
    });
  }
  context.out << (options.json ? to_json(figure_json(figure, results)) : figure_text(figure, results)) << std::flush;
  write_file(csv, figure_csv(figure, results), "racksim figure", "--out");
  write_file(picture, figure_svg(figure, results), "racksim figure", "--out");
  if (!options.json) {
    context.out << "points written to " << csv.string() << ", drawn in " << picture.string() << '\n';
    const auto results_before = static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [](const auto& r) { return r.from_before; }));
    const std::size_t before = results_before / figure.criteria();
    if (before > 0) {
      context.out << fmt::format("{} of {} points were run by an earlier call and kept in {}\n", before,
                                 figure.points.size(), kept.file().string());
    }
    if (options.quick) context.out << "quick: sizes are shrunk, only directional claims speak of the paper's setup\n";
    if (!options.quick && !options.record && options.seeds == 0)
      context.out << compared_with_record(figure, results, record);
  }
  if (options.record) record_claims(figure, results, record, context);
  return report_problems(figure, results, context.err);
}

void add_figure(CommandContext& context) {
  auto* command = context.app.add_subcommand("figure", "Run a paper's figure and compare it with the paper's claims");
  const auto options = std::make_shared<FigureOptions>();
  command->add_option("NAME", options->name, "One of `racksim list figures`, or a figure file")->required();
  auto* quick = command->add_flag("--quick", options->quick, "Shrink the runs; verdicts on directional claims stay");
  add_number(*command, "--jobs", options->jobs, "Runs at a time (default: one per core)", {1, 1024});
  auto* seeds = add_number(*command, "--seeds", options->seeds,
                           "Run each point with so many seeds, or placements of keys where the figure varies those",
                           {1, kMostSeeds});
  command->add_option("--out", options->out, "Write the points to this folder (default: runs/figures/NAME)");
  command->add_flag("--json", options->json, "Print the result as JSON, alone on standard output");
  command->add_flag("--record", options->record, "Keep what the claims came to, for `racksim list claims`")
      ->excludes(quick)
      ->excludes(seeds);
  command->callback(
      [&context, options] { context.action = [&context, options] { return run_figure(*options, context); }; });
}

const sim::Registration<CommandEntry> figure_command({.name = "figure", .add = add_figure});

}  // namespace

}  // namespace racksim::tools
