// See control_file_schema.hpp.
#include "tools/lone_switch/control_file_schema.hpp"

namespace racksim::tools {
namespace {

JsonValue name() {
  return type_schema("string");
}
JsonValue priority() {
  return integer_schema(0, 0xffff'ffff);
}

/// A value, or what a rule takes from its trigger.
JsonValue or_field(JsonValue constant) {
  return any_of_schemas({std::move(constant), object_schema({{"field", name()}}, {"field"})});
}

JsonValue write_schema() {
  auto entry = object_schema({{"table", name()},
                              {"key", map_schema(or_field(ref("match")))},
                              {"priority", priority()},
                              {"action", name()},
                              {"data", map_schema(or_field(ref("value")))},
                              {"ttl", ref("time")},
                              {"pipe", integer_schema(0)}},
                             {"table", "key", "action"});
  auto cell = object_schema({{"array", name()},
                             {"index", or_field(integer_schema(0))},
                             {"value", or_field(ref("value"))},
                             {"lo", ref("value")},
                             {"hi", ref("value")},
                             {"pipe", integer_schema(0)}},
                            {"array", "index"});
  return any_of_schemas({std::move(entry), std::move(cell)},
                        "An entry that is added or changed, or a register's cell; in every pipe unless one is named.");
}

JsonValue delete_schema() {
  return object_schema({{"table", name()},
                        {"key", map_schema(or_field(ref("match")))},
                        {"priority", priority()},
                        {"pipe", integer_schema(0)}},
                       {"table", "key"}, "An entry that goes.");
}

JsonValue read_schema() {
  auto entry =
      object_schema({{"table", name()}, {"key", ref("key")}, {"priority", priority()}, {"pipe", integer_schema(0)}},
                    {"table", "key"});
  auto cell =
      object_schema({{"array", name()}, {"index", integer_schema(0)}, {"pipe", integer_schema(0)}}, {"array", "index"});
  auto counter = object_schema({{"counter", name()},
                                {"index", integer_schema(0)},
                                {"key", ref("key")},
                                {"priority", priority()},
                                {"pipe", integer_schema(0)}},
                               {"counter"});
  return any_of_schemas({std::move(entry), std::move(cell), std::move(counter)},
                        "An entry, a register's cell or a counter's entry, of the first pipe unless one is named.");
}

JsonValue on_schema() {
  return any_of_schemas({object_schema({{"digest", name()}}, {"digest"}),
                         object_schema({{"timeout", name()}}, {"timeout"}, "The table.")},
                        "What it answers.");
}

}  // namespace

JsonValue match_schema() {
  auto ranges = object_schema({{"value", ref("value")},
                               {"mask", ref("value")},
                               {"prefix", integer_schema(0)},
                               {"from", ref("value")},
                               {"to", ref("value")}});
  ranges.set("anyOf", JsonValue::array({needs({"from", "to"}), needs({"value", "prefix"}), needs({"value", "mask"})}));
  return any_of_schemas({ref("value"), const_schema("any"), std::move(ranges)});
}

JsonValue idle_timeouts_schema() {
  auto table =
      object_schema({{"table", name()}, {"interval", ref("time")}, {"ttl", ref("time")}}, {"table", "interval"});
  return array_schema(std::move(table), 0,
                      "Tables whose entries time out, with the interval at which that is counted.");
}

JsonValue control_schema() {
  auto expect = object_schema({{"value", ref("value")},
                               {"lo", ref("value")},
                               {"hi", ref("value")},
                               {"action", name()},
                               {"data", map_schema(ref("value"))},
                               {"absent", const_schema(true)},
                               {"packets", integer_schema(0)},
                               {"bytes", integer_schema(0)}},
                              {}, "What a read finds.");
  auto item = object_schema({{"at", ref("time")},
                             {"on", on_schema()},
                             {"write", write_schema()},
                             {"delete", delete_schema()},
                             {"read", read_schema()},
                             {"expect", std::move(expect)}});
  item.set("oneOf", JsonValue::array({needs({"at"}), needs({"on"})}));
  item.set("anyOf", JsonValue::array({needs({"write"}), needs({"delete"}), needs({"read"})}));
  return array_schema(std::move(item), 0,
                      "What the control CPU does: at a time, in their order, or in answer to a digest or a time-out.");
}

JsonValue packet_expectation_schema() {
  auto departure = object_schema({{"port", integer_schema(0)},
                                  {"from", ref("time")},
                                  {"until", ref("time")},
                                  {"fields", map_schema(ref("value"), "Such as \"ipv4.ttl\".")}},
                                 {"port"});
  return array_schema(std::move(departure), 0, "All that leaves by front ports, in order of time, then of ports.");
}

JsonValue final_expectation_schema() {
  const auto pipe = integer_schema(0);
  auto cell = object_schema({{"array", name()},
                             {"index", integer_schema(0)},
                             {"value", ref("value")},
                             {"lo", ref("value")},
                             {"hi", ref("value")},
                             {"pipe", pipe}},
                            {"array", "index"});
  auto table = object_schema({{"table", name()},
                              {"key", ref("key")},
                              {"priority", priority()},
                              {"action", name()},
                              {"data", map_schema(ref("value"))},
                              {"absent", const_schema(true)},
                              {"entries", integer_schema(0)},
                              {"pipe", pipe}},
                             {"table"});
  auto counter = object_schema({{"counter", name()},
                                {"index", integer_schema(0)},
                                {"key", ref("key")},
                                {"priority", priority()},
                                {"packets", integer_schema(0)},
                                {"bytes", integer_schema(0)},
                                {"pipe", pipe}},
                               {"counter"});
  auto digest = object_schema({{"digest", name()}, {"values", map_schema(ref("value"))}}, {"digest"});
  return object_schema({{"registers", array_schema(std::move(cell))},
                        {"tables", array_schema(std::move(table), 0, "An entry, or how many there are.")},
                        {"counters", array_schema(std::move(counter))},
                        {"digests", array_schema(std::move(digest), 0, "All, in their order.")}},
                       {}, "What there is in the end.");
}

}  // namespace racksim::tools
