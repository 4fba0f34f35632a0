// Building the switch, sending the packets. See lone_switch.hpp.
#include "tools/lone_switch/lone_switch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "models/switch/switch_chassis.hpp"
#include "tools/lone_switch/control_plane.hpp"
#include "tools/lone_switch/story_recorder.hpp"

namespace racksim::tools {
namespace {

using namespace sim::literals;

/// How long after the last packet one looks on when the file does not say.
constexpr auto kLookOn = 10_us;

class LoneSwitch final : public models::PacketSink {
 public:
  LoneSwitch(std::shared_ptr<const p4::Program> program, const LoneSwitchSetup& setup)
      : program_(std::move(program)),
        setup_(setup),
        accounting_(metrics_),
        context_{.calendar = calendar_,
                 .event_log = event_log_,
                 .metrics = metrics_,
                 .packets = packets_,
                 .accounting = accounting_,
                 .seed = setup.seed},
        chassis_(context_, setup.options),
        recorder_(context_, chassis_, *program_),
        lane_(calendar_.add_lane("packets")),
        story_numbers_(setup.packets.size()) {
    chassis_.load(program_);
    control_ = std::make_unique<ControlPlane>(context_, chassis_, program_, setup_, recorder_);
    for (unsigned port = 0; port < setup.options.ports; ++port) plug(port);
    for (unsigned pipe = 0; pipe < chassis_.pipes(); ++pipe) {
      recorder_.knows_wire(chassis_.recirculation_port(pipe), chassis_.recirculation_wire(pipe).source());
      chassis_.pipeline(pipe).watch(&recorder_);
    }
    chassis_.listen_to_digests(*control_);
    context_.add_packet_observer(recorder_);
    chassis_.add_pass_observer(recorder_);
    fill();
  }

  SwitchStory run() {
    sim::Time end = std::max(start_generators(), control_->start());
    for (std::size_t i = 0; i < setup_.packets.size(); ++i) {
      calendar_.at<&LoneSwitch::send>(setup_.packets[i].time, lane_, *this, i);
      end = std::max(end, setup_.packets[i].time);
    }
    for (std::size_t i = 0; i < setup_.ports_down.size(); ++i) {
      const auto& down = setup_.ports_down[i];
      calendar_.at<&LoneSwitch::cut>(down.from, lane_, *this, i);
      if (down.until) calendar_.at<&LoneSwitch::mend>(*down.until, lane_, *this, i);
      end = std::max(end, down.until.value_or(down.from));
    }
    end = setup_.until.value_or(end + kLookOn);
    calendar_.run_until(end);
    chassis_.settle();
    Judgement judgement;
    auto control = control_->take(judgement);
    auto packets = recorder_.take();
    auto digests = recorder_.take_digests();
    for (std::size_t i = 0; i < setup_.packets.size(); ++i) {
      if (setup_.packets[i].expected) judge(i, packets, judgement);
    }
    tools::judge(setup_.expected, chassis_, digests, judgement);
    return {.program = program_->name(),
            .doc = program_->doc(),
            .ports = static_cast<unsigned>(setup_.options.ports),
            .pipes = chassis_.pipes(),
            .ingress_latency = chassis_.ingress_latency(),
            .egress_latency = chassis_.egress_latency(),
            .end = end,
            .circulating = chassis_.packets_circulating(),
            .packets = std::move(packets),
            .digests = std::move(digests),
            .control = std::move(control),
            .counters = counted(),
            .expectations = judgement.asked,
            .failures = std::move(judgement.failures)};
  }

 private:
  /// What became of a packet of the file; nothing if the run ended before it came.
  void judge(std::size_t number, const std::vector<PacketStory>& stories, Judgement& judgement) const {
    const auto& expected = *setup_.packets[number].expected;
    if (!story_numbers_[number]) {
      return judgement.expect(false, expected.place, "a packet that has not come when the run ends",
                              "a later \"until\"");
    }
    tools::judge(expected, stories[*story_numbers_[number]], static_cast<unsigned>(setup_.options.ports), judgement);
  }

  void plug(unsigned port) {
    auto& wire = *wires_.emplace_back(std::make_unique<models::Wire>(context_, fmt::format("port{}", port),
                                                                     setup_.port_bits_per_second, 0_ps, *this, port));
    chassis_.plug(port, wire);
    recorder_.knows_wire(port, wire.source());
  }

  /// Entries of counters that are not 0.
  std::vector<CounterStory> counted() {
    std::vector<CounterStory> stories;
    for (unsigned pipe = 0; pipe < chassis_.pipes(); ++pipe) {
      const auto& pipeline = chassis_.pipeline(pipe);
      for (const auto& counter : program_->counters()) {
        for (std::uint64_t index = 0; index < pipeline.size(counter); ++index) {
          const auto value = pipeline.counter(counter, index);
          if (value == p4::CounterValue{}) continue;
          stories.push_back(
              {.pipe = pipe, .counter = counter.name, .index = index, .packets = value.packets, .bytes = value.bytes});
        }
      }
    }
    return stories;
  }

