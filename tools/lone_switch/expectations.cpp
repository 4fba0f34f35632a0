// Reading of what is expected. See expectations.hpp.
#include "tools/lone_switch/expectations.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tools/lone_switch/field_values.hpp"

namespace racksim::tools {
namespace {

/// A value of a header's field, as stories have it.
ExpectedDeparture::Field read_field(const std::string& name, const JsonValue& value, const JsonLocation& place,
                                    const p4::Program& program) {
  std::vector<std::string> known;
  for (const auto& header : program.headers()) {
    for (std::size_t f = 0; f < header.layout->count; ++f) {
      const auto& field = header.layout->fields[f];
      known.push_back(fmt::format("{}.{}", header.layout->name, field.name));
      if (known.back() != name) continue;
      return {.place = place,
              .header = std::string(header.layout->name),
              .field = std::string(field.name),
              .value = value_text(name, field.bits, read_value(value, field.bits, place))};
    }
  }
  place.refuse(quote(name), "a field of the program's headers", nearest_name(name, known));
}

ExpectedDeparture read_departure(const JsonValue& value, const JsonLocation& place, const p4::Program& program,
                                 std::uint64_t ports) {
  const ObjectReader object(value, place, {"port", "from", "until", "fields"});
  ExpectedDeparture departure{.place = place, .port = static_cast<unsigned>(object.number("port", 0, ports - 1))};
  const auto time = [&](const char* key) -> std::optional<sim::Time> {
    const auto* given = object.optional(key);
    return given ? std::optional(read_time(*given, place.member(key))) : std::nullopt;
  };
  departure.from = time("from");
  departure.until = time("until");
  if (departure.from && departure.until && *departure.until < *departure.from) {
    place.member("until").refuse(object.required("until").description(), "not earlier than \"from\"");
  }
  if (const auto* fields = object.optional("fields")) {
    const auto fields_place = place.member("fields");
    for (const auto& member : require_object(*fields, fields_place)) {
      departure.fields.push_back(read_field(member.key, member.value, fields_place.member(member.key), program));
    }
  }
  return departure;
}

bool read_flag(const JsonValue& value, const JsonLocation& place) {
  const auto* flag = value.boolean();
  if (!flag || !*flag) place.refuse(value.description(), "true, or no such member");
  return true;
}

class FinalReader {
 public:
  explicit FinalReader(const ProgramObjects& objects) : objects_(objects) {}

  FinalExpectations read(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"registers", "tables", "counters", "digests"});
    object.each("registers", [&](const JsonValue& one, const JsonLocation& at) {
      const ObjectReader cell(one, at, {"array", "index", "value", "lo", "hi", "pipe"});
      const auto& array = objects_.array(cell);
      expect_.cells.push_back({.array = &array,
                               .index = cell.number("index", 0, array.size - 1),
                               .pipe = pipe(cell),
                               .expected = read_expected_cell(cell, array)});
    });
    object.each("tables", [&](const JsonValue& one, const JsonLocation& at) { read_table(one, at); });
    object.each("counters", [&](const JsonValue& one, const JsonLocation& at) {
      const ObjectReader count(one, at, {"counter", "index", "key", "priority", "pipe", "packets", "bytes"});
      const auto& counter = objects_.counter(count);
      expect_.counts.push_back({.counter = &counter,
                                .entry = objects_.entry_of(count, counter, "counter"),
                                .pipe = pipe(count),
                                .expected = read_expected_count(count, counter)});
    });
    if (object.optional("digests")) {
      expect_.digests.emplace();
      expect_.digests_place = place.member("digests");
      object.each("digests", [&](const JsonValue& one, const JsonLocation& at) { read_digest(one, at); });
    }
    return std::move(expect_);
  }

 private:
  unsigned pipe(const ObjectReader& object) const { return objects_.pipe(object).value_or(0); }

