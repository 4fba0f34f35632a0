// Reading figure files. See figure.hpp.
#include "tools/figure/figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "tools/experiment/experiment.hpp"
#include "tools/figure/figure_metrics.hpp"
#include "tools/files/data_files.hpp"
#include "tools/plot/plot_scale.hpp"
#include "tools/scenario/file_kind.hpp"
#include "tools/scenario/overrides.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/printable.hpp"
#include "tools/text/shell.hpp"

namespace racksim::tools {
namespace {

/// A `--set` and where in the figure file it stands.
struct Change {
  std::string text;
  JsonLocation place;
};
using Changes = std::vector<Change>;

Changes read_changes(const JsonValue* object, const JsonLocation& place) {
  Changes changes;
  if (!object) return changes;
  for (const auto& [path, value] : require_object(*object, place)) {
    changes.push_back({path + "=" + override_text(value), place.member(path)});
  }
  return changes;
}

const JsonValue& require_member(const JsonValue& object, const JsonLocation& place, const char* key,
                                const char* expected) {
  const auto* value = object.find(key);
  if (!value) place.refuse("no " + quote(key), quote(key) + expected);
  return *value;
}

const JsonValue::Array& require_array(const JsonValue& value, const JsonLocation& place, const std::string& expected) {
  const auto* list = value.elements();
  if (!list || list->empty()) place.refuse(value.description(), expected);
  return *list;
}

/// The elements of an optional array.
const JsonValue::Array& optional_array(const JsonValue& document, const JsonLocation& root, const char* key) {
  static const JsonValue::Array kNone;
  const auto* value = document.find(key);
  if (!value) return kNone;
  if (!value->is_array()) root.member(key).refuse(value->description(), "an array");
  return *value->elements();
}

std::vector<Changes> read_sweep(Figure& figure, const JsonValue& sweep, const JsonLocation& place) {
  std::string path;
  sim::Parameters texts;
  texts.text("path", path, "");
  texts.text("label", figure.sweep_label, "");
  bind(sweep, place, texts, {{"values", "scale"}, nullptr});
  const JsonLocation at = place.member("values");
  const auto& list = require_array(require_member(sweep, place, "values", " with the values of x"), at,
                                   "an array of numbers, names or objects with \"x\" and \"set\"");
  std::vector<Changes> changes;
  bool has_names = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonLocation here = at.element(i);
    const bool object = list[i].is_object();
    if (object) bind(list[i], here, {}, {{"x", "set"}, nullptr});
    const JsonValue& x = object ? require_member(list[i], here, "x", ", a number or a name") : list[i];
    SweepPoint point{static_cast<double>(i), ""};
    if (const auto number = x.number()) {
      point = {*number, fmt::format("{}", *number)};
    } else if (x.string()) {
      point.label = *x.string();
      has_names = true;
    } else {
      here.refuse(x.description(), "a number, a name, or an object with \"x\" and \"set\"");
    }
    if (i > 0 && point.x <= figure.axes.sweep.back().x) here.refuse(x.description(), "values of x that rise");
    figure.axes.sweep.push_back(std::move(point));
    Changes set = object ? read_changes(list[i].find("set"), here.member("set")) : Changes{};
    if (!path.empty()) set.push_back({path + "=" + override_text(x), here});
    if (set.empty()) here.refuse("a value that sets nothing", "\"path\" beside \"values\", or an object with \"set\"");
    changes.push_back(std::move(set));
  }
  std::vector<double> values;
  for (const SweepPoint& point : figure.axes.sweep) values.push_back(point.x);
  const auto* scale = sweep.find("scale");
  const JsonLocation of_scale = place.member("scale");
  figure.x_scale =
      scale ? scale_named(require_string(*scale, of_scale, one_of(scale_names())), of_scale, values, has_names)
            : usual_scale(values, has_names);
  return changes;
}

std::vector<Changes> read_series(Figure& figure, const JsonValue& series, const JsonLocation& place) {
  std::vector<Changes> changes;
  const auto& list = require_array(series, place, "an array of objects with \"name\" and \"set\"");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonLocation here = place.element(i);
    std::string name;
    sim::Parameters texts;
    texts.text("name", name, "");
    bind(list[i], here, texts, {{"set"}, nullptr});
    auto& names = figure.axes.series;
    if (name.empty()) here.refuse("no \"name\"", "\"name\" of the series");
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      here.member("name").refuse("the name " + quote(name) + " again", "a name for each series");
    }
    names.push_back(std::move(name));
    changes.push_back(read_changes(list[i].find("set"), here.member("set")));
  }
  return changes;
}

