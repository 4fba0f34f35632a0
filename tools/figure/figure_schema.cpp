// The JSON Schema of figure files: what figure.cpp, figure_claim_reader.cpp, figure_reading.cpp, timeline.cpp and
// knee_plan.cpp read. tests/tools/scenario/schema_agreement.py holds it against them.
#include "tools/figure/claim_words.hpp"
#include "tools/figure/figure.hpp"
#include "tools/json/json_schema.hpp"
#include "tools/plot/plot_scale.hpp"

namespace racksim::tools {
namespace {

/// An array of exactly two of these.
JsonValue pair_of(JsonValue item) {
  auto schema = array_schema(std::move(item), 2);
  schema.set("maxItems", 2);
  return schema;
}

JsonValue x_schema() {
  const auto one = any_of_schemas({type_schema("number"), type_schema("string")});
  const auto bound = type_schema("number");
  return any_of_schemas({type_schema("number"), type_schema("string"), array_schema(one, 1),
                         object_schema({{"from", bound}, {"to", bound}, {"above", bound}, {"below", bound}})},
                        "Where on the x axis: one point, several, or a range.");
}

/// `#/$defs/reading`.
JsonValue reading_schema() {
  const auto reading = definition_schema("reading");
  const auto metric = type_schema("string", "One of the figure's metrics.");
  auto schema = any_of_schemas({type_schema("number"), type_schema("string")}, "How a value is read off the series.");
  for (const OperatorForm& form : operator_forms()) {
    const auto operand = form.operands == 0 ? type_schema("string") : form.operands == 1 ? reading : pair_of(reading);
    schema.find("anyOf")->push(
        object_schema({{form.name, operand}, {"metric", metric}, {"x", x_schema()}}, {form.name}));
  }
  return schema;
}

JsonValue order_schema() {
  auto schema = array_schema(true, 3, "Readings with \">\", \">=\" or \"~\" between them.");
  constexpr int kChecked = 12;  // more than any order needs; a schema cannot say "every second"
  auto& items = schema.set("prefixItems", JsonValue::array());
  for (int i = 0; i < kChecked; ++i)
    items.push(i % 2 == 0 ? definition_schema("reading") : enum_schema(relation_names()));
  return schema;
}

/// "paper" of a claim, but for orders.
JsonValue expectation_schema() {
  const auto number = type_schema("number");
  const auto rounding = number_schema(0, "Half a unit of the last digit that the paper prints.");
  const auto tolerance = number_schema(0, "The share by which a flat curve may spread.");
  const auto words = words_schema();
  auto bounds = object_schema({{"min", number}, {"max", number}, {"rounding", rounding}, {"words", words}});
  bounds.set("minProperties", 1);
  bounds.set("anyOf", JsonValue::array({JsonValue::object({{"required", JsonValue::array({"min"})}}),
                                        JsonValue::object({{"required", JsonValue::array({"max"})}})}));
  auto shape = object_schema({{"shape", enum_schema(shape_names())},
                              {"tolerance", tolerance},
                              {"to_value", type_schema("number", "Where the curve ends.")},
                              {"within", number_schema(0, "The share of it by which the end may differ.")},
                              {"words", words}},
                             {"shape"});
  shape.set("dependentRequired", JsonValue::object({{"within", JsonValue::array({"to_value"})}}));
  return any_of_schemas({object_schema({{"value", number}, {"rounding", rounding}, {"words", words}}, {"value"}),
                         std::move(bounds), std::move(shape),
                         object_schema({{"crosses", number},
                                        {"between", pair_of(number)},
                                        {"direction", enum_schema(direction_names())},
                                        {"tolerance", number_schema(0, "The share that counts as equal.")}},
                                       {"crosses", "between", "direction"})},
                        "What the paper says.");
}

JsonValue claim_schema() {
  const auto reading = definition_schema("reading");
  const auto metric = type_schema("string");
  auto each = object_schema({{"each", array_schema(reading, 1)}, {"metric", metric}, {"x", x_schema()}}, {"each"});
  const auto id = name_schema("The claim's name."), text = type_schema("string");
  auto order =
      object_schema({{"order", order_schema()}, {"tolerance", number_schema(0)}, {"words", words_schema()}}, {"order"});
  return any_of_schemas(
      {object_schema(
           {{"id", id}, {"text", text}, {"paper", expectation_schema()}, {"read", any_of_schemas({reading, each})}},
           {"id", "paper", "read"}),
       object_schema({{"id", id},
                      {"text", text},
                      {"paper", std::move(order)},
                      {"read", object_schema({{"metric", metric}, {"x", x_schema()}})}},
                     {"id", "paper"})});
}

JsonValue sweep_schema() {
  const auto x = any_of_schemas({type_schema("number"), type_schema("string")});
  auto value = any_of_schemas({type_schema("number"), type_schema("string"),
                               object_schema({{"x", x}, {"set", definition_schema("set")}}, {"x"})});
  return object_schema({{"label", type_schema("string", "What the x axis is called.")},
                        {"path", any_of_schemas({definition_schema("path"), const_schema("")})},
                        {"values", array_schema(std::move(value), 1, "Values of x, which rise, or names.")},
                        {"scale", enum_schema(scale_names(), "How x is drawn.")}},
                       {"values"}, "The x axis.");
}

JsonValue timeline_schema() {
  auto seconds = type_schema("number");
  seconds.set("minimum", -1e6);
  seconds.set("maximum", 1e6);
  const auto range = pair_of(type_schema("number"));
  auto stretch = object_schema({{"to", seconds}, {"windows", integer_schema(1, 10'000)}, {"as", range}}, {"to"});
  return object_schema({{"label", type_schema("string")},
                        {"from", seconds},
                        {"stretches", array_schema(std::move(stretch), 1)},
                        {"zero", seconds},
                        {"zoom", range}},
                       {"stretches"}, "An x axis of time, in the place of a sweep.");
}

JsonValue knee_schema() {
  auto loss = number_schema(0, "The share of operations that may be lost.");
  loss.set("exclusiveMaximum", 1);
  auto criterion = object_schema(
      {{"name", name_schema()}, {"loss", loss}, {"calibrated", type_schema("string")}, {"doc", type_schema("string")}},
      {"name", "loss"});
  auto tolerance = type_schema("number");
  tolerance.set("exclusiveMinimum", 0);
  tolerance.set("exclusiveMaximum", 1);
  return object_schema({{"load", definition_schema("path")},
                        {"from", integer_schema(1, 1'000'000'000'000)},
                        {"to", integer_schema(2, 1'000'000'000'000)},
                        {"tolerance", std::move(tolerance)},
                        {"probe", definition_schema("set")},
                        {"criteria", array_schema(std::move(criterion), 1)}},
                       {"criteria"}, "Each point at the largest load that it bears.");
}

}  // namespace

JsonValue figure_schema(const Catalogue& catalogue) {
  const auto text = type_schema("string"), set = definition_schema("set");
  auto series = object_schema({{"name", name_schema("In the figure.")}, {"set", set}}, {"name"});
  const auto seeds = any_of_schemas({integer_schema(1, kMostSeeds), seed_list_schema()},
                                    "Each point with each of these seeds, or so many.");
  auto metric = any_of_schemas(
      {text,
       object_schema({{"name", text}, {"scale", enum_schema(value_scale_names(), "How it is drawn.")}}, {"name"})});
  auto calibration = object_schema({{"constant", definition_schema("path")}, {"on", text}, {"doc", text}}, {"constant"},
                                   "A fitted constant.");
  auto left_out = object_schema({{"id", text}, {"text", text}, {"paper", text}, {"why", text}});
  const auto whole =
      object_schema({{"version", const_schema(1)},
                     {"title", text},
                     {"paper", type_schema("string", "Which figure or table of which paper.")},
                     {"set", set},
                     {"quick", set},
                     {"sweep", sweep_schema()},
                     {"timeline", timeline_schema()},
                     {"series", array_schema(std::move(series), 1, "The curves.")},
                     {"knee", knee_schema()},
                     {"seeds", seeds},
                     {"placements", seed_list_schema("Each point with each of these seeds of placement.")},
                     {"metrics", map_schema(std::move(metric), "Metrics of the report under short names.")},
                     {"claims", array_schema(definition_schema("claim"))},
                     {"calibrated", array_schema(std::move(calibration), 0, "What was fitted, and to what.")},
                     {"not_modelled", array_schema(std::move(left_out), 0, "Claims about what is not modelled.")}});
  auto schema = overlay_schema(whole);
  auto& properties = properties_of(schema);
  const auto file = type_schema("string");
  properties.set("base", any_of_schemas({file, array_schema(file, 1)},
                                        "The scenario of all runs, or figures that this one builds on."));
  properties.set("doc", text);
  require_members(schema, {"base"});
  auto result = file_schema("racksim figure", "Which runs make a figure's points, and what the paper claims of them.",
                            std::move(schema));
  result.set("$defs", JsonValue::object({{"set", set_schema(catalogue)},
                                         {"path", path_schema(catalogue)},
                                         {"reading", reading_schema()},
                                         {"claim", claim_schema()}}));
  return result;
}

}  // namespace racksim::tools
