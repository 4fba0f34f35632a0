// Reading of what the control plane does. See control_file.hpp.
#include "tools/lone_switch/control_file.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/switch/entry_timeouts.hpp"
#include "tools/lone_switch/field_values.hpp"
#include "tools/text/numbers.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

/// What a trigger has values for.
struct TriggerField {
  std::string name;
  unsigned bits = 0;
};
using TriggerFields = std::vector<TriggerField>;

sim::Duration read_length(const JsonValue& value, const JsonLocation& place) {
  return read_time(value, place) - sim::Time{};
}

sim::Duration read_ttl_of(const JsonValue& value, const JsonLocation& place, const IdleTable& idle) {
  const auto ttl = read_length(value, place);
  if (ttl < idle.interval) {
    place.refuse(value.description(),
                 fmt::format("at least the table's interval, {}", quote(format_length(idle.interval))));
  }
  return ttl;
}

/// {"field": NAME} of a rule's trigger, one that is not wider than what it is for; nothing where a constant stands.
std::optional<FromTrigger> read_field(const JsonValue& value, unsigned bits, const JsonLocation& place,
                                      const TriggerFields& fields) {
  if (fields.empty() || !value.is_object() || !value.find("field")) return std::nullopt;
  const ObjectReader object(value, place, {"field"});
  const auto names = names_in(fields, [](const auto& one) { return one.name; });
  const auto number = object.choice("field", "the name of a field", names);
  if (fields[number].bits > bits) {
    place.member("field").refuse(fmt::format("{} of {} bits", quote(names[number]), fields[number].bits),
                                 "a field of at most " + counted(bits, "bit"));
  }
  return FromTrigger{number};
}

class ControlReader {
 public:
  ControlReader(const ProgramObjects& objects, const models::SwitchOptions& options)
      : objects_(objects), options_(options) {}

  ControlSetup read(const ObjectReader& top) {
    top.each("idle_timeouts", [&](const JsonValue& value, const JsonLocation& place) { read_idle(value, place); });
    top.each("control", [&](const JsonValue& value, const JsonLocation& place) { read_item(value, place); });
    return std::move(setup_);
  }

