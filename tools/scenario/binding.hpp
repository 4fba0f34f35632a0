// Declared parameters (sim/options/parameters.hpp) meet JSON: values are set, dumped and described from the same
// declarations.
//
// A dotted name addresses nested objects: parameter "cache.bytes" is member `bytes` of member `cache`.
#pragma once

#include <string>
#include <vector>

#include "sim/options/parameters.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"

namespace racksim::tools {

/// What a testbed file says about a constant beside its value, when it is written as
/// `{"value": "5us", "source": "Concordia §7.1", "calibrated": "concordia/fig9", "note": "..."}`.
struct Annotation {
  std::string name;        ///< the parameter's full dotted name
  std::string source;      ///< where the value comes from
  std::string calibrated;  ///< the one figure or measurement it was fitted to; empty if it was not fitted
  std::string note;
};

struct BindRules {
  /// Full names that the caller reads itself.
  std::vector<std::string> reserved = {};
  /// Where annotated constants are allowed, they are collected here (a name read again replaces its annotation).
  std::vector<Annotation>* annotations = nullptr;
};

/// Sets every parameter that `object` gives. Throws InputError on unknown keys (with the nearest valid name), wrong
/// types and values out of range; parameters set before the error keep their new values.
void bind(const JsonValue& object, const JsonLocation& place, const sim::Parameters& parameters,
          const BindRules& rules = {});

/// The value that a parameter has, as a scenario writes it.
JsonValue value_in_effect(const sim::Parameter& parameter);
/// All values in effect, defaults included, as `bind` would read them; null if nothing is declared.
JsonValue values_in_effect(const sim::Parameters& parameters);
/// The same without those that have a neutral value (Parameter::neutral).
JsonValue behavioural_values(const sim::Parameters& parameters);

/// A value of a parameter as a scenario writes it.
JsonValue written(const sim::Parameter& parameter, const sim::Parameter::Value& value);

/// Adds the parameters' JSON Schema (draft 2020-12) to the `properties` of an object schema. With `annotated`, each may
/// also be written with its source.
void add_schema(JsonValue& object_schema, const sim::Parameters& parameters, bool annotated = false);

/// The string at `place`, or an InputError that names what was expected.
const std::string& require_string(const JsonValue& value, const JsonLocation& place, const std::string& expected);
/// The members at `place`, or an InputError.
const JsonValue::Object& require_object(const JsonValue& value, const JsonLocation& place);

}  // namespace racksim::tools
