// What the switch chassis keeps of each pipe and of each stepped pass: for its own sources alone.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/host/short_queue.hpp"
#include "models/switch/idle_ring.hpp"
#include "models/switch/switch_chassis.hpp"
#include "p4model/execute/pipeline.hpp"

namespace racksim::models {

// One pipe: its state, its slots, and who waits for one.
struct SwitchChassis::Pipe final : p4::StateWriteObserver {
  Pipe(SwitchChassis& owner, unsigned pipe_number)
      : chassis(owner),
        number(pipe_number),
        slot_lane(owner.context_.calendar.add_lane(fmt::format("switch/pipe{}/slot", number))),
        resubmit_lane(owner.context_.calendar.add_lane(fmt::format("switch/pipe{}/resubmit", number))),
        egress_lane(owner.context_.calendar.add_lane(fmt::format("switch/pipe{}/egress", number))),
        source(owner.context_.journal.add_source(fmt::format("switch/pipe{}/ingress", number))),
        egress_source(owner.context_.journal.add_source(fmt::format("switch/pipe{}/egress", number))) {}

  void register_written(const p4::StateWrite& write) override {
    ++writes;
    register_set(write.array, write.index);
    chassis.record_state(number, writing_gress, write.stage,
                         writing_start + chassis.stage_offset(writing_gress, write.stage), writing_operation,
                         std::uint64_t{write.array} << 32 | write.index, write.value, write.packet_serial);
  }
  // Told after the write: passes that are caught up now come before it, but they look at no register. Those after it
  // are real.
  void register_set(std::uint32_t array, std::uint64_t index) override {
    if (ring->empty() || !ring->looks_at(array, index)) return;
    chassis.catch_up(*this);
    ring->surface(array, index);
  }
  void tables_changed() override {
    if (ring->empty()) return;
    chassis.catch_up(*this);
    ring->surface_all();
  }
  // Says whose writes the observer is about to see.
  void write_as(p4::Gress gress, sim::Time start, std::uint64_t operation) {
    writing_gress = gress;
    writing_start = start;
    writing_operation = operation;
  }

  SwitchChassis& chassis;
  unsigned number;
  sim::Lane slot_lane, resubmit_lane, egress_lane;
  sim::Source source, egress_source;
  std::array<std::vector<sim::Source>, 2> stage_sources;
  std::unique_ptr<p4::Pipeline> pipeline;
  sim::Time next_slot = sim::Time::beginning();
  ShortQueue<Entry> waiting;       // for their slots, which are events
  std::uint64_t lost_slots = 0;    // slots to come, the next ones, whose packets were lost with the power
  ShortQueue<Entry> resubmitting;  // until their first pass has ended
  std::optional<IdleRing> ring;    // always there once the chassis is made
  bool has_idle_passes = false;    // they may be skipped, as far as program and hardware are concerned
  std::uint64_t writes = 0;        // of registers by passes
  p4::Gress writing_gress = p4::Gress::ingress;
  sim::Time writing_start;
  std::uint64_t writing_operation = 0;
};

// What goes through the stages of a pipe one event each: a pass, or an access of the control plane in its slot.
struct SwitchChassis::SteppedPass {
  enum class Kind : std::uint8_t { free, ingress, egress, access };

  Kind kind = Kind::free;
  p4::Pass pass;
  Pipe* pipe = nullptr;
  Entry entry;          // ingress, and the access
  p4::Copy copy{0, 0};  // egress
  sim::Time start;
  int stage = 0;  // that comes next, at `next`
  sim::Time next;
  std::uint64_t turn = 0;  // orders those of one instant
  sim::EventId event;
};

}  // namespace racksim::models
