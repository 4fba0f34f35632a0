// Binding of JSON values to declared parameters.
#include "tools/scenario/binding.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/options/option_error.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

using sim::Parameter;

/// Sets one parameter of any kind, or refuses the value.
class Setter {
 public:
  Setter(const JsonValue& value, const JsonLocation& place) : value_(value), place_(place) {}

  void operator()(const Parameter::Flag& flag) const {
    const auto* value = value_.boolean();
    if (!value) refuse("true or false");
    *flag.target = *value;
  }

  void operator()(const Parameter::Integer& integer) const {
    const auto value = value_.natural();
    if (!value || *value < integer.min || *value > integer.max) {
      refuse(integer.min == integer.max ? std::to_string(integer.min)
                                        : fmt::format("a whole number from {} to {}", integer.min, integer.max));
    }
    *integer.target = *value;
  }

  void operator()(const Parameter::OptionalInteger& integer) const {
    const auto value = value_.natural();
    if (!value_.is_null() && (!value || *value < integer.min || *value > integer.max)) {
      refuse(fmt::format("a whole number from {} to {}, or null", integer.min, integer.max));
    }
    *integer.target = value;
  }

  void operator()(const Parameter::Real& real) const {
    const auto value = value_.number();
    // Written so that NaN, should it ever get here, is refused too.
    if (!value || !(*value >= real.min && *value <= real.max)) {
      refuse(fmt::format("a number from {} to {}", real.min, real.max));
    }
    *real.target = *value;
  }

  void operator()(const Parameter::OptionalReal& real) const {
    const auto value = value_.number();
    if (!value_.is_null() && (!value || !(*value >= real.min && *value <= real.max))) {
      refuse(fmt::format("a number from {} to {}, or null", real.min, real.max));
    }
    *real.target = value;
  }

  void operator()(const Parameter::Size& size) const {
    set_quantity(*size.target, size.min, size.max, parse_size, format_size);
  }
  void operator()(const Parameter::Length& length) const {
    set_quantity(*length.target, length.min, length.max, parse_length, format_length);
  }
  void operator()(const Parameter::Rate& rate) const {
    set_quantity(*rate.target, rate.min, rate.max, parse_rate, format_rate);
  }

  void operator()(const Parameter::Choice& choice) const {
    std::vector<std::string> names;
    for (const auto& [name, member] : choice.names) names.push_back(name);
    const auto* text = value_.string();
    const auto chosen = std::find_if(choice.names.begin(), choice.names.end(),
                                     [&](const auto& candidate) { return text && candidate.first == *text; });
    if (chosen == choice.names.end()) refuse(one_of(names), text ? nearest_name(*text, names) : "");
    choice.set(choice.target, chosen->second);
  }

  void operator()(const Parameter::Text& text) const { *text.target = require_string(value_, place_, "a string"); }

 private:
  [[noreturn]] void refuse(std::string expected, std::string nearest = {}) const {
    place_.refuse(value_.description(), std::move(expected), std::move(nearest));
  }

  template <class Quantity, class Parse, class Format>
  void set_quantity(Quantity& target, Quantity min, Quantity max, Parse parse, Format format) const {
    try {
      const auto* text = value_.string();
      const Quantity value = parse(text ? std::string_view(*text) : std::string_view());
      if (value < min || value > max) refuse(fmt::format("{} to {}", format(min), format(max)));
      target = value;
    } catch (const UnitError& error) {
      refuse(error.what());
    }
  }

  const JsonValue& value_;
  const JsonLocation& place_;
};

/// The value of a constant that may carry its source, which is noted.
const JsonValue& unwrap(const JsonValue& value, JsonLocation& place, const std::string& name,
                        std::vector<Annotation>& annotations) {
  std::erase_if(annotations, [&](const Annotation& annotation) { return annotation.name == name; });
  if (!value.is_object()) return value;
  Annotation annotation;
  annotation.name = name;
  sim::Parameters texts;
  texts.text("source", annotation.source, "");
  texts.text("calibrated", annotation.calibrated, "");
  texts.text("note", annotation.note, "");
  bind(value, place, texts, {{"value"}, nullptr});
  const auto* content = value.find("value");
  if (!content)
    place.refuse("an object without \"value\"", "a plain value, or an object with \"value\" and \"source\"");
  annotations.push_back(std::move(annotation));
  place = place.member("value");
  return *content;
}

/// The names that may follow `prefix`, up to their next dot.
std::vector<std::string> names_below(const std::string& prefix, const std::vector<Parameter>& parameters,
                                     const std::vector<std::string>& reserved) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& full) {
    if (!full.starts_with(prefix)) return;
    auto name = full.substr(prefix.size());
    name.erase(std::min(name.find('.'), name.size()));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  };
  for (const auto& name : reserved) add(name);
  for (const auto& parameter : parameters) add(parameter.name);
  return names;
}

