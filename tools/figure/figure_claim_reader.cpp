// Reading claims from JSON. See figure_claim.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

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
constexpr std::pair<const char*, bool> kFalling[] = {{"falling", true}, {"rising", false}};

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
  static const std::vector<Form> all{
      {"value", {"value", "rounding", "words"}},    {"min", {"min", "max", "rounding", "words"}},
      {"max", {"min", "max", "rounding", "words"}}, {"shape", {"shape", "tolerance", "to_value", "within", "words"}},
      {"order", {"order", "tolerance", "words"}},   {"crosses", {"crosses", "between", "direction", "tolerance"}}};
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

/// Holds the claim to a share: what is given may not be wider, and what is not given is it.
void hold_to(double& given, bool is_given, double share, const JsonLocation& place) {
  constexpr double kExact = 1e-12;  // 0.1 of 21.5 is not quite 2.15 in binary
  if (given > share * (1 + kExact))
    place.refuse(fmt::format("the number {}", given), fmt::format("at most {}, by the words", share));
  if (!is_given) given = share;
}

/// What the words of a claim come to; each is a kind of what the paper says, or stands beside it.
void apply_words(Expectation& paper, const JsonValue& object, const JsonLocation& place) {
  const bool value = paper.min && paper.max && *paper.min == *paper.max;
  const bool rounded = object.find("rounding") != nullptr;
  for (const auto& [word, share] : paper.words) {
    if (word == "slightly") {
      paper.slightly = share;
    } else if (word == "up to" && paper.max && !(value && rounded)) {
      paper.reach = *paper.max * (1 - share);
      if (value) paper.min.reset();
    } else if (value) {
      hold_to(paper.rounding, rounded, share * std::abs(*paper.max), place.member("rounding"));
    } else if (paper.min && !paper.max && *paper.min < 1 - share) {
      place.member("min").refuse(fmt::format("the number {}", *paper.min),
                                 fmt::format("at least {}, by the words", 1 - share));
    } else if (std::count(paper.relations.begin(), paper.relations.end(), Relation::about) > 0) {
      hold_to(paper.tolerance, object.find("tolerance") != nullptr, share, place.member("tolerance"));
    }
  }
}

void read_shape(Expectation& paper, const JsonValue& object, const JsonLocation& place) {
  paper.predicate = Predicate::shape;
  paper.shape = named(*object.find("shape"), place.member("shape"), kShapes);
  paper.text = *object.find("shape")->string();
  std::replace(paper.text.begin(), paper.text.end(), '_', ' ');
  paper.to_value = number_member(object, place, "to_value");
  if (object.find("within") && !paper.to_value) place.member("within").refuse("no \"to_value\" beside it", "both");
  if (!paper.to_value) return;
  paper.text += " to " + short_number(*paper.to_value);
  if (paper.within > 0) paper.text += fmt::format(" (within {:.3g} %, chosen)", paper.within * 100);
}

void read_crossing(Expectation& paper, const JsonValue& object, const JsonLocation& place) {
  paper.predicate = Predicate::crossing;
  paper.level = *number_member(object, place, "crosses");
  const auto* between = object.find("between");
  const auto* limits = between ? between->elements() : nullptr;
  const JsonLocation at = place.member("between");
  if (!limits || limits->size() != 2) at.refuse("no pair of x", "\"between\": [x, x]");
  paper.before = require_number((*limits)[0], at.element(0));
  paper.after = require_number((*limits)[1], at.element(1));
  const auto* direction = object.find("direction");
  if (!direction) place.refuse("no \"direction\"", "\"direction\": " + one_of(direction_names()));
  paper.falling = named(*direction, place.member("direction"), kFalling);
  paper.text = fmt::format("crosses {} between {} and {}, {}", paper.level, paper.before, paper.after,
                           paper.falling ? "falling" : "rising");
}

Expectation read_expectation(const JsonValue& object, const JsonLocation& place, const FigureAxes& axes,
                             const ReadingScope& scope) {
  require_object(object, place);
  const std::string key = form_of(object, place).key;
  Expectation paper;
  for (auto [name, target] : {std::pair{"rounding", &paper.rounding}, std::pair{"tolerance", &paper.tolerance},
                              std::pair{"within", &paper.within}}) {
    *target = number_member(object, place, name).value_or(0);
    if (*target < 0) place.member(name).refuse("a negative number", "0 or more");
  }
  if (key == "shape") {
    read_shape(paper, object, place);
  } else if (key == "order") {
    paper.predicate = Predicate::order;
    read_order(paper, *object.find("order"), place.member("order"), axes, scope);
  } else if (key == "crosses") {
    read_crossing(paper, object, place);
  } else {
    const auto value = number_member(object, place, "value");
    paper.min = value ? value : number_member(object, place, "min");
    paper.max = value ? value : number_member(object, place, "max");
    if (paper.min && paper.max && *paper.min > *paper.max) place.refuse("a min above max", "min <= max");
    paper.text = bounds_text(paper);
  }
  if (const auto* words = object.find("words")) {
    paper.words = read_word_shares(*words, place.member("words"));
    apply_words(paper, object, place);
    paper.text += word_shares_text(paper.words);
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

std::vector<std::string> direction_names() {
  return names_of(kFalling);
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
