// The form of reports: as a JSON Schema, and checked. See report.hpp; report.cpp writes them.
#include <algorithm>
#include <string>
#include <vector>

#include "tools/json/json_schema.hpp"
#include "tools/report/report.hpp"
#include "tools/scenario/binding.hpp"

namespace racksim::tools {
namespace {

using Fits = bool (*)(const JsonValue& value);

bool is_text(const JsonValue& value) {
  return value.string() != nullptr;
}
bool is_text_or_null(const JsonValue& value) {
  return is_text(value) || value.is_null();
}
bool is_natural(const JsonValue& value) {
  return value.natural().has_value();
}
bool is_number(const JsonValue& value) {
  return value.number().has_value();
}
bool is_array(const JsonValue& value) {
  return value.is_array();
}
bool is_object(const JsonValue& value) {
  return value.is_object();
}
bool is_verdict(const JsonValue& value) {
  return value.string() && (*value.string() == "pass" || *value.string() == "fail");
}
bool is_hash(const JsonValue& value) {
  return value.string() && value.string()->size() == 32 &&
         value.string()->find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool is_format(const JsonValue& value) {
  return value.natural() == 1;
}

JsonValue wall_schema() {
  auto schema = empty_object_schema();
  properties_of(schema).set("events_per_s", type_schema("number"));
  properties_of(schema).set("profile", type_schema("object", "Where the processor's time went (--profile)."));
  schema.set("description", "Of real time, as wall_s: what differs between equal runs.");
  return schema;
}

JsonValue inputs_schema() {
  auto input = empty_object_schema();
  properties_of(input).set("file", type_schema("string"));
  properties_of(input).set("sha256", nullable_schema(pattern_schema("^[0-9a-f]{64}$")));
  require_members(input, {"file", "sha256"});
  return array_schema(std::move(input), 0,
                      "The files that scenario and testbed were put together from, the scenario's first.");
}

JsonValue histograms_schema() {
  return map_schema(array_schema(array_schema(type_schema("number"))),
                    "Buckets of each histogram: [from, until, count] in ns; those that hold nothing are left out.");
}

JsonValue descriptions_schema() {
  auto one = empty_object_schema();
  for (const char* key : {"unit", "kind", "doc"}) properties_of(one).set(key, type_schema("string"));
  require_members(one, {"unit", "kind", "doc"});
  return map_schema(std::move(one), "Of each member of metrics: its unit, its kind, and what it is.");
}

/// A member of a report: what it must be, in words, as a check and as a schema.
struct ReportMember {
  const char* key;
  const char* expected;
  Fits fits;
  JsonValue schema;
  bool required = true;
};

const std::vector<ReportMember>& report_members() {
  const auto texts = array_schema(type_schema("string"));
  const auto objects = array_schema(type_schema("object"));
  static const std::vector<ReportMember> all{
      {"format", "1", is_format, const_schema(1), false},
      {"scenario", "a string", is_text, type_schema("string", "The scenario's name.")},
      {"protocol", "a string", is_text, type_schema("string", "The protocol's name.")},
      {"seed", "a whole number", is_natural, integer_schema(0)},
      {"verdict", "\"pass\" or \"fail\"", is_verdict, enum_schema({"pass", "fail"})},
      {"violations", "an array", is_array, objects},
      {"violation_count", "a whole number", is_natural, integer_schema(0, "Those that are not listed too.")},
      {"lost_writes", "an array", is_array, objects},
      {"stall", "an object", is_object, type_schema("object", "Who waited for whom when the run stood still."), false},
      {"judged", "an object", is_object, type_schema("object", "How many of what each oracle has judged."), false},
      {"lost_write_count", "a whole number", is_natural, integer_schema(0, "Those that are not listed too.")},
      {"failed_expectations", "an array", is_array, texts},
      {"busiest", "an array", is_array,
       array_schema(type_schema("object"), 0,
                    "The busiest resource of each kind in the window, the busiest of all first."),
       false},
      {"limited_by", "a string or null", is_text_or_null,
       JsonValue::object({{"type", array_of(std::vector<std::string>{"string", "null"})},
                          {"description", "The kind of the resource that has all hands full; null: latency."}}),
       false},
      {"run_hash", "32 lower-case hexadecimal digits", is_hash, pattern_schema("^[0-9a-f]{32}$")},
      {"events", "a whole number", is_natural, integer_schema(0)},
      {"simulated_ns", "a number", is_number, type_schema("number")},
      {"wall_s", "a number", is_number, type_schema("number", "Of real time.")},
      {"steady_state", "an object", is_object,
       type_schema("object",
                   "Whether the warm-up was long enough, and how well this run tells its means: of throughput_mops and "
                   "latency_ns when each has settled by MSER-5 (settled_ns, early_ns, too_short), its mean with the "
                   "half_width of its 95 % interval by batches, and their correlation. null for what there is not."),
       false},
      {"wall", "an object", is_object, wall_schema(), false},
      {"metrics", "an object", is_object, type_schema("object", "Of the measured phase.")},
      {"whole_run", "an object", is_object, map_schema(integer_schema(0), "What counters counted in all of the run.")},
      {"provenance", "an object", is_object, type_schema("object", "Which build made the report, and where.")},
      {"command", "a string", is_text, type_schema("string", "What runs it again."), false},
      {"inputs", "an array", is_array, inputs_schema(), false},
      {"histograms", "an object", is_object, histograms_schema(), false},
      {"metric_descriptions", "an object", is_object, descriptions_schema(), false},
      {"config", "an object", is_object, type_schema("object", "The scenario with every value in effect.")}};
  return all;
}

/// A member of an object within a report.
struct Inner {
  const char *key, *expected;
  Fits fits;
  bool required = true;
};

/// An object with these members and no others.
void check_object(const JsonValue& value, const JsonLocation& place, const std::vector<Inner>& members) {
  if (!is_object(value)) place.refuse(value.description(), "an object");
  std::vector<std::string> known;
  for (const Inner& member : members) known.emplace_back(member.key);
  bind(value, place, {}, {known, nullptr});
  for (const Inner& member : members) {
    const auto* found = value.find(member.key);
    if (!found && !member.required) continue;
    if (!found || !member.fits(*found)) {
      place.member(member.key).refuse(found ? found->description() : "nothing", member.expected);
    }
  }
}

bool is_digest(const JsonValue& value) {
  return value.is_null() || (value.string() && value.string()->size() == 64 &&
                             value.string()->find_first_not_of("0123456789abcdef") == std::string::npos);
}

bool is_list_of_buckets(const JsonValue& value) {
  const auto all = [](const JsonValue& list, Fits fits) {
    return list.is_array() && std::all_of(list.elements()->begin(), list.elements()->end(), fits);
  };
  return value.is_array() && std::all_of(value.elements()->begin(), value.elements()->end(),
                                         [&](const JsonValue& bucket) { return all(bucket, is_number); });
}

/// What stands in a report that is to be read without anything else.
void check_description(const JsonValue& document, const JsonLocation& root) {
  if (const auto* wall = document.find("wall")) {
    check_object(*wall, root.member("wall"),
                 {{"events_per_s", "a number", is_number, false}, {"profile", "an object", is_object, false}});
  }
  if (const auto* inputs = document.find("inputs")) {
    for (std::size_t i = 0; i < inputs->elements()->size(); ++i) {
      check_object((*inputs->elements())[i], root.member("inputs").element(i),
                   {{"file", "a string", is_text}, {"sha256", "64 hexadecimal digits or null", is_digest}});
    }
  }
  if (const auto* histograms = document.find("histograms")) {
    for (const auto& [name, buckets] : *histograms->members()) {
      if (is_list_of_buckets(buckets)) continue;
      root.member("histograms").member(name).refuse(buckets.description(), "an array of [from, until, count]");
    }
  }
  if (const auto* metrics = document.find("metric_descriptions")) {
    for (const auto& [name, metric] : *metrics->members()) {
      check_object(metric, root.member("metric_descriptions").member(name),
                   {{"unit", "a string", is_text}, {"kind", "a string", is_text}, {"doc", "a string", is_text}});
    }
  }
}

void check_elements(const JsonValue& array, const JsonLocation& place, Fits fits, const char* expected) {
  for (std::size_t i = 0; i < array.elements()->size(); ++i) {
    const auto& element = (*array.elements())[i];
    if (!fits(element)) place.element(i).refuse(element.description(), expected);
  }
}

}  // namespace

JsonValue report_schema() {
  auto schema = empty_object_schema();
  auto& required = schema.set("required", JsonValue::array());
  for (const ReportMember& member : report_members()) {
    if (member.required) required.push(member.key);
  }
  for (const ReportMember& member : report_members()) properties_of(schema).set(member.key, member.schema);
  return file_schema("racksim report", "What racksim run --json prints.", std::move(schema));
}

void check_report(const JsonValue& document, const std::string& file) {
  const JsonLocation root{file, ""};
  std::vector<std::string> known{"$schema"};
  for (const ReportMember& member : report_members()) known.emplace_back(member.key);
  bind(document, root, {}, {known, nullptr});
  if (const auto* schema = document.find("$schema")) require_string(*schema, root.member("$schema"), "a string");
  for (const ReportMember& member : report_members()) {
    const auto* value = document.find(member.key);
    if (!value && !member.required) continue;
    if (!value || !member.fits(*value)) {
      root.member(member.key).refuse(value ? value->description() : "nothing", member.expected);
    }
  }
  for (const char* key : {"violations", "lost_writes"}) {
    check_elements(*document.find(key), root.member(key), is_object, "an object");
  }
  check_elements(*document.find("failed_expectations"), root.member("failed_expectations"), is_text, "a string");
  for (const auto& [name, count] : *document.find("whole_run")->members()) {
    if (!is_natural(count)) root.member("whole_run").member(name).refuse(count.description(), "a whole number");
  }
  check_description(document, root);
}

}  // namespace racksim::tools