/// Every series is asked, by its first point, whether it has the load of the knee and what its probes replace. What was
/// fitted is noted.
void check_knee(Figure& figure, const JsonLocation& place, const Catalogue& catalogue) {
  std::set<std::size_t> asked;
  for (const FigurePoint& point : figure.points) {
    if (!asked.insert(point.series).second) continue;
    check_knee_of(point.scenario, *figure.knee, place);
    std::vector<std::string> overrides = point.overrides;
    for (std::string& text : figure.knee->probe_overrides_at(figure.knee->bounds.from)) {
      overrides.push_back(std::move(text));
    }
    try {
      figure.scenario(catalogue, overrides);
    } catch (const InputError& error) {
      place.member("probe").refuse(error.found(), error.expected(), error.nearest());
    }
  }
  for (const KneeCriterion& criterion : figure.knee->criteria) {
    if (criterion.calibrated.empty()) continue;
    figure.calibrated.push_back(
        {"knee." + criterion.name + ".loss", fmt::format("{}", criterion.loss), criterion.calibrated, criterion.doc});
  }
}

/// The scenario of a point. A mistake is shown where the figure file makes it.
Scenario read_point(const Figure& figure, const Changes& changes, const Catalogue& catalogue) {
  std::vector<std::string> overrides;
  for (const Change& change : changes) overrides.push_back(change.text);
  try {
    return figure.scenario(catalogue, overrides);
  } catch (const InputError& error) {
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
      if (error.file() != "--set " + change->text) continue;
      throw InputError(change->place.file, change->place.pointer, error.found(), error.expected(), error.nearest());
    }
    throw;
  }
}

void read_points(Figure& figure, const JsonValue& document, const JsonLocation& root, const Catalogue& catalogue,
                 bool quick) {
  const JsonLocation at = root.member("base");
  const std::string& base =
      require_string(require_member(document, root, "base", " with a scenario file"), at, "a scenario file");
  try {
    figure.base = find_named_file(base, figure.file);
  } catch (const InputError& error) {
    at.refuse(quote(base), "a scenario file", error.nearest());
  }
  figure.base_scenario.emplace(figure.base);
  const auto* timeline = document.find("timeline");
  if (timeline && document.find("sweep")) root.member("sweep").refuse("a timeline beside it", "one of the two");
  const auto sweep = timeline
                         ? std::vector<Changes>(1)
                         : read_sweep(figure, require_member(document, root, "sweep", " with \"path\" and \"values\""),
                                      root.member("sweep"));
  const auto series =
      read_series(figure, require_member(document, root, "series", " with the curves"), root.member("series"));
  Changes common = read_changes(document.find("set"), root.member("set"));
  const Changes shrunk = read_changes(document.find("quick"), root.member("quick"));
  if (quick) common.insert(common.end(), shrunk.begin(), shrunk.end());
  for (std::size_t s = 0; s < series.size(); ++s) {
    for (std::size_t x = 0; x < sweep.size(); ++x) {
      Changes changes = common;
      changes.insert(changes.end(), series[s].begin(), series[s].end());
      changes.insert(changes.end(), sweep[x].begin(), sweep[x].end());
      for (std::size_t r = 0; r < figure.repeats.runs(); ++r) {
        Changes repeated = changes;
        for (const Repeats::Setting& setting : figure.repeats.of_run(r)) {
          repeated.push_back(
              {fmt::format("{}={}", setting.path, setting.value), root.member(std::string(setting.word) + "s")});
        }
        FigurePoint point{s, x, r, {}, read_point(figure, repeated, catalogue)};
        for (Change& change : repeated) point.overrides.push_back(std::move(change.text));
        figure.points.push_back(std::move(point));
      }
    }
  }
}

