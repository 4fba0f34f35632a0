// What the control plane does while packets pass, as a packet file says it: operations at their times, rules that
// answer digests and time-outs, and which tables' entries time out.
//
//   "idle_timeouts": [{"table": "macs", "interval": "10ms", "ttl": "50ms"}],
//   "control": [{"at": "1us", "write": {"array": "COUNT", "index": 3, "value": 7}},
//               {"at": "2us", "write": {"table": "macs", "key": {"ethernet.dst": "02:00:00:00:00:0a"},
//                                       "action": "to_port", "data": {"port": 1}, "ttl": "20ms"}},
//               {"at": "3us", "delete": {"table": "macs", "key": {"ethernet.dst": "02:00:00:00:00:0a"}}},
//               {"at": "4us", "read": {"array": "COUNT", "index": 3}, "expect": {"value": 8}},
//               {"on": {"digest": "learn"}, "write": {"table": "macs",
//                "key": {"ethernet.dst": {"field": "ethernet.src"}}, "action": "to_port",
//                "data": {"port": {"field": "ingress_port"}}}},
//               {"on": {"timeout": "macs"},
//                "delete": {"table": "macs", "key": {"ethernet.dst": {"field": "ethernet.dst"}}}}]
//
// Operations with a time come in its order. Rules with the same trigger act in the order of the file. A rule takes
// values from the fields of its digest, or from the key of the entry that has timed out.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "models/switch/control_cpu.hpp"
#include "models/switch/switch_options.hpp"
#include "tools/lone_switch/expectations.hpp"
#include "tools/lone_switch/program_objects.hpp"

namespace racksim::tools {

/// A value of what has triggered a rule, by the number of its field.
struct FromTrigger {
  std::size_t field = 0;
};
using RuleValue = std::variant<std::uint64_t, FromTrigger>;
using RuleKey = std::variant<p4::KeyMatch, FromTrigger>;

struct EntryWrite {
  const p4::Table* table = nullptr;
  std::vector<RuleKey> key{};
  std::uint32_t priority = 0;
  const p4::Action* action = nullptr;
  std::vector<RuleValue> data{};
  std::optional<sim::Duration> ttl{};
};
struct EntryDelete {
  const p4::Table* table = nullptr;
  std::vector<RuleKey> key{};
  std::uint32_t priority = 0;
};
struct CellWrite {
  const p4::RegisterArray* array = nullptr;
  RuleValue index{}, value{};
};
struct CellRead {
  const p4::RegisterArray* array = nullptr;
  std::uint64_t index = 0;
  std::optional<ExpectedCell> expected{};
};
struct EntryRead {
  const p4::Table* table = nullptr;
  std::vector<p4::KeyMatch> key{};
  std::uint32_t priority = 0;
  std::optional<ExpectedEntry> expected{};
};
struct CounterRead {
  const p4::Counter* counter = nullptr;
  models::ControlCpu::EntryRef entry{0};
  std::optional<ExpectedCount> expected{};
};

struct ControlOperation {
  JsonLocation place;              ///< for what the table itself refuses
  std::optional<unsigned> pipe{};  ///< nothing: all, or of a read the first
  std::variant<EntryWrite, EntryDelete, CellWrite, CellRead, EntryRead, CounterRead> what{};
};

struct TimedOperation {
  sim::Time at;
  ControlOperation operation;
};

/// What answers a digest, or an entry that times out: one of both is given.
struct ControlRule {
  const p4::Program::DigestUse* digest = nullptr;
  const p4::Table* timeout = nullptr;
  ControlOperation operation;
};

/// A table whose entries time out.
struct IdleTable {
  const p4::Table* table = nullptr;
  sim::Duration interval{};            ///< at which the driver counts
  std::optional<sim::Duration> ttl{};  ///< of entries that do not say theirs
};

struct ControlSetup {
  std::vector<IdleTable> idle_tables;
  std::vector<TimedOperation> operations;  ///< in the order of their times
  std::vector<ControlRule> rules;
};

/// What the file says of a table's time-outs; null when nothing.
const IdleTable* idle_table(const ControlSetup& control, const p4::Table& table);

/// Reads "idle_timeouts" and "control" of a file.
ControlSetup read_control(const ObjectReader& top, const ProgramObjects& objects, const models::SwitchOptions& options);

/// The "ttl" of an entry, or its table's. Throws InputError where the table's entries do not time out.
std::optional<sim::Duration> read_ttl(const ObjectReader& object, const p4::Table& table, const ControlSetup& control);

}  // namespace racksim::tools
