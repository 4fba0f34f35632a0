// Writes down what packets do in a switch, as its observer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/packets/packet_observer.hpp"
#include "models/packets/rack_context.hpp"
#include "models/switch/pass_observer.hpp"
#include "models/switch/switch_chassis.hpp"
#include "p4model/execute/stage_watcher.hpp"
#include "tools/lone_switch/story.hpp"

namespace racksim::tools {

/// Packets are told apart by their serials, which their copies share. All of it is kept, so there is a limit.
class StoryRecorder final : public models::PacketObserver, public models::PassObserver, public p4::StageWatcher {
 public:
  static constexpr std::uint64_t kMostKept = 1'000'000;  ///< steps, passes and departures: some 400 MB

  StoryRecorder(models::RackContext& context, models::SwitchChassis& chassis, const p4::Program& program);

  /// A packet comes in at a port now; the number of its story.
  std::size_t begins(const p4::Packet& packet, const std::string& name, unsigned port);
  /// The wire that leaves at a port.
  void knows_wire(unsigned port, sim::Source source);
  /// One more thing to keep. Throws InputError if there are too many.
  void keep();
  /// A digest is at the control CPU now.
  void digest_arrived(unsigned pipe, const p4::Digest& digest);
  /// All stories, their events in the order of time.
  std::vector<PacketStory> take();
  std::vector<DigestStory> take_digests() { return std::move(digests_); }

  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override;
  void dropped(const p4::Packet& packet, sim::Source where, sim::Time at, models::DropReason reason) override;
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

  void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) override;
  void after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata,
                     const p4::Verdict& verdict) override;
  void before_egress(const p4::Packet& packet, const p4::EgressMetadata& metadata, sim::Time at) override;
  void after_egress(const p4::Packet& packet, const p4::EgressMetadata& metadata, bool kept) override;

  void parsed(p4::Gress gress, std::size_t headers, bool rejected) override;
  void stage_begins(int stage) override { stage_ = stage; }
  void node_begins(const p4::ProgramNode& node) override;
  void decided(bool holds) override;
  void looked_up(const p4::TableLookup& lookup) override;
  void register_used(const p4::RegisterUse& use) override;
  void metered(const p4::MeterUse& use) override;
  void counted(const p4::CounterUse& use) override;
  void field_changed(p4::FieldRef field, std::optional<std::uint64_t> before,
                     std::optional<std::uint64_t> after) override;

 private:
  /// The story of a packet; one that is new is of the switch's own generator.
  PacketStory& story_of(const p4::Packet& packet);
  void begin(const p4::Packet& packet, const std::string& name, unsigned port);
  void add(const p4::Packet& packet, sim::Time at, decltype(StoryEvent::what) what);
  void end_pass(const p4::Packet& packet, std::string outcome);
  StageStep& step(StageStep::Type type, std::string name);
  std::string text_of(p4::FieldRef field, std::uint64_t value) const;
  std::string outcome_of(const p4::Verdict& verdict) const;

  models::RackContext& context_;
  models::SwitchChassis& chassis_;
  const p4::Program& program_;
  std::vector<PacketStory> packets_;
  std::map<std::uint64_t, std::size_t> numbers_;  // of their stories, by serial
  std::vector<DigestStory> digests_;
  std::vector<std::pair<sim::Source, unsigned>> wires_;
  // The pass under way: passes are fused, so there is one at a time.
  const p4::Packet* packet_ = nullptr;
  sim::Time begin_;
  PassStory pass_;
  const p4::ProgramNode* node_ = nullptr;
  int stage_ = 0;
  std::uint64_t kept_ = 0;
};

}  // namespace racksim::tools
