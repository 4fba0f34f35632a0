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
#include "tools/figure/figure_comparisons.hpp"
#include "tools/figure/figure_csv.hpp"
#include "tools/figure/figure_index.hpp"
#include "tools/figure/figure_plot.hpp"
#include "tools/figure/figure_record.hpp"
#include "tools/figure/figure_report.hpp"
#include "tools/files/data_files.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/plot/gnuplot.hpp"
#include "tools/processes/progress_line.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/numbers.hpp"
#include "tools/text/system_error.hpp"

namespace racksim::tools {
namespace {

/// The files of a figure's plot: with the script, .gp, and the endings of the pictures.
constexpr const char* kPicture = "figure";
/// The file of its series' paired differences.
constexpr const char* kComparisons = "comparisons.csv";

struct FigureOptions {
  std::string name;
  std::string out;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t seeds = 0;
  bool quick = false;
  bool json = false;
  bool record = false;
  bool compare = false;
  bool all = false;
  bool plot = false;
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

/// Writes how the series differ. Where there is nothing to compare, none is left of an earlier call.
void write_comparisons(const Figure& figure, const std::vector<PointResult>& results,
                       const std::filesystem::path& folder) {
  const auto comparisons = compare_series(figure, results);
  std::error_code error;
  if (comparisons.empty()) {
    std::filesystem::remove(folder / kComparisons, error);
  } else {
    write_file(folder / kComparisons, comparisons_csv(figure, comparisons), "racksim figure", "--out");
  }
}

/// A figure that was run, judged and drawn.
struct Finished {
  Figure figure;
  std::vector<PointResult> results;
  std::filesystem::path csv;
  std::filesystem::path kept;  ///< where points are kept
  std::string not_drawn;       ///< why not; empty if it was
};

/// Runs a figure's points and writes them and their plot into the folder. `told` is called before that, with the results.
template <class Told>
Finished finish(Figure figure, const std::filesystem::path& folder, const FigureOptions& options,
                CommandContext& context, const Told& told) {
  make_folder(folder, "racksim figure", "--out");
  Finished done{std::move(figure), {}, folder / "points.csv", {}, {}};
  check_output(done.csv, "racksim figure", "--out");
  check_output(folder / kComparisons, "racksim figure", "--out");
  check_plot_files(folder, kPicture, "racksim figure", "--out");

  KeptPoints kept(folder / KeptPoints::kFile, program_identity(), "racksim figure", "--out");
  done.kept = kept.file();
  {
    ProgressLine line(context.err, true);
    std::optional<std::size_t> kept_before;
    done.results =
        run_points(done.figure, context.catalogue, options.jobs, kept, [&](std::size_t points, std::size_t all) {
          const std::size_t before = kept_before.value_or(points);
          kept_before = before;
          line.show([&](double wall) {
            return fmt::format("{}: {} of {} points{}, {:.0f} s", done.figure.name, points, all,
                               time_left(wall, points - before, all - before), wall);
          });
        });
  }
  told(done.figure, done.results);
  write_file(done.csv, figure_csv(done.figure, done.results), "racksim figure", "--out");
  write_comparisons(done.figure, done.results, folder);
  done.not_drawn = draw_plot(figure_plot(done.figure, done.results), folder, kPicture, "racksim figure", "--out");
  return done;
}

int run_figure(const FigureOptions& options, CommandContext& context) {
  Figure read = load_figure(find_figure_file(options.name), context.catalogue, options.quick, options.seeds);
  if (options.compare && !can_compare_series(read)) {
    throw InputError(
        "racksim figure", "--compare",
        fmt::format("{} series with {} of each point", read.axes.series.size(), read.repeats.samples_text()),
        "several of both: --seeds 5");
  }
  const std::filesystem::path folder =
      options.out.empty() ? std::filesystem::path("runs/figures") / read.name : std::filesystem::path(options.out);
  const std::string record = record_file_of(read.file).string();
  if (options.record && record.empty()) {
    throw InputError("racksim figure", "--record", quote(read.file), "a figure below a folder named \"figures\"");
  }
  if (options.record) check_output(record, "racksim figure", "--record");

  // What was found is told before it is written, which a full disk then cannot take away.
  const auto tell = [&](const Figure& figure, const std::vector<PointResult>& results) {
    context.out << (options.json ? to_json(figure_json(figure, results)) : figure_text(figure, results));
    if (options.compare && !options.json) context.out << comparisons_text(figure, compare_series(figure, results));
    context.out << std::flush;
  };
  const Finished done = finish(std::move(read), folder, options, context, tell);
  const Figure& figure = done.figure;
  const std::vector<PointResult>& results = done.results;
  if (!done.not_drawn.empty()) context.err << "racksim figure: " << done.not_drawn << '\n';
  if (!options.json) {
    context.out << "points written to " << done.csv.string();
    if (done.not_drawn.empty()) context.out << ", drawn in " << (folder / kPicture).string() << ".svg, .pdf and .png";
    context.out << '\n';
    const auto results_before = static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [](const auto& r) { return r.from_before; }));
    const std::size_t before = results_before / figure.criteria();
    if (before > 0) {
      context.out << fmt::format("{} of {} points were run by an earlier call and kept in {}\n", before,
                                 figure.points.size(), done.kept.string());
    }
    if (options.quick) context.out << "quick: sizes are shrunk, only directional claims speak of the paper's setup\n";
    if (!options.quick && !options.record && options.seeds == 0)
      context.out << compared_with_record(figure, results, record);
  }
  if (options.record) record_claims(figure, results, record, context);
  return report_problems(figure, results, context.err);
}

/// The files of all figures that `--all` means: those that come with the program, those of them whose names begin with
/// `name` ("starcache/"), or those in a folder. Throws InputError if there is none.
std::vector<std::string> files_of_all(const std::string& name) {
  std::error_code error;
  const bool own = std::filesystem::is_directory(name, error);
  const std::filesystem::path folder = own ? std::filesystem::path(name) : scenarios_folder() / "figures";
  const auto names = json_names_below(folder);
  std::vector<std::string> files;
  for (const std::string& one : names) {
    if (own || one.starts_with(name)) files.push_back((folder / (one + ".json")).string());
  }
  if (files.empty()) {
    throw InputError("racksim figure", "--all", quote(name),
                     "a folder with figures, or how the names of some in `racksim list figures` begin",
                     nearest_name(name, names));
  }
  return files;
}

/// Runs figures one after the other. The page is there from the first one on.
int run_all(const FigureOptions& options, CommandContext& context) {
  const std::filesystem::path out = options.out.empty() ? "runs/figures" : options.out;
  const std::filesystem::path page = out / "index.html";
  std::vector<Figure> figures;
  for (const std::string& file : files_of_all(options.name)) {
    figures.push_back(load_figure(file, context.catalogue, options.quick, options.seeds));
  }
  make_folder(out, "racksim figure", "--out");
  check_output(page, "racksim figure", "--out");
  int status = exit_ok;
  std::vector<IndexedFigure> finished;
  std::string not_drawn;
  for (Figure& read : figures) {
    const std::string name = read.name;
    const Finished done = finish(std::move(read), out / name, options, context, [](const auto&, const auto&) {});
    finished.push_back(indexed(done.figure, done.results, name, done.not_drawn.empty()));
    not_drawn = done.not_drawn;
    context.out << fmt::format("{}: {}\n", name, in_one_line(finished.back())) << std::flush;
    status = std::max(status, report_problems(done.figure, done.results, context.err));
    write_file(page, index_page(options.quick ? "Figures, quick" : "Figures", finished), "racksim figure", "--out");
  }
  if (!not_drawn.empty()) context.err << "racksim figure: " << not_drawn << '\n';
  context.out << fmt::format("{} in {}\n", counted(finished.size(), "figure"), page.string());
  return status;
}

int run_as_asked(const FigureOptions& options, CommandContext& context) {
  if (options.plot && !gnuplot_is_there()) throw SystemError(kInstallGnuplot);
  if (options.all) return run_all(options, context);
  if (options.name.empty()) {
    throw InputError("racksim figure", "command line", "no NAME", "one of `racksim list figures`, a file, or --all");
  }
  return run_figure(options, context);
}

void add_figure(CommandContext& context) {
  auto* command = context.app.add_subcommand("figure", "Run a paper's figure and compare it with the paper's claims");
  const auto options = std::make_shared<FigureOptions>();
  command->add_option("NAME", options->name,
                      "One of `racksim list figures`, or a figure file; with --all a folder, or how names begin");
  auto* quick = command->add_flag("--quick", options->quick, "Shrink the runs; verdicts on directional claims stay");
  add_number(*command, "--jobs", options->jobs, "Runs at a time (default: one per core)", {1, 1024});
  auto* seeds = add_number(
      *command, "--seeds", options->seeds,
      "Run each point with so many seeds, from 1 on, and each of the placements of keys that it has", {1, kMostSeeds});
  command->add_option("--out", options->out, "Write the points to this folder (default: runs/figures/NAME)");
  command->add_flag("--json", options->json, "Print the result as JSON, alone on standard output");
  command->add_flag("--record", options->record, "Keep what the claims came to, for `racksim list claims`")
      ->excludes(quick)
      ->excludes(seeds);
  command->add_flag("--compare", options->compare,
                    "Print how the series differ from the first, paired by seed: needs several seeds");
  command->add_flag("--plot", options->plot,
                    "Run nothing where gnuplot is missing, without which figures are not drawn");
  auto* all =
      command->add_flag("--all", options->all, "Run all figures, and write a page of their pictures and claims");
  for (const char* other : {"--json", "--record", "--compare"}) all->excludes(command->get_option(other));
  command->callback(
      [&context, options] { context.action = [&context, options] { return run_as_asked(*options, context); }; });
}

const sim::Registration<CommandEntry> figure_command({.name = "figure", .add = add_figure});

}  // namespace

}  // namespace racksim::tools
