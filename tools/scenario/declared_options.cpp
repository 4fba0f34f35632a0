// Lists of declared options and of testbeds' constants. See declared_options.hpp.
#include "tools/scenario/declared_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tools/files/data_files.hpp"
#include "tools/text/columns.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

using sim::Parameter;

/// What may be given for a parameter.
struct Range {
  std::string type;
  JsonValue least = {}, most = {};
  std::vector<std::string> choices = {};
};

struct RangeOf {
  Range operator()(const Parameter::Flag&) const { return {"true or false"}; }
  Range operator()(const Parameter::Integer& integer) const { return whole("whole number", integer); }
  Range operator()(const Parameter::OptionalInteger& integer) const { return whole("whole number or null", integer); }
  Range operator()(const Parameter::Real& real) const { return number("number", real); }
  Range operator()(const Parameter::OptionalReal& real) const { return number("number or null", real); }
  Range operator()(const Parameter::Size& size) const { return {"size", format_size(size.min), format_size(size.max)}; }
  Range operator()(const Parameter::Length& length) const {
    return {"length of time", format_length(length.min), format_length(length.max)};
  }
  Range operator()(const Parameter::Rate& rate) const {
    return {"data rate", format_rate(rate.min), format_rate(rate.max)};
  }
  Range operator()(const Parameter::Text&) const { return {"text"}; }
  Range operator()(const Parameter::Choice& choice) const {
    Range range{"one of"};
    for (const auto& [name, member] : choice.names) range.choices.push_back(name);
    return range;
  }

 private:
  // An end that the type alone sets is no bound.
  template <class Integer>
  static Range whole(const char* type, const Integer& integer) {
    Range range{type, integer.min};
    if (integer.max != std::numeric_limits<std::uint64_t>::max()) range.most = integer.max;
    return range;
  }
  template <class Real>
  static Range number(const char* type, const Real& real) {
    Range range{type};
    if (real.min > std::numeric_limits<double>::lowest()) range.least = real.min;
    if (real.max < std::numeric_limits<double>::max()) range.most = real.max;
    return range;
  }
};

std::string basis_of(const Parameter& parameter) {
  if (!parameter.basis) return "";
  switch (parameter.basis->of) {
    case Parameter::Basis::Of::published:
      return "published";
    case Parameter::Basis::Of::estimate:
      return "estimate";
    case Parameter::Basis::Of::calibrated:
      break;
  }
  return "calibrated";
}

void add_options(std::vector<DeclaredOption>& options, const sim::Parameters& parameters, const std::string& part,
                 const std::string& owner, const std::string& prefix) {
  for (const Parameter& parameter : parameters.all()) {
    Range range = std::visit(RangeOf{}, parameter.kind);
    options.push_back({owner, part, prefix + parameter.name, std::move(range.type), std::move(range.least),
                       std::move(range.most), value_in_effect(parameter), std::move(range.choices),
                       parameter.described(), parameter.doc, basis_of(parameter),
                       parameter.basis ? std::string(parameter.basis->text) : ""});
  }
}

/// Of components that have names.
template <class Options>
void add_options(std::vector<DeclaredOption>& options, const std::vector<OptionsEntry<Options>>& entries,
                 const std::string& part, const std::string& prefix, bool named) {
  for (const auto& entry : entries) {
    sim::Parameters parameters;
    const auto made = entry.make(parameters);
    add_options(options, parameters, part, entry.name, named ? prefix + entry.name + '.' : prefix);
  }
}

/// Of a part that every scenario has.
template <class Part>
void add_options(std::vector<DeclaredOption>& options, Part part, const std::string& name) {
  sim::Parameters parameters;
  part.declare(parameters);
  add_options(options, parameters, name, name, name + '.');
}

std::string written_text(const JsonValue& value) {
  return value.string() ? *value.string() : value.is_null() ? "null" : to_canonical_json(value);
}

/// What the testbed says about its constant; null if nothing.
const Annotation* annotation_of(const Testbed& testbed, const std::string& name) {
  const auto found = std::find_if(testbed.annotations.begin(), testbed.annotations.end(),
                                  [&](const Annotation& annotation) { return annotation.name == name; });
  return found == testbed.annotations.end() ? nullptr : &*found;
}

