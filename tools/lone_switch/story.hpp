// What became of packets in a switch, in the order of time: passes with what they did stage by stage, departures and
// drops. Values are texts already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "p4model/language/field.hpp"
#include "sim/kernel/time.hpp"
#include "tools/json/json_document.hpp"
#include "tools/lone_switch/field_values.hpp"

namespace racksim::tools {

/// One thing that happened to a packet in a stage.
struct StageStep {
  enum class Type : std::uint8_t {
    gateway,  ///< `name` is the condition, `yes` whether it holds
    lookup,   ///< `name` is the table, `values` its key, `yes` a hit; `action` (may be empty) ran with `data`
    action,   ///< a table without a key ran `action`
    meter,    ///< entry `index` of the meter `name` made the colour `before` of the packet the colour `after`
    count,    ///< at entry `index` of the counter `name`, which then holds `after`
    access,   ///< of entry `index` of the register array `name` by `action`
    change,   ///< of the field `name`, from `before` to `after`
  };
  int stage = 0;
  Type type = Type::gateway;
  std::string name{};
  bool yes = false;
  NamedValues values{};
  std::string action{};
  NamedValues data{};
  std::uint64_t index = 0;
  std::string before{}, after{};
  std::string output{};  ///< of an access, what it hands to the packet; may be empty
};

struct PassStory {
  p4::Gress gress = p4::Gress::ingress;
  unsigned pipe = 0, port = 0;  ///< by which the packet came, or is to leave
  unsigned rid = 0;             ///< of a copy
  std::string copy{};           ///< of a mirror copy, who asked for it
  bool resubmitted = false;
  std::vector<std::string> parsed{};
  bool rejected = false;
  std::vector<StageStep> steps{};
  std::string outcome{};
};

struct HeaderStory {
  std::string name;
  NamedValues fields;
};

struct DepartureStory {
  unsigned port = 0;
  bool recirculates = false;
  sim::Time arrival;  ///< when its last bit is at the other end, for a recirculation port in front of its pipe
  std::uint32_t frame_bytes = 0;
  std::vector<HeaderStory> headers{};
  std::vector<std::uint8_t> bytes{};
};

struct DropStory {
  std::string where, reason;
};

struct StoryEvent {
  sim::Time at;
  std::variant<PassStory, DepartureStory, DropStory> what;
};

struct PacketStory {
  std::string name;
  unsigned port = 0;
  sim::Time arrival;
  std::uint32_t frame_bytes = 0;
  std::vector<HeaderStory> headers{};
  std::vector<StoryEvent> events{};  ///< in the order of time
};

/// A digest at the control CPU.
struct DigestStory {
  sim::Time at;
  unsigned pipe = 0;
  std::string name{};
  NamedValues values{};
};

/// What the control plane did, or was told: an operation posted at an instant, and what came of it in each pipe.
struct ControlStory {
  enum class Type : std::uint8_t {
    write,    ///< of a register's cell, or of an entry, which is added or changed
    erase,    ///< of an entry
    read,     ///< of a cell, an entry or a counter's entry
    timeout,  ///< no operation: the control CPU is told that an entry has timed out
  };
  sim::Time at;
  Type type = Type::write;
  std::string cause{};   ///< what a rule answers; may be empty
  std::string object{};  ///< the table, register array or counter
  NamedValues key{};     ///< of an entry
  std::optional<std::uint64_t> index{};
  std::string value{};  ///< what is written
  std::vector<unsigned> pipes{};
  struct Answer {
    unsigned pipe = 0;
    sim::Time acted;     ///< when it met the state of its stage
    sim::Time answered;  ///< when the control CPU knew of it
    std::string text{};
  };
  std::vector<Answer> answers{};  ///< those that came before the run ended
};

/// What an entry of a counter holds in the end.
struct CounterStory {
  unsigned pipe = 0;
  std::string counter{};
  std::uint64_t index = 0, packets = 0, bytes = 0;
};

/// Of the capture that the packets are from: its frames, and what there is to say of how many.
struct CaptureStory {
  std::uint64_t found = 0;
  std::vector<std::pair<std::string, std::uint64_t>> remarks{};
};

struct SwitchStory {
  std::string program, doc;
  std::optional<CaptureStory> capture{};
  unsigned ports = 0, pipes = 0;
  sim::Duration ingress_latency, egress_latency;
  sim::Time end;
  std::uint64_t circulating = 0;  ///< packets that still went round then
  std::vector<PacketStory> packets{};
  std::vector<DigestStory> digests{};
  std::vector<ControlStory> control{};   ///< in the order of time
  std::vector<CounterStory> counters{};  ///< those that have counted
  std::uint64_t expectations = 0;        ///< of the packet file
  std::vector<std::string> failures{};   ///< a line for each that does not hold
};

std::string story_text(const SwitchStory& story);
JsonValue story_json(const SwitchStory& story);

}  // namespace racksim::tools