 private:
  void read_idle(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"table", "interval", "ttl"});
    IdleTable idle{.table = &objects_.table(object)};
    if (!idle.table->ages) {
      place.member("table").refuse(quote(idle.table->name), "a table of the program with idle_timeout()");
    }
    for (const auto& other : setup_.idle_tables) {
      if (other.table == idle.table) place.member("table").refuse(quote(idle.table->name), "each table once");
    }
    const auto shortest = models::EntryTimeouts::shortest_interval(options_);
    idle.interval = read_length(object.required("interval"), place.member("interval"));
    if (idle.interval < shortest) {
      place.member("interval")
          .refuse(object.required("interval").description(),
                  fmt::format("at least {}, in which the hardware sweeps a table five times",
                              quote(format_length(shortest))));
    }
    if (const auto* ttl = object.optional("ttl")) idle.ttl = read_ttl_of(*ttl, place.member("ttl"), idle);
    setup_.idle_tables.push_back(idle);
  }

  void read_item(const JsonValue& value, const JsonLocation& place) {
    const ObjectReader object(value, place, {"at", "on", "write", "delete", "read", "expect"});
    const bool timed = object.optional("at") != nullptr;
    if (timed == (object.optional("on") != nullptr)) {
      place.refuse(timed ? "both \"at\" and \"on\"" : "neither \"at\" nor \"on\"",
                   "a time, \"at\", or what it answers, \"on\"");
    }
    unsigned given = 0;
    for (const char* verb : {"write", "delete", "read"}) given += object.optional(verb) != nullptr;
    if (given != 1) place.refuse(fmt::format("{} of them", given), "one of \"write\", \"delete\" and \"read\"");
    if (object.optional("expect") && !object.optional("read")) {
      place.member("expect").refuse("it", "it beside \"read\" alone");
    }
    timed ? read_timed(object) : read_rule(object);
  }

  void read_timed(const ObjectReader& object) {
    const auto& given = object.required("at");
    const auto place = object.place().member("at");
    const auto at = read_time(given, place);
    if (!setup_.operations.empty() && at < setup_.operations.back().at) {
      place.refuse(given.description(), fmt::format("a time that is not before that of {}, {}",
                                                    setup_.operations.back().operation.place.pointer,
                                                    quote(format_length(setup_.operations.back().at - sim::Time{}))));
    }
    setup_.operations.push_back({.at = at, .operation = read_operation(object, {})});
  }

  void read_rule(const ObjectReader& object) {
    const ObjectReader on(object.required("on"), object.place().member("on"), {"digest", "timeout"});
    const auto& program = objects_.program();
    ControlRule rule;
    TriggerFields fields;
    const auto add = [&](p4::FieldRef field) {
      fields.push_back({.name = program.info(field).name, .bits = program.info(field).bits});
    };
    if ((on.optional("digest") != nullptr) == (on.optional("timeout") != nullptr)) {
      on.place().refuse("both or neither", "one of \"digest\" and \"timeout\"");
    }
    if (on.optional("digest")) {
      if (program.digests().empty()) on.place().member("digest").refuse("it", "a program that sends digests");
      rule.digest = &named_in(program.digests(), on, "digest", "the name of a digest");
      for (const auto field : rule.digest->fields) add(field);
    } else {
      rule.timeout = &objects_.table(on, "timeout");
      if (!idle_table(setup_, *rule.timeout)) {
        on.place().member("timeout").refuse(quote(rule.timeout->name), "a table that \"idle_timeouts\" has");
      }
      for (const auto& key : rule.timeout->keys) add(key.field);
    }
    if (object.optional("read")) object.place().member("read").refuse("it", "\"write\" or \"delete\" in a rule");
    rule.operation = read_operation(object, fields);
    setup_.rules.push_back(std::move(rule));
  }

  ControlOperation read_operation(const ObjectReader& item, const TriggerFields& fields) const {
    ControlOperation operation{.place = item.place()};
    const auto members = [&](const char* verb, const std::vector<std::string>& of_entry,
                             const std::vector<std::string>& of_others) {
      const auto& value = item.required(verb);
      const JsonLocation place = item.place().member(verb);
      require_object(value, place);
      return ObjectReader(value, place, value.find("table") ? of_entry : of_others);
    };
    const auto pipes_of = [&](const ObjectReader& object) { operation.pipe = objects_.pipe(object); };
    if (item.optional("write")) {
      const auto object = members("write", {"table", "key", "priority", "action", "data", "ttl", "pipe"},
                                  {"array", "index", "value", "lo", "hi", "pipe", "table"});
      pipes_of(object);
      if (object.optional("table")) {
        operation.what = read_entry_write(object, fields);
      } else {
        operation.what = read_cell_write(object, fields);
      }
    } else if (item.optional("delete")) {
      const std::vector<std::string> known{"table", "key", "priority", "pipe"};
      const auto object = members("delete", known, known);
      pipes_of(object);
      const auto& table = objects_.table(object);
      operation.what =
          EntryDelete{.table = &table, .key = read_key(object, table, fields), .priority = objects_.priority(object)};
    } else {
      const bool of_counter = item.required("read").find("counter") != nullptr;
      const std::vector<std::string> cell{"array", "index", "pipe", "table", "counter"},
          counter{"counter", "index", "key", "priority", "pipe"};
      const auto object = members("read", {"table", "key", "priority", "pipe"}, of_counter ? counter : cell);
      pipes_of(object);
      read_read(item, object, operation);
    }
    return operation;
  }

  std::vector<RuleKey> read_key(const ObjectReader& object, const p4::Table& table, const TriggerFields& fields) const {
    return objects_.key(object, table,
                        [&](const JsonValue& value, unsigned bits, const JsonLocation& place) -> RuleKey {
                          if (const auto field = read_field(value, bits, place, fields)) return *field;
                          return read_match(value, bits, place);
                        });
  }

  RuleValue read_rule_value(const JsonValue& value, unsigned bits, const JsonLocation& place,
                            const TriggerFields& fields) const {
    if (const auto field = read_field(value, bits, place, fields)) return *field;
    return read_value(value, bits, place);
  }

  EntryWrite read_entry_write(const ObjectReader& object, const TriggerFields& fields) const {
    EntryWrite write{.table = &objects_.table(object)};
    write.key = read_key(object, *write.table, fields);
    write.priority = objects_.priority(object);
    write.action = &objects_.action(object, *write.table);
    write.data =
        objects_.data(object, *write.action, [&](const JsonValue& value, unsigned bits, const JsonLocation& p) {
          return read_rule_value(value, bits, p, fields);
        });
    write.ttl = read_ttl(object, *write.table, setup_);
    return write;
  }

  CellWrite read_cell_write(const ObjectReader& object, const TriggerFields& fields) const {
    const auto& array = objects_.array(object);
    CellWrite write{.array = &array};
    const auto index_place = object.place().member("index");
    if (const auto field = read_field(object.required("index"), 64, index_place, fields)) {
      const auto bits = fields[field->field].bits;
      if (bits >= 64 || std::uint64_t{1} << bits > array.size) {
        index_place.member("field").refuse(
            fmt::format("{} of {} bits", quote(fields[field->field].name), bits),
            fmt::format("a field whose values are all below {}, the array's size", array.size));
      }
      write.index = *field;
    } else {
      write.index = object.number("index", 0, array.size - 1);
    }
    const auto* value = object.optional("value");
    const auto field =
        value ? read_field(*value, array.width.total(), object.place().member("value"), fields) : std::nullopt;
    if (!field) {
      write.value = ProgramObjects::cell(object, array);
      return write;
    }
    for (const char* half : {"lo", "hi"}) {
      if (object.optional(half)) object.place().member(half).refuse("half of an entry", "\"value\" alone");
    }
    write.value = *field;
    return write;
  }

  void read_read(const ObjectReader& item, const ObjectReader& object, ControlOperation& operation) const {
    const auto* expect = item.optional("expect");
    const auto expected = [&](std::vector<std::string> known) {
      return ObjectReader(*expect, item.place().member("expect"), std::move(known));
    };
    if (object.optional("table")) {
      const auto& table = objects_.table(object);
      EntryRead read{.table = &table, .key = objects_.key(object, table), .priority = objects_.priority(object)};
      if (expect) read.expected = read_expected_entry(expected({"action", "data", "absent"}), objects_, table);
      operation.what = std::move(read);
    } else if (object.optional("counter")) {
      const auto& counter = objects_.counter(object);
      CounterRead read{.counter = &counter, .entry = objects_.entry_of(object, counter, "counter")};
      if (expect) read.expected = read_expected_count(expected({"packets", "bytes"}), counter);
      operation.what = std::move(read);
    } else {
      const auto& array = objects_.array(object);
      CellRead read{.array = &array, .index = object.number("index", 0, array.size - 1)};
      if (expect) read.expected = read_expected_cell(expected({"value", "lo", "hi"}), array);
      operation.what = std::move(read);
    }
  }

  const ProgramObjects& objects_;
  const models::SwitchOptions& options_;
  ControlSetup setup_;
};

}  // namespace

const IdleTable* idle_table(const ControlSetup& control, const p4::Table& table) {
  const auto found = std::find_if(control.idle_tables.begin(), control.idle_tables.end(),
                                  [&](const IdleTable& one) { return one.table == &table; });
  return found == control.idle_tables.end() ? nullptr : &*found;
}

ControlSetup read_control(const ObjectReader& top, const ProgramObjects& objects,
                          const models::SwitchOptions& options) {
  return ControlReader(objects, options).read(top);
}

std::optional<sim::Duration> read_ttl(const ObjectReader& object, const p4::Table& table, const ControlSetup& control) {
  const auto* idle = idle_table(control, table);
  const auto* ttl = object.optional("ttl");
  if (!ttl) return idle ? idle->ttl : std::nullopt;
  if (!idle) object.place().member("ttl").refuse("it", "it in a table that \"idle_timeouts\" has");
  return read_ttl_of(*ttl, object.place().member("ttl"), *idle);
}

}  // namespace racksim::tools
