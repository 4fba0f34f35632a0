// What a person sends through a switch program on its own, and how the switch is set up before: a JSON file.
//
//   {"doc": "Two servers talk.",
//    "switch": {"ports": 4, "ports_per_pipe": 4}, "port_rate": "100Gbps", "seed": 1, "until": "20us",
//    "tables": [{"table": "forward_by_mac", "key": {"ethernet.dst": "02:00:00:00:00:02"},
//                "action": "forward_to_port", "data": {"port": 1}}],
//    "registers": [{"array": "COUNT", "index": 3, "value": 7}],
//    "meters": [{"meter": "POLICE", "index": 3, "committed": "1Gbps", "peak": "2Gbps", "committed_burst": 3000,
//                "peak_burst": 6000}],
//    "value_sets": [{"set": "TUNNELS", "value": 4791, "mask": "0xffff"}],
//    "multicast": [{"group": 1, "nodes": [{"rid": 5, "ports": [1, 2]}]}],
//    "exclusions": [{"id": 2, "ports": [2]}],
//    "mirrors": [{"session": 5, "port": 3, "bytes": 64}],
//    "lags": [{"id": 1, "ports": [2, 3]}],
//    "generators": [{"app": 2, "pipe": 0, "time": "1us", "period": "5us", "batches": 2, "packets": 3,
//                    "batch_gap": "1us", "packet_gap": "100ns", "headers": {"ethernet": {}}, "payload": 46}],
//    "ports_down": [{"port": 2, "time": "3us", "until": "8us"}],
//    "packets": [{"name": "hello", "port": 0, "time": "10ns", "payload": 20,
//                 "headers": {"ethernet": {"dst": "02:00:00:00:00:02"}, "ipv4": {"ttl": 9}}}]}
//
// A generator's `trigger` may be "port_down", or "recirculation" of packets whose first 32 bits are `match` in the bits
// of `mask`, instead of "time"; then it has no `time` and no `period`. `packets` or `generators` must be given; a
// packet needs `port` and `headers`, outermost first. A header's fields that are not named hold what a new header of
// its type holds. `time` is when the packet's last bit has arrived; packets of one instant come in their order.
// `payload` is a number of bytes, or the bytes in hexadecimal. Keys of tables that do not match exactly take {"value",
// "mask"}, {"value", "prefix"}, {"from", "to"} or "any". "lo" and "hi" give a pair its value. Rates of a meter of
// packets are numbers a second; of a direct meter "key" (and "priority") names the entry of its table. Tables and
// registers are set in every pipe unless `pipe` names one. `switch` takes what `rack.switch` of a scenario takes.
// "$schema" is allowed, for editors. What the control plane does meanwhile, "idle_timeouts" and "control", is in
// control_file.hpp; what the file expects, "expect" of packets and of the whole, in expectations.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/switch/packet_generator.hpp"
#include "models/switch/switch_options.hpp"
#include "p4model/execute/mirror_sessions.hpp"
#include "p4model/execute/replication.hpp"
#include "p4model/language/key_match.hpp"
#include "p4model/language/program.hpp"
#include "sim/kernel/time.hpp"
#include "tools/json/input_error.hpp"
#include "tools/json/json_document.hpp"
#include "tools/lone_switch/control_file.hpp"
#include "tools/lone_switch/expectations.hpp"

namespace racksim::tools {

/// Handles point into the program that the file was read for.
struct PresetEntry {
  JsonLocation place;  ///< for what the table itself refuses
  const p4::Table* table = nullptr;
  std::vector<p4::KeyMatch> key{};
  const p4::Action* action = nullptr;
  std::vector<std::uint64_t> data{};
  std::uint32_t priority = 0;
  std::optional<unsigned> pipe{};
  std::optional<sim::Duration> ttl{};  ///< how long it may be idle
};

struct PresetRegister {
  std::uint32_t array = 0;
  std::uint64_t index = 0, value = 0;
  std::optional<unsigned> pipe{};
};

struct PresetMeter {
  JsonLocation place;  ///< for what the meter itself refuses
  const p4::Meter* meter = nullptr;
  models::ControlCpu::EntryRef entry;
  p4::MeterRates rates{};
  std::optional<unsigned> pipe{};
};

struct PresetValue {
  JsonLocation place;  ///< for what the set itself refuses
  const p4::ValueSet* set = nullptr;
  std::uint64_t value = 0, mask = 0;
  std::optional<unsigned> pipe{};
};

struct PresetGroup {
  std::uint16_t group = 0;
  std::vector<p4::MulticastNode> nodes{};
};

struct PresetExclusion {
  std::uint16_t id = 0;
  std::vector<std::uint16_t> ports{};
};

struct PresetMirror {
  std::uint16_t session = 0;
  p4::MirrorSession what{};
};

struct SentPacket {
  struct SentHeader {
    const p4::HeaderLayout* layout = nullptr;
    std::vector<std::uint64_t> words{};
  };
  std::string name{};  ///< may be empty
  unsigned port = 0;
  sim::Time time{};
  std::vector<SentHeader> headers{};
  std::uint32_t payload_bytes = 0;
  std::vector<std::byte> payload{};  ///< those bytes, where they are given
  std::optional<ExpectedPacket> expected{};
};

struct PresetLag {
  std::uint16_t id = 0;
  std::vector<std::uint16_t> ports{};
};

/// An application of the packet generator, and the packet that it sends.
struct PresetGenerator {
  JsonLocation place;  ///< for what the generator itself refuses
  models::GeneratorApp app{};
  SentPacket packet{};
};

/// When nothing leaves by a front port: its wire is down.
struct PortDown {
  unsigned port = 0;
  sim::Time from{};
  std::optional<sim::Time> until{};
};

struct LoneSwitchSetup {
  static constexpr std::uint64_t kMostPayload = 16'000;  ///< a jumbo frame and more

  std::string doc;
  models::SwitchOptions options;
  std::uint64_t port_bits_per_second = 100'000'000'000;  ///< of the wires that leave at front ports
  std::uint64_t seed = 1;
  std::optional<sim::Time> until;  ///< when to look no further; 10 us after the last packet when not given
  std::vector<PresetEntry> entries;
  std::vector<PresetRegister> registers;
  std::vector<PresetMeter> meters;
  std::vector<PresetValue> values;
  std::vector<PresetGroup> groups;
  std::vector<PresetExclusion> exclusions;
  std::vector<PresetMirror> mirrors;
  std::vector<PresetLag> lags;
  std::vector<PresetGenerator> generators;
  std::vector<PortDown> ports_down;
  std::vector<SentPacket> packets;  ///< in the order of the file
  ControlSetup control;
  FinalExpectations expected;

  unsigned pipes() const;
};

/// Reads a document for a program; `file` stands for it in errors. Throws InputError for what is unknown, too wide or
/// out of range, and when there are no packets unless they come from elsewhere.
LoneSwitchSetup read_packet_file(const JsonValue& document, const std::string& file, const p4::Program& program,
                                 bool packets_from_elsewhere = false);

/// The JSON Schema of packet files for any program.
JsonValue packet_file_schema();

}  // namespace racksim::tools
