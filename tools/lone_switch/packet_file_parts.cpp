// See packet_file_parts.hpp.
#include "tools/lone_switch/packet_file_parts.hpp"

#include <fmt/core.h>

#include "tools/lone_switch/field_values.hpp"

namespace racksim::tools {

sim::Time read_time(const JsonValue& value, const JsonLocation& place) {
  const sim::Duration length = with_unit(value, place, "a length of time", parse_length);
  const sim::Duration most = sim::Duration::from_ps(1'000'000'000'000);
  if (length > most) place.refuse(value.description(), "at most \"1s\"");
  return sim::Time{} + length;
}

p4::KeyMatch read_match(const JsonValue& value, unsigned bits, const JsonLocation& place) {
  if (const auto* text = value.string(); text && *text == "any") return p4::KeyMatch::any();
  if (!value.is_object()) return {read_value(value, bits, place)};
  const ObjectReader object(value, place, {"value", "mask", "prefix", "from", "to"});
  const auto part = [&](std::string_view key) { return read_value(object.required(key), bits, place.member(key)); };
  if (object.optional("from")) return p4::KeyMatch::range(part("from"), part("to"));
  if (object.optional("prefix")) {
    return p4::KeyMatch::prefix(part("value"), static_cast<unsigned>(object.number("prefix", 0, bits)));
  }
  return p4::KeyMatch::masked(part("value"), part("mask"));
}

const std::vector<std::string>& packet_triggers() {
  static const std::vector<std::string> all{"time", "port_down", "recirculation"};  // as GeneratorApp::Trigger has them
  return all;
}

void read_trigger(const ObjectReader& object, models::GeneratorApp& app) {
  using Trigger = models::GeneratorApp::Trigger;
  const JsonLocation& place = object.place();
  if (object.optional("trigger")) {
    app.trigger = static_cast<Trigger>(object.choice("trigger", "the name of a trigger", packet_triggers()));
  }
  const auto only = [&](std::string_view key, Trigger trigger, std::string_view of) {
    if (object.optional(key) && app.trigger != trigger) {
      place.member(key).refuse("it", fmt::format("it with the trigger \"{}\" alone", of));
    }
  };
  for (const char* key : {"time", "period"}) only(key, Trigger::time, "time");
  for (const char* key : {"match", "mask"}) only(key, Trigger::recirculation, "recirculation");
  if (app.trigger != Trigger::recirculation) return;
  app.match = static_cast<std::uint32_t>(read_value(object.required("match"), 32, place.member("match")));
  app.mask = static_cast<std::uint32_t>(read_value(object.required("mask"), 32, place.member("mask")));
}

}  // namespace racksim::tools
