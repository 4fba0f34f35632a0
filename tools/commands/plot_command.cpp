// racksim plot RESULTS: draws a metric of points or runs that are there already.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/files/write_file.hpp"
#include "tools/plot/gnuplot.hpp"
#include "tools/plot/result_table.hpp"
#include "tools/plot/table_plot.hpp"
#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kPlotCommand = "racksim plot";
constexpr const char* kPlot = "plot";  // its files, with .gp and the endings of the pictures

struct PlotOptions {
  std::vector<std::string> results;
  TableRequest request;
  std::string title, out;
};

int plot(const PlotOptions& options, CommandContext& context) {
  const ResultTable table = read_results(options.results, context.catalogue);
  TableRequest request = options.request;
  // Points of a figure say which series they are of.
  const auto has = [&](const char* name) {
    return std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end();
  };
  for (const char* column : {"series", "criterion"}) {
    if (options.request.by.empty() && has(column) && request.x != column) request.by.emplace_back(column);
  }
  TablePlot drawn = table_plot(table, request);
  if (!options.title.empty()) drawn.plot.title = options.title;
  const std::filesystem::path folder =
      options.out.empty() ? std::filesystem::path("runs/plots") / (table.name + "-" + word_of(request.y))
                          : std::filesystem::path(options.out);
  make_folder(folder, kPlotCommand, "--out");
  const std::filesystem::path csv = folder / "data.csv";
  check_output(csv, kPlotCommand, "--out");
  check_plot_files(folder, kPlot, kPlotCommand, "--out");

  for (const std::string& note : drawn.notes) context.err << kPlotCommand << ": " << note << '\n';
  write_file(csv, drawn.csv, kPlotCommand, "--out");
  const std::string not_drawn = draw_plot(drawn.plot, folder, kPlot, kPlotCommand, "--out");
  if (!not_drawn.empty()) context.err << kPlotCommand << ": " << not_drawn << '\n';
  const std::string file = (folder / kPlot).string();
  context.out << fmt::format("{} point{} in {} series, of {} result{}, written to {}\n", drawn.points,
                             drawn.points == 1 ? "" : "s", drawn.plot.series.size(), table.rows.size(),
                             table.rows.size() == 1 ? "" : "s", csv.string());
  if (not_drawn.empty()) context.out << fmt::format("drawn in {0}.svg, .pdf and .png by {0}.gp\n", file);
  return exit_ok;
}

void add_plot(CommandContext& context) {
  auto* command = context.app.add_subcommand("plot", "Draw a metric of a figure's points, or of runs that were kept");
  const auto options = std::make_shared<PlotOptions>();
  command
      ->add_option("RESULTS", options->results,
                   "The points.csv of a figure or its folder, or folders with what `racksim run --out` wrote")
      ->required();
  command->add_option("--x", options->request.x, "The x axis: a column, or the path of an option")->required();
  command->add_option("--y", options->request.y, "The y axis: a column, or a metric of the reports")->required();
  command
      ->add_option(
          "--by", options->request.by,
          "What makes a series of its own: a column or a path; may be given again (default: a figure's series)")
      ->expected(1)
      ->take_all();
  command->add_option("--scale", options->request.scale,
                      "How x lies on its axis: linear, log or categories (default: what suits)");
  command->add_flag("--log-y", options->request.log_y, "A logarithmic y axis");
  command->add_option("--title", options->title, "What stands above it");
  command->add_option("--out", options->out, "Write to this folder (default: runs/plots/RESULTS-METRIC)");
  command->callback([&context, options] { context.action = [&context, options] { return plot(*options, context); }; });
}

const sim::Registration<CommandEntry> plot_command({.name = "plot", .add = add_plot});

}  // namespace

}  // namespace racksim::tools