  void read_table(const JsonValue& one, const JsonLocation& at) {
    const ObjectReader object(one, at, {"table", "key", "priority", "pipe", "action", "data", "absent", "entries"});
    const auto& table = objects_.table(object);
    if (object.optional("entries")) {
      for (const char* key : {"key", "priority", "action", "data", "absent"}) {
        if (object.optional(key)) at.member(key).refuse("it", "\"entries\" alone, or an entry");
      }
      expect_.sizes.push_back({.place = at,
                               .table = &table,
                               .pipe = pipe(object),
                               .entries = object.number("entries", 0, table.max_entries)});
      return;
    }
    expect_.entries.push_back({.table = &table,
                               .key = objects_.key(object, table),
                               .priority = objects_.priority(object),
                               .pipe = pipe(object),
                               .expected = read_expected_entry(object, objects_, table)});
  }

  void read_digest(const JsonValue& one, const JsonLocation& at) {
    const ObjectReader object(one, at, {"digest", "values"});
    const auto& program = objects_.program();
    if (program.digests().empty()) at.refuse("it", "no digest: the program sends none");
    const auto& digest = named_in(program.digests(), object, "digest", "the name of a digest");
    FinalExpectations::SentDigest sent{.place = at, .name = digest.name};
    if (const auto* values = object.optional("values")) {
      const auto names = names_in(digest.fields, [&](p4::FieldRef field) { return program.info(field).name; });
      const ObjectReader given(*values, at.member("values"), names);
      for (const auto field : digest.fields) {
        const auto& info = program.info(field);
        const auto* value = given.optional(info.name);
        if (!value) continue;
        const auto number = read_value(*value, info.bits, given.place().member(info.name));
        sent.values.emplace_back(info.name, value_text(info.name, info.bits, number));
      }
    }
    expect_.digests->push_back(std::move(sent));
  }

  const ProgramObjects& objects_;
  FinalExpectations expect_;
};

}  // namespace

ExpectedCell read_expected_cell(const ObjectReader& object, const p4::RegisterArray& array) {
  return {.place = object.place(), .value = ProgramObjects::cell(object, array)};
}

ExpectedEntry read_expected_entry(const ObjectReader& object, const ProgramObjects& objects, const p4::Table& table) {
  ExpectedEntry expected{.place = object.place()};
  if (const auto* absent = object.optional("absent")) {
    expected.absent = read_flag(*absent, object.place().member("absent"));
    for (const char* key : {"action", "data"}) {
      if (object.optional(key)) object.place().member(key).refuse("it", "nothing beside \"absent\"");
    }
    return expected;
  }
  expected.action = &objects.action(object, table);
  expected.data = objects.data(object, *expected.action, read_value);
  return expected;
}

ExpectedCount read_expected_count(const ObjectReader& object, const p4::Counter& counter) {
  ExpectedCount expected{.place = object.place()};
  const auto number = [&](const char* key, p4::CounterUnit other) -> std::optional<std::uint64_t> {
    if (!object.optional(key)) return std::nullopt;
    if (counter.unit == other) object.place().member(key).refuse("it", "what the counter counts");
    return object.number(key, 0, ~std::uint64_t{0});
  };
  expected.packets = number("packets", p4::CounterUnit::bytes);
  expected.bytes = number("bytes", p4::CounterUnit::packets);
  if (!expected.packets && !expected.bytes) object.place().refuse("neither", "\"packets\" or \"bytes\"");
  return expected;
}

ExpectedPacket read_expected_packet(const JsonValue& value, const JsonLocation& place, const ProgramObjects& objects,
                                    std::uint64_t ports) {
  ExpectedPacket expected{.place = place};
  const auto& elements = require_array(value, place);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    expected.departures.push_back(read_departure(elements[i], place.element(i), objects.program(), ports));
  }
  return expected;
}

FinalExpectations read_final_expectations(const JsonValue& value, const JsonLocation& place,
                                          const ProgramObjects& objects) {
  return FinalReader(objects).read(value, place);
}

}  // namespace racksim::tools