JsonValue constant_json(const Testbed& testbed, const Parameter& parameter) {
  auto entry = JsonValue::object(
      {{"testbed", testbed.name}, {"constant", parameter.name}, {"value", value_in_effect(parameter)}});
  if (const Annotation* annotation = annotation_of(testbed, parameter.name)) {
    entry.set({{"source", annotation->source}, {"calibrated", annotation->calibrated}, {"note", annotation->note}});
  }
  return entry;
}

}  // namespace

std::vector<DeclaredOption> declared_options(const Catalogue& catalogue) {
  std::vector<DeclaredOption> options;
  sim::Parameters rack;
  const auto made = catalogue.rack.make(rack);
  add_options(options, rack, "rack", "rack", "rack.");
  add_options(options, catalogue.protocols, "protocol", "protocol.", true);
  add_options(options, catalogue.workloads, "workload", "workload.", false);
  add_options(options, RunPlan(), "run");
  add_options(options, catalogue.faults, "faults", "faults.N.", false);
  add_options(options, HistoryOptions(), "check");
  add_options(options, Observation(), "observe");
  return options;
}

std::string values_text(const DeclaredOption& option) {
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, ", "));
  if (option.least.is_null() && option.most.is_null()) return option.type;
  const std::string least = option.least.is_null() ? "" : written_text(option.least) + " ";
  return fmt::format("{}, {}..{}", option.type, least, option.most.is_null() ? "" : " " + written_text(option.most));
}

std::string options_text(const std::vector<DeclaredOption>& options) {
  std::vector<std::vector<std::string>> lines{{"option", "default", "values", "meaning"}};
  for (const DeclaredOption& option : options) {
    lines.push_back({option.path, written_text(option.initial), values_text(option), option.doc});
  }
  return in_columns(lines);
}

JsonValue option_json(const DeclaredOption& option) {
  auto entry =
      JsonValue::object({{"part", option.part}, {"owner", option.owner}, {"path", option.path}, {"type", option.type}});
  if (!option.least.is_null()) entry.set("least", option.least);
  if (!option.most.is_null()) entry.set("most", option.most);
  if (!option.choices.empty()) entry.set("choices", array_of(option.choices));
  entry.set("default", option.initial);
  entry.set("doc", option.doc);
  return entry;
}

JsonValue options_json(const std::vector<DeclaredOption>& options) {
  return array_of(options, option_json);
}

std::string constants_text(const std::vector<Testbed>& testbeds) {
  std::vector<std::vector<std::string>> lines{{"testbed", "constant", "value", "source"}};
  for (const Testbed& testbed : testbeds) {
    for (const Parameter& parameter : testbed.rack.parameters.all()) {
      const Annotation* annotation = annotation_of(testbed, parameter.name);
      lines.push_back({testbed.name, parameter.name, written_text(value_in_effect(parameter)),
                       annotation ? annotation->source : ""});
    }
  }
  return in_columns(lines);
}

JsonValue constants_json(const std::vector<Testbed>& testbeds) {
  JsonValue list = JsonValue::array();
  for (const Testbed& testbed : testbeds) {
    for (const Parameter& parameter : testbed.rack.parameters.all()) list.push(constant_json(testbed, parameter));
  }
  return list;
}

JsonValue constants_json(const std::vector<Testbed>& testbeds, const std::string& name) {
  JsonValue list = JsonValue::array();
  for (const Testbed& testbed : testbeds) {
    for (const Parameter& parameter : testbed.rack.parameters.all()) {
      if (parameter.name == name) list.push(constant_json(testbed, parameter));
    }
  }
  return list;
}

std::vector<Testbed> shipped_testbeds(const Catalogue& catalogue, const std::string& only) {
  std::vector<Testbed> testbeds;
  for (const auto& name : testbed_names()) {
    if (!only.empty() && name != only) continue;
    testbeds.push_back(load_testbed((scenarios_folder() / "testbeds" / (name + ".json")).string(), catalogue));
  }
  return testbeds;
}

}  // namespace racksim::tools
