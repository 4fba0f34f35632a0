// What a packet file expects, so that it is a test: where packets leave, when and with which fields; and what
// registers, tables and counters hold in the end.
//
//   "packets": [{..., "expect": [{"port": 1, "from": "400ns", "until": "1us", "fields": {"ipv4.ttl": 63}}]}],
//   "expect": {"registers": [{"array": "COUNT", "index": 3, "value": 8}],
//              "tables": [{"table": "macs", "key": {"ethernet.dst": "02:00:00:00:00:0a"}, "action": "to_port",
//                          "data": {"port": 1}},
//                         {"table": "macs", "key": {"ethernet.dst": "02:00:00:00:00:0b"}, "absent": true},
//                         {"table": "macs", "entries": 1}],
//              "counters": [{"counter": "SENT", "index": 0, "packets": 2}],
//              "digests": [{"digest": "learn", "values": {"ingress_port": 1}}]}
//
// A packet's list has what leaves by front ports, in order of time, then of ports; an empty one says that nothing does.
// `from` and `until` are when its first bit leaves. Of `digests` the list has all, in their order. Without `pipe` the
// first is meant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/switch/control_cpu.hpp"
#include "models/switch/switch_chassis.hpp"
#include "tools/lone_switch/program_objects.hpp"
#include "tools/lone_switch/story.hpp"

namespace racksim::tools {

/// Of a cell, as its story has it.
struct ExpectedCell {
  JsonLocation place;
  std::uint64_t value = 0;
};

/// Of an entry: that it is not there, or is; then, where it is given, what it does.
struct ExpectedEntry {
  JsonLocation place;
  bool absent = false;
  const p4::Action* action = nullptr;
  std::vector<std::uint64_t> data{};
};

struct ExpectedCount {
  JsonLocation place;
  std::optional<std::uint64_t> packets{}, bytes{};
};

struct ExpectedDeparture {
  JsonLocation place;
  unsigned port = 0;
  std::optional<sim::Time> from{}, until{};
  struct Field {
    JsonLocation place;
    std::string header, field, value;
  };
  std::vector<Field> fields{};
};

struct ExpectedPacket {
  JsonLocation place;
  std::vector<ExpectedDeparture> departures{};
};

/// Of the end of the run.
struct FinalExpectations {
  struct Cell {
    const p4::RegisterArray* array = nullptr;
    std::uint64_t index = 0;
    unsigned pipe = 0;
    ExpectedCell expected;
  };
  struct Entry {
    const p4::Table* table = nullptr;
    std::vector<p4::KeyMatch> key{};
    std::uint32_t priority = 0;
    unsigned pipe = 0;
    ExpectedEntry expected;
  };
  struct Size {
    JsonLocation place;
    const p4::Table* table = nullptr;
    unsigned pipe = 0;
    std::uint64_t entries = 0;
  };
  struct Count {
    const p4::Counter* counter = nullptr;
    models::ControlCpu::EntryRef entry{0};
    unsigned pipe = 0;
    ExpectedCount expected;
  };
  struct SentDigest {
    JsonLocation place;
    std::string name;
    NamedValues values{};  ///< those that are given
  };
  std::vector<Cell> cells;
  std::vector<Entry> entries;
  std::vector<Size> sizes;
  std::vector<Count> counts;
  std::optional<std::vector<SentDigest>> digests;
  JsonLocation digests_place;
};

/// Readers of what is expected. `object` is what stands behind "expect".
ExpectedCell read_expected_cell(const ObjectReader& object, const p4::RegisterArray& array);
ExpectedEntry read_expected_entry(const ObjectReader& object, const ProgramObjects& objects, const p4::Table& table);
ExpectedCount read_expected_count(const ObjectReader& object, const p4::Counter& counter);
ExpectedPacket read_expected_packet(const JsonValue& value, const JsonLocation& place, const ProgramObjects& objects,
                                    std::uint64_t ports);
FinalExpectations read_final_expectations(const JsonValue& value, const JsonLocation& place,
                                          const ProgramObjects& objects);

/// How many expectations there were, and of those that do not hold a line each: `file: /pointer: found X, expected Y`.
struct Judgement {
  std::uint64_t asked = 0;
  std::vector<std::string> failures{};

  void add(Judgement&& more) {
    asked += more.asked;
    failures.insert(failures.end(), more.failures.begin(), more.failures.end());
  }
  void expect(bool holds, const JsonLocation& place, const std::string& found, const std::string& expected);
};

void judge(const ExpectedCell& expected, const p4::RegisterArray& array, std::uint64_t found, Judgement& judgement);
void judge(const ExpectedEntry& expected, const std::optional<p4::Pipeline::EntryContent>& found, Judgement& judgement);
void judge(const ExpectedCount& expected, const p4::CounterValue& found, Judgement& judgement);
void judge(const ExpectedPacket& expected, const PacketStory& found, unsigned front_ports, Judgement& judgement);
/// Of the switch as it is now, and the digests of its story.
void judge(const FinalExpectations& expected, models::SwitchChassis& chassis, const std::vector<DigestStory>& digests,
           Judgement& judgement);

}  // namespace racksim::tools
