// The control plane of a packet file at work: it posts the file's operations to the control CPU, answers digests and
// time-outs by the file's rules, and writes down what came of it.
#pragma once

#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/switch/control_cpu.hpp"
#include "models/switch/digest_channel.hpp"
#include "models/switch/entry_timeouts.hpp"
#include "models/switch/switch_chassis.hpp"
#include "tools/lone_switch/packet_file.hpp"
#include "tools/lone_switch/story_recorder.hpp"

namespace racksim::tools {

/// Posts operations at once when a rule asks for them: what the control CPU's software thinks takes no time, its rate
/// and its latency are the hardware's (models/switch/control_cpu.hpp).
class ControlPlane final : public models::DigestListener, public models::TimeoutListener {
 public:
  /// For a switch whose program is loaded. Throws InputError for an entry that its table could never take.
  ControlPlane(models::RackContext& context, models::SwitchChassis& chassis,
               const std::shared_ptr<const p4::Program>& program, const LoneSwitchSetup& setup,
               StoryRecorder& recorder);

  /// Has the file's operations posted at their times, the last of which it returns.
  sim::Time start();
  void digest_arrived(unsigned pipe, const p4::Digest& digest) override;
  void timed_out(const models::TableEntry& entry) override;

  /// What was done, in the order of time, and what reads found of what was expected. Once, in the end.
  std::vector<ControlStory> take(Judgement& judgement);

 private:
  /// What a rule takes its values from: values of a digest, or the key of an entry.
  using TriggerValues = std::span<const p4::KeyMatch>;

  /// An operation in every pipe that it is for, until all answers are there.
  struct Posted {
    const ControlOperation* operation = nullptr;
    ControlStory story{};
    Judgement judgement{};
  };

  static void check(p4::Pipeline& scratch, const ControlOperation& operation);
  void post_timed(std::size_t number);
  void post(const ControlOperation& operation, std::string cause, TriggerValues values);
  /// Posts it in one pipe.
  void post(Posted& posted, unsigned pipe, const EntryWrite& write, TriggerValues values);
  void post(Posted& posted, unsigned pipe, const EntryDelete& deletion, TriggerValues values);
  void post(Posted& posted, unsigned pipe, const CellWrite& write, TriggerValues values);
  void post(Posted& posted, unsigned pipe, const CellRead& read, TriggerValues values);
  void post(Posted& posted, unsigned pipe, const EntryRead& read, TriggerValues values);
  void post(Posted& posted, unsigned pipe, const CounterRead& read, TriggerValues values);
  /// What it is to do, for its story.
  void describe(ControlStory& story, const EntryWrite& write, TriggerValues values) const;
  void describe(ControlStory& story, const EntryDelete& deletion, TriggerValues values) const;
  void describe(ControlStory& story, const CellWrite& write, TriggerValues values) const;
  void describe(ControlStory& story, const CellRead& read, TriggerValues values) const;
  void describe(ControlStory& story, const EntryRead& read, TriggerValues values) const;
  void describe(ControlStory& story, const CounterRead& read, TriggerValues values) const;
  void answer(Posted& posted, unsigned pipe, std::string text);

  models::RackContext& context_;
  models::SwitchChassis& chassis_;
  const p4::Program& program_;
  const ControlSetup& setup_;
  StoryRecorder& recorder_;
  models::ControlCpu cpu_;
  models::EntryTimeouts timeouts_;
  sim::Lane lane_;
  std::list<Posted> posted_;  // in the order of time
};

}  // namespace racksim::tools