void bind_group(const JsonValue& object, const JsonLocation& place, const std::string& prefix,
                const std::vector<Parameter>& parameters, const BindRules& rules) {
  const auto names = names_below(prefix, parameters, rules.reserved);
  for (const auto& [key, value] : require_object(object, place)) {
    const auto full = prefix + key;
    if (std::find(rules.reserved.begin(), rules.reserved.end(), full) != rules.reserved.end()) continue;
    const auto parameter = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const auto& candidate) { return candidate.name == full; });
    auto inner = place.member(key);
    // A key that itself holds a dot could spell a full name without its groups; names_below never offers it.
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      inner.refuse("the unknown key " + quote(key), one_of(names), nearest_name(key, names));
    } else if (parameter != parameters.end()) {
      const auto& content = rules.annotations ? unwrap(value, inner, full, *rules.annotations) : value;
      std::visit(Setter(content, inner), parameter->kind);
    } else {
      bind_group(value, inner, full + ".", parameters, rules);
    }
  }
}

/// A parameter's value as JSON.
struct Getter {
  JsonValue operator()(const Parameter::Flag& flag) const { return *flag.target; }
  JsonValue operator()(const Parameter::Integer& integer) const { return *integer.target; }
  JsonValue operator()(const Parameter::OptionalInteger& integer) const {
    return *integer.target ? JsonValue(**integer.target) : JsonValue();
  }
  JsonValue operator()(const Parameter::Real& real) const { return *real.target; }
  JsonValue operator()(const Parameter::OptionalReal& real) const {
    return *real.target ? JsonValue(**real.target) : JsonValue();
  }
  JsonValue operator()(const Parameter::Size& size) const { return format_size(*size.target); }
  JsonValue operator()(const Parameter::Length& length) const { return format_length(*length.target); }
  JsonValue operator()(const Parameter::Rate& rate) const { return format_rate(*rate.target); }
  JsonValue operator()(const Parameter::Text& text) const { return *text.target; }
  JsonValue operator()(const Parameter::Choice& choice) const {
    const auto value = choice.get(choice.target);
    for (const auto& [name, member] : choice.names) {
      if (member == value) return name;
    }
    throw std::logic_error(fmt::format("an enumeration holds {}, which has no name", value));
  }
};

/// Whether a parameter has this value.
struct Has {
  const Parameter::Value& value;

  bool operator()(const Parameter::Flag& flag) const { return value == Parameter::Value(*flag.target); }
  bool operator()(const Parameter::Real& real) const { return value == Parameter::Value(*real.target); }
  bool operator()(const Parameter::Length& length) const { return value == Parameter::Value(*length.target); }
  bool operator()(const Parameter::Text& text) const { return value == Parameter::Value(*text.target); }
  bool operator()(const Parameter::Choice& choice) const {
    return value == Parameter::Value(*Getter{}(choice).string());
  }
  template <class Number>  // Integer, Size or Rate
  bool operator()(const Number& number) const requires std::is_same_v<decltype(number.target), std::uint64_t*> {
    return value == Parameter::Value(*number.target);
  }
  template <class Optional>
  bool operator()(const Optional& optional) const requires requires {
    optional.target->has_value();
  }
  { return *optional.target && value == Parameter::Value(**optional.target); }
};

}  // namespace

void bind(const JsonValue& object, const JsonLocation& place, const sim::Parameters& parameters,
          const BindRules& rules) {
  bind_group(object, place, "", parameters.all(), rules);
}

JsonValue value_in_effect(const Parameter& parameter) {
  if (parameter.canonical) {
    try {
      return parameter.canonical();
    } catch (const sim::OptionError&) {  // refused where something is built with it; until then it is what is written
    }
  }
  return std::visit(Getter{}, parameter.kind);
}

namespace {

bool is_neutral(const Parameter& parameter) {
  if (parameter.neutral) {
    if (std::visit(Has{*parameter.neutral}, parameter.kind)) return true;
    const JsonValue meant = value_in_effect(parameter);
    if (meant.string() != nullptr && Parameter::Value(*meant.string()) == *parameter.neutral) return true;
  }
  return parameter.neutral_null && std::visit(Getter{}, parameter.kind).is_null();
}

}  // namespace

JsonValue values_in_effect(const sim::Parameters& parameters) {
  JsonValue values;
  for (const auto& parameter : parameters.all()) values.set_dotted(parameter.name, value_in_effect(parameter));
  return values;
}

JsonValue behavioural_values(const sim::Parameters& parameters) {
  JsonValue values;
  for (const auto& parameter : parameters.all()) {
    if (!is_neutral(parameter)) values.set_dotted(parameter.name, value_in_effect(parameter));
  }
  return values;
}

JsonValue written(const Parameter& parameter, const Parameter::Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* length = std::get_if<sim::Duration>(&value)) return format_length(*length);
  if (const auto* name = std::get_if<std::string>(&value)) return *name;
  const auto number = std::get<std::uint64_t>(value);
  if (std::holds_alternative<Parameter::Size>(parameter.kind)) return format_size(number);
  if (std::holds_alternative<Parameter::Rate>(parameter.kind)) return format_rate(number);
  return number;
}

const std::string& require_string(const JsonValue& value, const JsonLocation& place, const std::string& expected) {
  const auto* text = value.string();
  if (!text) place.refuse(value.description(), expected);
  return *text;
}

const JsonValue::Object& require_object(const JsonValue& value, const JsonLocation& place) {
  const auto* members = value.members();
  if (!members) place.refuse(value.description(), "an object");
  return *members;
}

}  // namespace racksim::tools
