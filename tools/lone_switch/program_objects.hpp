// How files name what a program has: tables with their keys and actions, cells of register arrays, entries of counters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/switch/control_cpu.hpp"
#include "p4model/language/program.hpp"
#include "tools/lone_switch/object_reader.hpp"
#include "tools/lone_switch/packet_file_parts.hpp"

namespace racksim::tools {

template <class Things, class Name>
std::vector<std::string> names_in(const Things& things, Name name) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.emplace_back(name(thing));
  return names;
}

/// The one of some things that a member names.
template <class Things>
const auto& named_in(const Things& things, const ObjectReader& object, std::string_view key,
                     const std::string& expected) {
  return things[object.choice(key, expected, names_in(things, [](const auto& one) { return one.name; }))];
}

/// Members of objects that name what a program has in a switch of so many pipes. What there is not is an InputError.
class ProgramObjects {
 public:
  ProgramObjects(const p4::Program& program, unsigned pipes) : program_(program), pipes_(pipes) {}

  const p4::Program& program() const { return program_; }
  /// The table that a member names, one with keys.
  const p4::Table& table(const ObjectReader& object, std::string_view key = "table") const;
  const p4::Action& action(const ObjectReader& object, const p4::Table& table) const;
  /// The entry's key: of each of the table's key fields what `read(value, bits, place)` makes of its member.
  template <class Read>
  auto key(const ObjectReader& object, const p4::Table& table, Read read) const {
    std::vector<decltype(read(std::declval<const JsonValue&>(), 1U, object.place()))> parts;
    const auto names = names_in(table.keys, [&](const auto& one) { return program_.info(one.field).name; });
    const ObjectReader given(object.required("key"), object.place().member("key"), names);
    for (const auto& one : table.keys) {
      const auto& info = program_.info(one.field);
      parts.push_back(read(given.required(info.name), info.bits, given.place().member(info.name)));
    }
    return parts;
  }
  std::vector<p4::KeyMatch> key(const ObjectReader& object, const p4::Table& table) const {
    return key(object, table, read_match);
  }
  /// The action's data in the same way. Without parameters nothing need be given.
  template <class Read>
  auto data(const ObjectReader& object, const p4::Action& action, Read read) const {
    std::vector<decltype(read(std::declval<const JsonValue&>(), 1U, object.place()))> parts;
    if (action.parameters.empty() && !object.optional("data")) return parts;
    const auto names = names_in(action.parameters, [](const auto& one) { return one.name; });
    const ObjectReader given(object.required("data"), object.place().member("data"), names);
    for (const auto& one : action.parameters) {
      parts.push_back(read(given.required(one.name), one.bits, given.place().member(one.name)));
    }
    return parts;
  }
  static std::uint32_t priority(const ObjectReader& object) {
    return static_cast<std::uint32_t>(object.number("priority", 0, 0xffff'ffff, 0));
  }
  const p4::RegisterArray& array(const ObjectReader& object) const {
    return named_in(program_.arrays(), object, "array", "the name of a register array");
  }
  /// The value of a cell: "value", or "lo" and "hi" of a pair.
  static std::uint64_t cell(const ObjectReader& object, const p4::RegisterArray& array);
  const p4::Counter& counter(const ObjectReader& object) const {
    return named_in(program_.counters(), object, "counter", "the name of a counter");
  }
  /// Which entry of a meter or counter: "index", or of a direct one "key" and "priority".
  template <class Memory>
  models::ControlCpu::EntryRef entry_of(const ObjectReader& object, const Memory& memory, std::string_view kind) const {
    const char* other = memory.direct ? "index" : "key";
    if (object.optional(other)) {
      object.place().member(other).refuse(
          "it", memory.direct ? fmt::format("\"key\": the {} belongs to the entries of a table", kind)
                              : fmt::format("\"index\": the {} belongs to no table", kind));
    }
    if (memory.direct) return {key(object, *memory.direct), priority(object)};
    return {object.number("index", 0, memory.size - 1)};
  }
  /// Nothing stands for all pipes.
  std::optional<unsigned> pipe(const ObjectReader& object) const {
    if (!object.optional("pipe")) return std::nullopt;
    return static_cast<unsigned>(object.number("pipe", 0, pipes_ - 1));
  }

 private:
  const p4::Program& program_;
  unsigned pipes_;
};

}  // namespace racksim::tools
