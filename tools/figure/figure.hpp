// A figure of a paper as a file: which runs make its points, and what the paper claims about them.
//
//   {"version": 1, "title": "...", "paper": "...", "doc": "...",
//    "base": "flowcc/micro.json",                       a scenario (or FILE/CASE) beside the figure, or as `racksim run`
//                                                       finds it; or another figure, whose base is taken (composition.hpp)
//    "set": {"workload.read_ratio": 0.5},               over the base, for all points
//    "quick": {"run.measure": "1ms"},                   over that, for `--quick`
//    "sweep": {"label": "sharing ratio", "path": "workload.sharing_ratio", "values": [0, 0.5, 1],
//              "scale": "linear"},                      how x is drawn: or "log", or "categories", one beside the other
//    "series": [{"name": "CONCORDIA", "set": {"protocol.flowcc.ownership": "switch"}}, ...],
//    "knee": {...},                                     each point by itself at its knee (knee_plan.hpp)
//    "seeds": 5,                                        each point with each of these seeds, and "placements" of the keys
//                                                       (figure_repeats.hpp)
//    "metrics": {"throughput": "throughput_mops",       short names for metrics of the report
//                "tail": {"name": "latency_ns.p99", "scale": "log"}},          drawn so; else from 0 on in its proportions
//    "claims": [{"id": "...", "text": "...", "paper": {...}, "read": ...}],    figure_claim.hpp, figure_reading.hpp
//    "calibrated": [{"constant": "protocol.flowcc.costs.local_access", "on": "a claim's id", "doc": "..."}],
//    "not_modelled": [{"id": "...", "text": "...", "paper": "...", "why": "..."}]}
//
// A figure over time has a "timeline" in the place of the sweep (timeline.hpp). A value of the sweep may also be a
// name, or {"x": value, "set": {...}} where one path is not enough. Without a "scale" names are categories, and so are
// numbers that would lie on each other in their proportions.
//
// With a knee, a point is run at the largest load that meets the criterion, once for each criterion, and the metric
// "knee.load_mops" is that load. With several seeds or placements a claim is judged by the intervals over them, tables
// show the means and the spread, and `--quick` takes the first alone (figure_repeats.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/figure/figure_claim.hpp"
#include "tools/figure/figure_repeats.hpp"
#include "tools/figure/timeline.hpp"
#include "tools/knee/knee_plan.hpp"
#include "tools/plot/plot.hpp"
#include "tools/scenario/composition.hpp"
#include "tools/scenario/scenario.hpp"

namespace racksim::tools {

/// One run of a figure or, with a knee, one run for each criterion.
struct FigurePoint {
  std::size_t series = 0, sweep = 0;
  std::size_t repeat = 0;              ///< of the point, by seed and placement (Repeats)
  std::vector<std::string> overrides;  ///< over the base, as `--set` takes them
  Scenario scenario;
};

/// A constant that was fitted, and to what. Everything else of a figure is a prediction.
struct Calibration {
  std::string constant;  ///< its path in the scenario
  std::string value;     ///< in effect in the figure's runs
  std::string on;        ///< the claim or measurement that it was fitted to
  std::string doc;
};

/// A claim about systems that are not modelled, so that the table shows what is left out.
struct NotModelled {
  std::string id, text, paper, why;
};

struct Figure {
  std::string name;  ///< as `racksim list figures` prints it
  std::string file, base, title, paper, doc, sweep_label;
  FigureAxes axes;
  PlotScale x_scale = PlotScale::linear;  ///< of the sweep
  std::vector<std::string> metric_names;  ///< of the report, in the order of axes.metrics
  std::vector<std::string> metric_units;  ///< theirs; empty where there is none
  std::set<std::size_t> logarithmic;      ///< metrics that are drawn on a logarithmic axis
  std::optional<KneePlan> knee;
  std::optional<Timeline> timeline;  ///< a window for each value of the sweep, which all are of one point
  Repeats repeats;                   ///< of each point
  std::vector<FigurePoint> points;   ///< by series, then along the sweep, then by seed and placement
  std::vector<Claim> claims;
  std::vector<Calibration> calibrated;
  std::vector<NotModelled> not_modelled;

  std::optional<Composition> base_scenario;  ///< the base as it was read

  /// Results that each point has.
  std::size_t criteria() const { return knee ? knee->criteria.size() : 1; }

  /// The base with `--set` overrides over it. Throws InputError.
  Scenario scenario(const Catalogue& catalogue, const std::vector<std::string>& overrides) const;

  /// Values of x that a point's run gives.
  std::size_t windows() const { return timeline ? timeline->windows.size() : 1; }

  /// The command that repeats one point; `load` is that of its knee, 0 for none.
  std::string command_of(const FigurePoint& point, std::uint64_t load = 0) const;
};

/// In the "metrics" of a figure with a knee: the load of the knee, in millions a second.
inline constexpr const char* kKneeMetric = "knee.load_mops";

/// The file of a figure: a path, or a name that `racksim list figures` prints. Throws InputError with the nearest name.
std::string find_figure_file(const std::string& name);

/// Reads a figure and the scenarios of all its points, at full or quick size. Throws InputError.
/// `seeds`, if it is not 0, is how many seeds each point is run with instead of the figure's own.
Figure load_figure(const std::string& file, const Catalogue& catalogue, bool quick, std::uint64_t seeds = 0);
/// The same for a document already read; `file` stands for it in errors.
Figure read_figure(const JsonValue& document, const std::string& file, const Catalogue& catalogue, bool quick,
                   std::uint64_t seeds = 0);

/// The JSON Schema of figure files. A figure that builds on another may leave out any member, and no file shows by
/// itself whether its base is one: only "base" must be there.
JsonValue figure_schema(const Catalogue& catalogue);

}  // namespace racksim::tools
