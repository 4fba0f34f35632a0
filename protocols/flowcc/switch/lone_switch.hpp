// The LCF program where blocks migrate, on a pipeline of its own, driven pass by pass: no rack, no time. Every node is
// at the port of its number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "p4model/execute/pipeline.hpp"
#include "p4model/execute/replication.hpp"
#include "protocols/flowcc/rules/messages.hpp"
#include "protocols/flowcc/switch/lcf_program.hpp"

namespace racksim::flowcc {

/// A copy of a packet as it leaves the switch.
struct LeftPacket {
  unsigned port = 0;
  FlowCcHeader header;
  std::uint64_t udp_port = 0;
};

class LoneSwitch {
 public:
  /// The shadow node is at a port of its own, if there is one.
  struct Shadow {
    unsigned port = 0, queue_pair = 0;
  };
  LoneSwitch(const FlowCcOptions& options, const LcfShape& shape, const std::optional<Shadow>& shadow = {});

  /// One pass of a packet about a block of this home: its first, or its second with what the first has given it.
  /// Appends the copies that leave; returns what is given to its second pass, if there is one.
  std::optional<std::uint64_t> pass(const FlowCcHeader& packet, NodeId home, std::optional<std::uint64_t> data,
                                    std::vector<LeftPacket>& left);

  /// Registers, by the array's name.
  std::uint64_t read(std::string_view array, std::uint64_t index) const;
  void write(std::string_view array, std::uint64_t index, std::uint64_t value);

  /// Passes all registers to `archive` (sim/exploration/archive.hpp).
  template <class Archive>
  void archive(Archive& archive) {
    p4::RegisterFile& registers = pipeline_.registers();
    for (const p4::RegisterArray& array : lcf_.program->arrays()) {
      for (std::uint64_t index = 0; index < array.size; ++index) {
        const std::uint64_t before = registers.read(array.id, index);
        std::uint64_t value = before;
        archive(value);
        if (value != before) registers.write(array.id, index, value);
      }
    }
  }

 private:
  void fill_tables(const LcfShape& shape, const std::optional<Shadow>& shadow);
  void set_groups(const LcfShape& shape, const std::optional<Shadow>& shadow);

  LcfProgram lcf_;
  p4::Pipeline pipeline_;
  p4::ReplicationEngine replication_;
  p4::PacketPool pool_;
  std::vector<p4::Copy> copies_;
};

}  // namespace racksim::flowcc