/// All runs have the same intervals, or windows of one axis would not be those of another.
void take_timeline(Figure& figure, const JsonValue& value, const JsonLocation& place) {
  const sim::Duration interval = figure.points.front().scenario.observe.series_interval;
  for (const FigurePoint& point : figure.points) {
    if (point.scenario.observe.series_interval == interval) continue;
    place.refuse("series with several \"observe.series_interval\"", "the same for all");
  }
  if (figure.knee) place.refuse("a knee beside it", "one of the two");
  figure.timeline = read_timeline(value, place, interval);
  figure.sweep_label = figure.timeline->label;
  for (const TimeWindow& window : figure.timeline->windows) {
    figure.axes.sweep.push_back({window.from, fmt::format("{:.10g}", window.from)});
  }
}

/// The constant's value in the first series that has it: a configuration has the options of its own protocol alone.
/// Null if none has.
std::optional<std::string> constant_in(const Figure& figure, const std::string& path) {
  std::set<std::size_t> asked;
  for (const FigurePoint& point : figure.points) {
    if (!asked.insert(point.series).second) continue;
    const JsonValue config = configuration(point.scenario);
    const JsonValue* constant = value_at_path(config, path);
    if (constant != nullptr && !constant->is_object()) return override_text(*constant);
  }
  return std::nullopt;
}

Calibration read_calibration(const JsonValue& value, const JsonLocation& place, const Figure& figure) {
  Calibration calibration;
  sim::Parameters texts;
  texts.text("constant", calibration.constant, "");
  texts.text("on", calibration.on, "");
  texts.text("doc", calibration.doc, "");
  bind(value, place, texts);
  const auto constant = constant_in(figure, calibration.constant);
  if (!constant) {
    place.member("constant")
        .refuse(quote(calibration.constant), "the path of a constant, as in the \"config\" of a report");
  }
  calibration.value = *constant;
  return calibration;
}

/// The constants of the testbed that were fitted, which every figure on it depends on.
std::vector<Calibration> calibrated_in_testbed(const Scenario& scenario) {
  std::vector<Calibration> calibrated;
  const JsonValue config = configuration(scenario);
  for (const Annotation& annotation : scenario.annotations) {
    if (annotation.calibrated.empty()) continue;
    const std::string path = "rack." + annotation.name;
    calibrated.push_back({path, override_text(*value_at_path(config, path)), annotation.calibrated, ""});
  }
  return calibrated;
}

NotModelled read_not_modelled(const JsonValue& value, const JsonLocation& place) {
  NotModelled claim;
  sim::Parameters texts;
  texts.text("id", claim.id, "");
  texts.text("text", claim.text, "");
  texts.text("paper", claim.paper, "");
  texts.text("why", claim.why, "");
  bind(value, place, texts);
  return claim;
}

/// "concordia/fig9": what follows the folder of figures, or the file's name if it lies in none. In words, since results
/// go to a folder of that name.
std::string name_of(const std::string& file) {
  const auto path = std::filesystem::path(file).lexically_normal();
  std::filesystem::path name;
  bool in_folder = false;
  for (const auto& part : path.parent_path()) {
    in_folder = in_folder || part == "figures";
    name = part == "figures" ? std::filesystem::path() : name / word_of(part.string());
  }
  const std::string own = word_of(path.stem().string());
  return in_folder ? (name / own).string() : own;
}

