// racksim figure NAME: runs a paper's figure and says which of the paper's claims hold.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <thread>

#include "tools/command_line.hpp"
#include "tools/figure_report.hpp"
#include "tools/input_error.hpp"
#include "tools/progress_line.hpp"
#include "tools/write_file.hpp"

namespace racksim::tools {
namespace {

struct FigureOptions {
  std::string name;
  std::string out;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool quick = false;
  bool json = false;
};

/// One line per point that went wrong, and the exit status.
int report_problems(const Figure& figure, const std::vector<PointResult>& results, std::ostream& err) {
  int status = exit_ok;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].ended() && results[i].pass) continue;
    const FigurePoint& point = figure.points[i];
    err << fmt::format("{}: {} at {} {}: {}\n  repeat: {}\n", figure.name, figure.axes.series[point.series],
                       figure.sweep_label, figure.axes.sweep[point.sweep].label, results[i].problem,
                       figure.command_of(point));
    if (!results[i].ended()) status = exit_internal_error;
    if (status == exit_ok) status = exit_failed;
  }
  return status;
}

int run_figure(const FigureOptions& options, CommandContext& context) {
  const Figure figure = load_figure(find_figure_file(options.name), context.catalogue, options.quick);
  const std::filesystem::path folder =
      options.out.empty() ? std::filesystem::path("runs/figures") / figure.name : std::filesystem::path(options.out);
  make_folder(folder, "racksim figure", "--out");

  std::vector<PointResult> results;
  {
    ProgressLine line(context.err, true);
    results = run_points(figure, options.jobs, [&](std::size_t done, std::size_t all) {
      line.show([&](double wall) { return fmt::format("{} of {} points, {:.0f} s", done, all, wall); });
    });
  }
  const std::filesystem::path csv = folder / "points.csv";
  std::ofstream file(csv, std::ios::binary);
  file << figure_csv(figure, results);
  if (!file.flush()) throw InputError("racksim figure", "--out", quote(csv.string()), "a file that can be written");
  if (options.json) {
    context.out << to_json(figure_json(figure, results));
  } else {
    context.out << figure_text(figure, results) << "points written to " << csv.string() << '\n';
    if (options.quick) context.out << "quick: sizes are shrunk, only directional claims speak of the paper's setup\n";
  }
  return report_problems(figure, results, context.err);
}

}  // namespace

void add_figure_command(CommandContext& context) {
  auto* command = context.app.add_subcommand("figure", "Run a paper's figure and compare it with the paper's claims");
  const auto options = std::make_shared<FigureOptions>();
  command->add_option("NAME", options->name, "One of `racksim list figures`, or a figure file")->required();
  command->add_flag("--quick", options->quick, "Shrink the runs; verdicts on directional claims stay");
  command->add_option("--jobs", options->jobs, "Runs at a time (default: one per core)")->check(CLI::Range(1, 1024));
  command->add_option("--out", options->out, "Write the points to this folder (default: runs/figures/NAME)");
  command->add_flag("--json", options->json, "Print the result as JSON, alone on standard output");
  command->callback(
      [&context, options] { context.action = [&context, options] { return run_figure(*options, context); }; });
}

}  // namespace racksim::tools
