// See program_objects.hpp.
#include "tools/lone_switch/program_objects.hpp"

#include "tools/lone_switch/field_values.hpp"

namespace racksim::tools {

const p4::Table& ProgramObjects::table(const ObjectReader& object, std::string_view key) const {
  std::vector<const p4::Table*> tables;
  for (const auto& table : program_.tables()) {
    if (!table.keys.empty()) tables.push_back(&table);
  }
  return *tables[object.choice(key, "the name of a table",
                               names_in(tables, [](const auto* one) { return one->name; }))];
}

const p4::Action& ProgramObjects::action(const ObjectReader& object, const p4::Table& table) const {
  const auto actions = table.all_actions();
  const auto names = names_in(actions, [](const auto* one) { return one->name; });
  return *actions[object.choice("action", "the name of an action", names)];
}

std::uint64_t ProgramObjects::cell(const ObjectReader& object, const p4::RegisterArray& array) {
  const auto& place = object.place();
  const auto half = [&](std::string_view key) {
    const auto* given = object.optional(key);
    return given ? read_value(*given, array.width.bits, place.member(key)) : 0;
  };
  if (array.width.pair && !object.optional("value")) return half("hi") << array.width.bits | half("lo");
  for (const char* key : {"lo", "hi"}) {
    if (object.optional(key)) place.member(key).refuse("half of an entry", "\"value\" alone");
  }
  return read_value(object.required("value"), array.width.total(), place.member("value"));
}

}  // namespace racksim::tools