/// A scenario that comes with the program by a name that it has wherever that is installed; others as they are.
std::string name_anywhere(const std::string& file) {
  const std::string folder = scenarios_folder().lexically_normal().string() + "/";
  const std::string path = std::filesystem::path(file).lexically_normal().string();
  return path.starts_with(folder) ? "scenarios/" + path.substr(folder.size()) : file;
}

}  // namespace

Scenario Figure::scenario(const Catalogue& catalogue, const std::vector<std::string>& overrides) const {
  return base_scenario->read([&](const JsonValue& document, const std::string& path) {
    return read_scenario(document, path, catalogue, overrides);
  });
}

std::string Figure::command_of(const FigurePoint& point, std::uint64_t load) const {
  std::vector<std::string> texts = point.overrides;
  if (knee && load > 0) {
    for (std::string& text : knee->overrides_at(load)) texts.push_back(std::move(text));
  }
  return racksim_command("run", name_anywhere(base), {}, texts);
}

std::string find_figure_file(const std::string& name) {
  std::error_code error;
  if (name.ends_with(".json")) return find_scenario_file(name);
  const auto folder = scenarios_folder() / "figures";
  const auto file = folder / (name + ".json");
  if (std::filesystem::exists(file, error)) return file.string();
  const auto names = json_names_below(folder);
  throw InputError("racksim figure", "command line", quote(name), one_of(names), nearest_name(name, names));
}

Figure load_figure(const std::string& file, const Catalogue& catalogue, bool quick, std::uint64_t seeds) {
  return Composition(file).read([&](const JsonValue& document, const std::string& path) {
    return read_figure(document, path, catalogue, quick, seeds);
  });
}

Figure read_figure(const JsonValue& document, const std::string& file, const Catalogue& catalogue, bool quick,
                   std::uint64_t seeds) {
  const JsonLocation root{file, ""};
  require_object(document, root);
  refuse_other_kind(document, root, catalogue, "figure", "series");
  Figure figure;
  figure.file = file;
  figure.name = name_of(file);

  std::string schema;
  std::uint64_t version = 0;
  sim::Parameters own;
  own.text("$schema", schema, "");
  own.integer("version", version, 1, 1, "");
  own.text("title", figure.title, "");
  own.text("paper", figure.paper, "");
  own.text("doc", figure.doc, "");
  bind(document, root, own,
       {{"base", "set", "quick", "sweep", "timeline", "series", "knee", "seeds", "placements", "metrics", "claims",
         "calibrated", "not_modelled"},
        nullptr});
  if (version != 1) root.refuse("no \"version\"", "\"version\": 1, the format of the file");

  if (const auto* knee = document.find("knee")) figure.knee = read_knee_plan(*knee, root.member("knee"));
  figure.repeats = read_repeats(document, root, quick, seeds);
  read_points(figure, document, root, catalogue, quick);
  if (const auto* timeline = document.find("timeline")) take_timeline(figure, *timeline, root.member("timeline"));
  if (figure.knee) check_knee(figure, root.member("knee"), catalogue);
  read_metrics(figure, require_member(document, root, "metrics", " with what is read from the reports"),
               root.member("metrics"));
  const auto& claims = optional_array(document, root, "claims");
  for (std::size_t i = 0; i < claims.size(); ++i) {
    figure.claims.push_back(read_claim(claims[i], root.member("claims").element(i), figure.axes));
  }
  const auto& calibrated = optional_array(document, root, "calibrated");
  for (std::size_t i = 0; i < calibrated.size(); ++i) {
    figure.calibrated.push_back(read_calibration(calibrated[i], root.member("calibrated").element(i), figure));
  }
  for (Calibration& constant : calibrated_in_testbed(figure.points.front().scenario)) {
    figure.calibrated.push_back(std::move(constant));
  }
  const auto& left_out = optional_array(document, root, "not_modelled");
  for (std::size_t i = 0; i < left_out.size(); ++i) {
    figure.not_modelled.push_back(read_not_modelled(left_out[i], root.member("not_modelled").element(i)));
  }
  check_metrics(figure, root.member("metrics"));
  return figure;
}

}  // namespace racksim::tools