  void set_meter(p4::Pipeline& pipeline, const PresetMeter& preset) {
    const auto* table = preset.meter->direct;
    const auto& entry = preset.entry;
    const auto index = table ? pipeline.entry_number(*table, entry.key, entry.priority) : entry.index;
    if (!index) preset.place.refuse("a key that the table has no entry for", "one that \"tables\" has an entry for");
    try {
      pipeline.set_meter(*preset.meter, *index, preset.rates, sim::Time{});
    } catch (const std::runtime_error& refused) {
      preset.place.refuse(refused.what(), "rates that the meter takes");
    }
  }

  void fill() {
    for (unsigned pipe = 0; pipe < chassis_.pipes(); ++pipe) {
      auto& pipeline = chassis_.pipeline(pipe);
      for (const auto& entry : setup_.entries) {
        if (entry.pipe.value_or(pipe) != pipe) continue;
        try {
          pipeline.add_entry(*entry.table, entry.key, *entry.action, entry.data, entry.priority);
        } catch (const std::runtime_error& refused) {
          entry.place.refuse(refused.what(), "an entry that the table takes");
        }
      }
      for (const auto& preset : setup_.registers) {
        if (preset.pipe.value_or(pipe) == pipe) pipeline.registers().write(preset.array, preset.index, preset.value);
      }
      for (const auto& preset : setup_.values) {
        if (preset.pipe.value_or(pipe) != pipe) continue;
        try {
          pipeline.add_value(*preset.set, preset.value, preset.mask);
        } catch (const std::runtime_error& refused) {
          preset.place.refuse(refused.what(), "a value that the set takes");
        }
      }
      for (const auto& preset : setup_.meters) {
        if (preset.pipe.value_or(pipe) == pipe) set_meter(pipeline, preset);
      }
    }
    for (const auto& group : setup_.groups) chassis_.replication().set_group(group.group, group.nodes);
    for (const auto& lag : setup_.lags) chassis_.replication().set_lag(lag.id, lag.ports);
    for (const auto& mirror : setup_.mirrors) chassis_.mirror_sessions().set(mirror.session, mirror.what);
    for (const auto& exclusion : setup_.exclusions) {
      chassis_.replication().set_exclusion(exclusion.id, exclusion.ports);
    }
  }

  void send(std::size_t number) {
    const SentPacket& sent = setup_.packets[number];
    auto packet = make(sent);
    packet->serial = ++serial_;
    accounting_.create();
    story_numbers_[number] = recorder_.begins(*packet, sent.name, sent.port);
    chassis_.receive(std::move(packet), sent.port);
  }

  void cut(std::size_t number) { wires_[setup_.ports_down[number].port]->set_up(false); }
  void mend(std::size_t number) { wires_[setup_.ports_down[number].port]->set_up(true); }

  p4::PacketRef make(const SentPacket& sent) {
    auto packet = packets_.make();
    for (const auto& header : sent.headers) packet->push_words(*header.layout, header.words.data());
    packet->payload_bytes = sent.payload_bytes;
    if (!sent.payload.empty()) packet->content = p4::Content::of_bytes(sent.payload);
    return packet;
  }

  /// Returns the last instant at which an application fires first.
  sim::Time start_generators() {
    sim::Time last;
    for (const auto& generator : setup_.generators) {
      auto app = generator.app;
      app.packet = generated_.emplace_back(make(generator.packet)).get();
      try {
        chassis_.start_generator(app);
      } catch (const std::runtime_error& refused) {
        generator.place.refuse(refused.what(), "an application that the generator can run");
      }
      last = std::max(last, app.first);
    }
    return last;
  }

  void receive(p4::PacketRef&&, unsigned) override { accounting_.deliver(); }

  std::shared_ptr<const p4::Program> program_;
  const LoneSwitchSetup& setup_;
  sim::Calendar calendar_;
  sim::EventLog event_log_;
  sim::Metrics metrics_;
  p4::PacketPool packets_;
  models::PacketAccounting accounting_;
  models::RackContext context_;
  models::SwitchChassis chassis_;
  StoryRecorder recorder_;
  std::unique_ptr<ControlPlane> control_;  // of the loaded program
  std::vector<std::unique_ptr<models::Wire>> wires_;
  std::vector<p4::PacketRef> generated_;  // what applications of the generator send
  sim::Lane lane_;
  std::uint64_t serial_ = 0;
  std::vector<std::optional<std::size_t>> story_numbers_;  // by number of the packet in the file
};

}  // namespace

SwitchStory send_through_switch(std::shared_ptr<const p4::Program> program, const LoneSwitchSetup& setup) {
  return LoneSwitch(std::move(program), setup).run();
}

}  // namespace racksim::tools
