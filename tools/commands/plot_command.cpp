// racksim plot RESULTS: draws a metric of points or runs that are there already.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>

#include "tools/commands/command_line.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/plot/cumulative_plot.hpp"
#include "tools/plot/gnuplot.hpp"
#include "tools/plot/result_table.hpp"
#include "tools/plot/run_reports.hpp"
#include "tools/plot/series_plot.hpp"
#include "tools/plot/table_plot.hpp"
#include "tools/plot/text_order.hpp"
#include "tools/text/numbers.hpp"
#include "tools/text/printable.hpp"

namespace racksim::tools {
namespace {

constexpr const char* kPlot = "plot";  // its files, with .gp and the endings of the pictures

struct PlotOptions {
  std::vector<std::string> results;
  TableRequest request;
  std::string cdf;
  std::vector<std::string> series;
  std::string title, out;
};

/// A plot, and what its folder is called.
struct Drawn {
  ResultPlot plot;
  std::string name;
};

Drawn draw_columns(const PlotOptions& options, CommandContext& context) {
  if (options.request.x.empty() || options.request.y.empty()) {
    throw InputError(kPlotCommand, "command line", options.request.x.empty() ? "no --x" : "no --y",
                     "--x and --y, --cdf or --series");
  }
  const ResultTable table = read_results(options.results, context.catalogue);
  TableRequest request = options.request;
  // Points of a figure say which series they are of.
  const auto has = [&](const char* name) {
    return std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end();
  };
  for (const char* column : {"series", "criterion"}) {
    if (options.request.by.empty() && has(column) && request.x != column) request.by.emplace_back(column);
  }
  return {table_plot(table, request), table.name + "-" + word_of(request.y)};
}

Drawn draw_as_asked(const PlotOptions& options, CommandContext& context) {
  const TableRequest& request = options.request;
  const std::string name = word_of_results(options.results.front()) + "-";
  if (!options.cdf.empty()) {
    return {cumulative_plot_of(options.results, options.cdf, request.by, request.scale),
            name + word_of(options.cdf) + "-cdf"};
  }
  if (!options.series.empty()) {
    std::string metrics;
    for (const std::string& metric : options.series) metrics += (metrics.empty() ? "" : "-") + metric;
    return {series_plot_of(options.results, options.series, request.by, request.log_y),
            name + word_of(metrics) + "-series"};
  }
  return draw_columns(options, context);
}

int plot(const PlotOptions& options, CommandContext& context) {
  Drawn asked = draw_as_asked(options, context);
  ResultPlot& drawn = asked.plot;
  if (!options.title.empty()) drawn.plot.title = options.title;
  const std::filesystem::path folder =
      options.out.empty() ? std::filesystem::path("runs/plots") / asked.name : std::filesystem::path(options.out);
  make_folder(folder, kPlotCommand, "--out");
  const std::filesystem::path csv = folder / "data.csv";
  check_output(csv, kPlotCommand, "--out");
  check_plot_files(folder, kPlot, kPlotCommand, "--out");

  for (const std::string& note : drawn.notes) context.err << kPlotCommand << ": " << note << '\n';
  write_file(csv, drawn.csv, kPlotCommand, "--out");
  const std::string not_drawn = draw_plot(drawn.plot, folder, kPlot, kPlotCommand, "--out");
  if (!not_drawn.empty()) context.err << kPlotCommand << ": " << not_drawn << '\n';
  const std::string file = (folder / kPlot).string();
  context.out << fmt::format("{} in {} series, of {}, written to {}\n", counted(drawn.points, "point"),
                             drawn.plot.series.size(), counted(drawn.results, "result"), csv.string());
  if (not_drawn.empty()) context.out << fmt::format("drawn in {0}.svg, .pdf and .png by {0}.gp\n", file);
  return exit_ok;
}

void add_plot(CommandContext& context) {
  auto* command = context.app.add_subcommand("plot", "Draw a metric of a figure's points, or of runs that were kept");
  const auto options = std::make_shared<PlotOptions>();
  command
      ->add_option(
          "RESULTS", options->results,
          "The points.csv of a figure or its folder, reports of runs or folders with such (`racksim run --out`), "
          "or files of observe.series")
      ->required();
  auto* x = command->add_option("--x", options->request.x, "The x axis: a column, or the path of an option");
  auto* y = command->add_option("--y", options->request.y, "The y axis: a column, or a metric of the reports");
  auto* cdf = command->add_option("--cdf", options->cdf,
                                  "The cumulative distribution of a histogram of the reports, its tail logarithmic");
  auto* series = command
                     ->add_option("--series", options->series,
                                  "Metrics over time: series of the reports, or of what observe.series wrote")
                     ->delimiter(',')
                     ->expected(1)
                     ->take_all();
  command
      ->add_option(
          "--by", options->request.by,
          "What makes a series of its own: a column or a path; may be given again (default: a figure's series)")
      ->expected(1)
      ->take_all();
  auto* scale = command->add_option("--scale", options->request.scale,
                                    "How x lies on its axis: linear, log or categories (default: what suits)");
  auto* log_y = command->add_flag("--log-y", options->request.log_y, "A logarithmic y axis");
  for (auto* other : {x, y, series, log_y}) cdf->excludes(other);
  for (auto* other : {x, y, scale}) series->excludes(other);
  command->add_option("--title", options->title, "What stands above it");
  command->add_option("--out", options->out, "Write to this folder (default: runs/plots/RESULTS-METRIC)");
  command->callback([&context, options] { context.action = [&context, options] { return plot(*options, context); }; });
}

const sim::Registration<CommandEntry> plot_command({.name = "plot", .add = add_plot});

}  // namespace

}  // namespace racksim::tools
