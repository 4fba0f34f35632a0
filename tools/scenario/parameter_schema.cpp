// JSON Schema fragments from declared parameters.
#include <limits>

#include "tools/json/json_schema.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

using sim::Parameter;

/// The schema of one parameter's plain value.
struct KindSchema {
  JsonValue operator()(const Parameter::Flag&) const { return type_schema("boolean"); }
  JsonValue operator()(const Parameter::Integer& integer) const {
    auto schema = type_schema("integer");
    schema.set("minimum", integer.min);
    if (integer.max != std::numeric_limits<std::uint64_t>::max()) schema.set("maximum", integer.max);
    return schema;
  }
  JsonValue operator()(const Parameter::OptionalInteger& integer) const {
    auto schema = type_or_null("integer");
    schema.set("minimum", integer.min);
    schema.set("maximum", integer.max);
    return schema;
  }
  JsonValue operator()(const Parameter::Real& real) const {
    auto schema = type_schema("number");
    // JSON has no infinity: an open end is no bound.
    if (real.min > std::numeric_limits<double>::lowest()) schema.set("minimum", real.min);
    if (real.max < std::numeric_limits<double>::max()) schema.set("maximum", real.max);
    return schema;
  }
  JsonValue operator()(const Parameter::OptionalReal& real) const {
    auto schema = type_or_null("number");
    schema.set("minimum", real.min);
    schema.set("maximum", real.max);
    return schema;
  }
  JsonValue operator()(const Parameter::Size&) const { return pattern_schema(size_pattern()); }
  JsonValue operator()(const Parameter::Length&) const { return pattern_schema(length_pattern()); }
  JsonValue operator()(const Parameter::Rate&) const { return pattern_schema(rate_pattern()); }
  JsonValue operator()(const Parameter::Text&) const { return type_schema("string"); }
  JsonValue operator()(const Parameter::Choice& choice) const {
    JsonValue schema;
    auto& names = schema.set("enum", JsonValue::array());
    for (const auto& [name, member] : choice.names) names.push(name);
    return schema;
  }

  static JsonValue type_or_null(const char* name) {
    JsonValue schema;
    schema.set("type", JsonValue::array({name, "null"}));
    return schema;
  }
};

/// The plain value, or an object that also says where it comes from.
JsonValue with_source(JsonValue plain) {
  auto annotated = empty_object_schema();
  auto& properties = *annotated.find("properties");
  properties.set("value", plain);
  for (const char* text : {"source", "calibrated", "note"}) properties.set(text, type_schema("string"));
  annotated.set("required", JsonValue::array()).push("value");
  JsonValue schema;
  schema.set("anyOf", JsonValue::array({std::move(plain), std::move(annotated)}));
  return schema;
}

void add_property(JsonValue& object_schema, std::string_view name, JsonValue schema) {
  auto& properties = *object_schema.find("properties");
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) {
    properties.set(name, std::move(schema));
    return;
  }
  const auto group_name = name.substr(0, dot);
  auto* group = properties.find(group_name);
  if (!group) group = &properties.set(group_name, empty_object_schema());
  add_property(*group, name.substr(dot + 1), std::move(schema));
}

}  // namespace

void add_schema(JsonValue& object_schema, const sim::Parameters& parameters, bool annotated) {
  for (const auto& parameter : parameters.all()) {
    auto schema = std::visit(KindSchema{}, parameter.kind);
    if (annotated) schema = with_source(std::move(schema));
    schema.set("description", parameter.described());
    add_property(object_schema, parameter.name, std::move(schema));
  }
}

}  // namespace racksim::tools
