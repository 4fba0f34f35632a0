// Reading claims from JSON. See figure_claim.hpp.
#include <fmt/core.h>

#include <algorithm>

#include "tools/figure/figure_claim.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/nearest_name.hpp"

namespace racksim::tools {
namespace {

using Predicate = Expectation::Predicate;
using Shape = Expectation::Shape;
using Relation = Expectation::Relation;

constexpr std::pair<const char*, Shape> kShapes[] = {
    {"monotone_increasing", Shape::monotone_increasing},
    {"monotone_decreasing", Shape::monotone_decreasing},
    {"non_increasing", Shape::non_increasing},
    {"non_decreasing", Shape::non_decreasing},
    {"flat", Shape::flat},
    {"rise_then_fall", Shape::rise_then_fall},
    {"fall_then_rise", Shape::fall_then_rise},
};
constexpr std::pair<const char*, Relation> kRelations[] = {
    {">", Relation::above}, {">=", Relation::at_least}, {"~", Relation::about}};

template <class Value, std::size_t n>
std::vector<std::string> names_of(const std::pair<const char*, Value> (&table)[n]) {
  std::vector<std::string> names;
  for (const auto& [name, meaning] : table) names.push_back(name);
  return names;
}

template <class Value, std::size_t n>
Value named(const JsonValue& value, const JsonLocation& place, const std::pair<const char*, Value> (&table)[n]) {
  const auto names = names_of(table);
  const std::string& text = require_string(value, place, one_of(names));
  for (const auto& [name, meaning] : table) {
    if (text == name) return meaning;
  }
  place.refuse(value.description(), one_of(names), nearest_name(text, names));
}

double require_number(const JsonValue& value, const JsonLocation& place) {
  const auto number = value.number();
  if (!number) place.refuse(value.description(), "a number");
  return *number;
}

std::optional<double> number_member(const JsonValue& object, const JsonLocation& place, const char* key) {
  const auto* value = object.find(key);
  return value ? std::optional(require_number(*value, place.member(key))) : std::nullopt;
}

void read_order(Expectation& paper, const JsonValue& order, const JsonLocation& place, const FigureAxes& axes,
                const ReadingScope& scope) {
  const auto* parts = order.elements();
  if (!parts || parts->size() < 3 || parts->size() % 2 == 0) {
    place.refuse(order.description(), "readings with \">\", \">=\" or \"~\" between them");
  }
  for (std::size_t i = 0; i < parts->size(); ++i) {
    const JsonLocation at = place.element(i);
    if (i % 2 == 1) {
      paper.relations.push_back(named((*parts)[i], at, kRelations));
      paper.text += " " + *(*parts)[i].string() + " ";
    } else {
      Reading reading = read_reading((*parts)[i], at, axes, scope);
      const auto& first = paper.operands.empty() ? reading : paper.operands.front();
      if (first.single() != reading.single() || first.points != reading.points) {
        at.refuse("a reading at other x than the first", "readings at the same x");
      }
      paper.text += reading.op == Reading::Operator::number ? short_number(reading.number) : reading.name(axes);
      paper.operands.push_back(std::move(reading));
    }
  }
}

std::string bounds_text(const Expectation& paper) {
  if (!paper.min) return "at most " + short_number(*paper.max);
  if (!paper.max) return "at least " + short_number(*paper.min);
  if (*paper.min == *paper.max) return short_number(*paper.min);
  return short_number(*paper.min) + " .. " + short_number(*paper.max);
}

/// The forms of "paper" and the members that each may have.
struct Form {
  const char* key;
  std::vector<std::string> members;
};
const std::vector<Form>& forms() {
  static const std::vector<Form> all{{"value", {"value", "rounding"}},    {"min", {"min", "max", "rounding"}},
                                     {"max", {"min", "max", "rounding"}}, {"shape", {"shape", "tolerance"}},
                                     {"order", {"order", "tolerance"}},   {"crosses", {"crosses", "between"}}};
  return all;
}

const Form& form_of(const JsonValue& object, const JsonLocation& place) {
  for (const Form& form : forms()) {
    if (!object.find(form.key)) continue;
    bind(object, place, {}, {form.members, nullptr});
    return form;
  }
  place.refuse("no expectation", R"(one of "value", "min", "max", "shape", "order" or "crosses")");
}

Expectation read_expectation(const JsonValue& object, const JsonLocation& place, const FigureAxes& axes,
                             const ReadingScope& scope) {
  require_object(object, place);
  const std::string key = form_of(object, place).key;
  Expectation paper;
  for (auto [name, target] : {std::pair{"rounding", &paper.rounding}, std::pair{"tolerance", &paper.tolerance}}) {
    *target = number_member(object, place, name).value_or(0);
    if (*target < 0) place.member(name).refuse("a negative number", "0 or more");
  }
  if (key == "shape") {
    paper.predicate = Predicate::shape;
    paper.shape = named(*object.find("shape"), place.member("shape"), kShapes);
    paper.text = *object.find("shape")->string();
    std::replace(paper.text.begin(), paper.text.end(), '_', ' ');
  } else if (key == "order") {
    paper.predicate = Predicate::order;
    read_order(paper, *object.find("order"), place.member("order"), axes, scope);
  } else if (key == "crosses") {
    paper.predicate = Predicate::crossing;
    paper.level = *number_member(object, place, "crosses");
    const auto* between = object.find("between");
    const auto* limits = between ? between->elements() : nullptr;
    const JsonLocation at = place.member("between");
    if (!limits || limits->size() != 2) at.refuse("no pair of x", "\"between\": [x, x]");
    paper.before = require_number((*limits)[0], at.element(0));
    paper.after = require_number((*limits)[1], at.element(1));
    paper.text = fmt::format("crosses {} between {} and {}", paper.level, paper.before, paper.after);
  } else {
    const auto value = number_member(object, place, "value");
    paper.min = value ? value : number_member(object, place, "min");
    paper.max = value ? value : number_member(object, place, "max");
    if (paper.min && paper.max && *paper.min > *paper.max) place.refuse("a min above max", "min <= max");
    paper.text = bounds_text(paper);
  }
  return paper;
}

/// "read": a reading, or {"each": [readings]}.
std::vector<Reading> read_readings(const JsonValue& read, const JsonLocation& place, const FigureAxes& axes,
                                   const ReadingScope& scope) {
  const auto* each = read.find("each");
  if (!each) return {read_reading(read, place, axes, scope)};
  bind(read, place, {}, {{"each", "metric", "x"}, nullptr});
  const auto* list = each->elements();
  const JsonLocation at = place.member("each");
  if (!list || list->empty()) at.refuse(each->description(), "an array of readings");
  const ReadingScope inner = narrowed(read, place, axes, scope);
  std::vector<Reading> readings;
  for (std::size_t i = 0; i < list->size(); ++i) {
    readings.push_back(read_reading((*list)[i], at.element(i), axes, inner));
  }
  return readings;
}

}  // namespace

std::vector<std::string> shape_names() {
  return names_of(kShapes);
}

std::vector<std::string> relation_names() {
  return names_of(kRelations);
}

Claim read_claim(const JsonValue& value, const JsonLocation& place, const FigureAxes& axes) {
  Claim claim;
  sim::Parameters texts;
  texts.text("id", claim.id, "");
  texts.text("text", claim.text, "");
  bind(value, place, texts, {{"paper", "read"}, nullptr});
  if (claim.id.empty()) place.refuse("no \"id\"", "\"id\" with the claim's name");
  const auto* paper = value.find("paper");
  if (!paper) place.refuse("no \"paper\"", "\"paper\" with what the paper says");
  const auto* read = value.find("read");
  ReadingScope scope = top_scope(axes);
  const JsonLocation at = place.member("read");
  if (paper->find("order")) {
    // The readings stand in the order itself; "read" says of what and where.
    if (read) {
      require_object(*read, at);
      for (const auto& [key, member] : *read->members()) {
        if (key != "metric" && key != "x")
          at.member(key).refuse("the unknown key " + quote(key), "\"metric\" or \"x\"");
      }
      scope = narrowed(*read, at, axes, scope);
    }
    claim.paper = read_expectation(*paper, place.member("paper"), axes, scope);
    return claim;
  }
  claim.paper = read_expectation(*paper, place.member("paper"), axes, scope);
  if (!read) place.refuse("no \"read\"", "\"read\": how the claim is read off the series");
  claim.readings = read_readings(*read, at, axes, scope);
  for (const Reading& reading : claim.readings) {
    if (claim.directional() && reading.points.size() < 2) {
      at.refuse("a reading with one value", "a curve: a shape or crossing needs several x");
    }
  }
  return claim;
}

}  // namespace racksim::tools
