// The JSON Schema of packet files: what packet_file.cpp reads for any program. Names of tables, registers, headers and
// fields are the program's, and how wide a value may be.
#include "tools/json/json_schema.hpp"
#include "tools/lone_switch/control_file_schema.hpp"
#include "tools/lone_switch/packet_file.hpp"
#include "tools/lone_switch/packet_file_parts.hpp"
#include "tools/scenario/binding.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

/// `#/$defs/value`: a number, or as people write those of 32 and 48 bits.
JsonValue value_schema() {
  return any_of_schemas({integer_schema(0), pattern_schema("^(0x[0-9A-Fa-f]+|[0-9]+|[0-9A-Fa-f]+(:[0-9A-Fa-f]+){5}|"
                                                           "[0-9]+(\\.[0-9]+){3})$")},
                        "A number, its text (\"0x...\" too), a MAC address or an IPv4 address.");
}

/// `#/$defs/key`.
JsonValue key_schema() {
  return map_schema(ref("match"), "The key fields of the table.");
}

JsonValue payload_schema() {
  constexpr std::uint64_t kMost = LoneSwitchSetup::kMostPayload;
  auto bytes = pattern_schema("^([0-9A-Fa-f]{2})*$");
  bytes.set("maxLength", 2 * kMost);
  return any_of_schemas({integer_schema(0, kMost), std::move(bytes)},
                        "A number of bytes, or the bytes in hexadecimal.");
}

JsonValue headers_schema() {
  auto schema =
      map_schema(map_schema(ref("value")), "Headers with those fields that are not as usual, outermost first.");
  schema.set("minProperties", 1);
  return schema;
}

JsonValue meter_schema() {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000;
  const auto rate = any_of_schemas({integer_schema(0, kMost), pattern_schema(rate_pattern())},
                                   "Bits a second; of a meter of packets their number.");
  return object_schema({{"meter", type_schema("string")},
                        {"index", integer_schema(0)},
                        {"key", ref("key")},
                        {"priority", integer_schema(0, 0xffff'ffff)},
                        {"committed", rate},
                        {"peak", rate},
                        {"committed_burst", integer_schema(1, kMost)},
                        {"peak_burst", integer_schema(1, kMost)},
                        {"pipe", integer_schema(0)}},
                       {"meter", "committed", "peak", "committed_burst", "peak_burst"});
}

JsonValue group_schema() {
  const auto u16 = integer_schema(0, 0xffff);
  auto node =
      object_schema({{"rid", u16}, {"ports", ref("ports")}, {"lags", ref("lags")}, {"exclusion", u16}, {"ecmp", u16}});
  node.set("anyOf", JsonValue::array({needs({"ports"}), needs({"lags"})}));
  return object_schema({{"group", u16}, {"nodes", array_schema(std::move(node))}}, {"group", "nodes"});
}

JsonValue generator_schema() {
  const auto count = integer_schema(1, 65'536);
  auto schema = object_schema({{"app", integer_schema(0, models::GeneratorApp::kMostApps - 1)},
                               {"pipe", integer_schema(0, 3)},
                               {"trigger", enum_schema(packet_triggers(), "What fires it; the time when not given.")},
                               {"match", ref("value")},
                               {"mask", ref("value")},
                               {"time", ref("time")},
                               {"period", ref("time")},
                               {"batches", count},
                               {"packets", count},
                               {"batch_gap", ref("time")},
                               {"packet_gap", ref("time")},
                               {"headers", ref("headers")},
                               {"payload", ref("payload")}},
                              {"app", "headers"});
  return schema;
}

JsonValue switch_schema() {
  sim::Parameters parameters;
  models::SwitchOptions options;
  options.declare(parameters);
  auto rack = empty_object_schema();
  add_schema(rack, parameters);
  return *rack.find("properties")->find("switch");
}

}  // namespace

JsonValue packet_file_schema() {
  const auto name = type_schema("string");
  const auto index = integer_schema(0), pipe = integer_schema(0);
  auto packet = object_schema({{"name", name},
                               {"port", index},
                               {"time", ref("time")},
                               {"headers", ref("headers")},
                               {"payload", ref("payload")},
                               {"expect", packet_expectation_schema()}},
                              {"port", "headers"});
  auto schema = empty_object_schema();
  properties_of(schema).set({
      {"doc", type_schema("string", "What is shown.")},
      {"switch", switch_schema()},
      {"port_rate", pattern_schema(rate_pattern(), "Of the wires that leave at front ports; at least 1Mbps.")},
      {"seed", integer_schema(0)},
      {"until", ref("time")},
      {"tables", array_schema(object_schema({{"table", name},
                                             {"key", ref("key")},
                                             {"action", name},
                                             {"data", map_schema(ref("value"), "The action's parameters.")},
                                             {"priority", integer_schema(0, 0xffff'ffff)},
                                             {"pipe", pipe},
                                             {"ttl", ref("time")}},
                                            {"table", "key", "action"}))},
      {"registers", array_schema(object_schema({{"array", name},
                                                {"index", index},
                                                {"value", ref("value")},
                                                {"lo", ref("value")},
                                                {"hi", ref("value")},
                                                {"pipe", pipe}},
                                               {"array", "index"}))},
      {"meters", array_schema(meter_schema())},
      {"value_sets",
       array_schema(object_schema({{"set", name}, {"value", ref("value")}, {"mask", ref("value")}, {"pipe", pipe}},
                                  {"set", "value"}))},
      {"multicast", array_schema(group_schema())},
      {"exclusions", array_schema(object_schema(
                         {{"id", integer_schema(0, p4::ReplicationEngine::kMaxExclusionId)}, {"ports", ref("ports")}},
                         {"id", "ports"}))},
      {"mirrors", array_schema(object_schema({{"session", integer_schema(1, p4::MirrorSessions::kMost)},
                                              {"port", index},
                                              {"bytes", integer_schema(1, 0xffff)}},
                                             {"session", "port"}))},
      {"lags", array_schema(object_schema(
                   {{"id", integer_schema(0, p4::ReplicationEngine::kMostLags - 1)}, {"ports", ref("ports")}},
                   {"id", "ports"}))},
      {"generators", array_schema(generator_schema())},
      {"ports_down",
       array_schema(object_schema({{"port", index}, {"time", ref("time")}, {"until", ref("time")}}, {"port", "time"}))},
      {"idle_timeouts", idle_timeouts_schema()},
      {"control", control_schema()},
      {"packets", array_schema(std::move(packet))},
      {"expect", final_expectation_schema()},
  });
  auto file = file_schema("racksim packet file", "What racksim switch sends through a switch program on its own.",
                          std::move(schema));
  auto lag = integer_schema(0, p4::ReplicationEngine::kMostLags - 1);
  file.set("$defs", JsonValue::object({{"value", value_schema()},
                                       {"match", match_schema()},
                                       {"key", key_schema()},
                                       {"time", pattern_schema(length_pattern(), "At most 1s.")},
                                       {"ports", array_schema(index)},
                                       {"lags", array_schema(std::move(lag))},
                                       {"headers", headers_schema()},
                                       {"payload", payload_schema()}}));
  return file;
}

}  // namespace racksim::tools
