// Runs of GAM (tests/protocols/disaggregated_run.hpp), whose nodes compute and hold memory; the home of line i is node
// i modulo 4.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "models/packets/packet_observer.hpp"
#include "models/packets/rdma_headers.hpp"
#include "protocols/gam/gam.hpp"
#include "tests/protocols/disaggregated_run.hpp"

namespace racksim::gam::testing {

using namespace sim::literals;

struct Setup : racksim::testing::DisaggregatedSetup {
  Options options;

  Setup() {
    rack.nodes = 4;
    rack.roles = {};
    options.line_bytes = kLineBytes;
    options.cache_bytes = 16 * kLineBytes;
    options.lru_lists = 1;
    options.statistics_period = 1_s;
  }
};

class Run : public racksim::testing::DisaggregatedRun {
 public:
  explicit Run(const Setup& s, Work work = Work::micro)
      : DisaggregatedRun(s, tools::bound<models::ProtocolOptions>("gam", s.options), work),
        protocol(dynamic_cast<Gam&>(running_protocol())) {}

  std::uint64_t counter(const std::string& name) const { return ProtocolRun::counter("gam." + name); }

  CacheState state(NodeId node, std::uint64_t i) const {
    const Frame* frame = protocol.node(node).cache().frames().find(key(i));
    return frame == nullptr ? CacheState::invalid : frame->state;
  }
  DirectoryState home(std::uint64_t i) const {
    const Entry* entry = protocol.directory_of(key(i)).find(key(i));
    return entry == nullptr ? DirectoryState::unshared : entry->state;
  }
  /// The nodes that the home of a line lists as sharers.
  std::vector<NodeId> sharers(std::uint64_t i) const {
    std::vector<NodeId> nodes;
    if (const Entry* entry = protocol.directory_of(key(i)).find(key(i))) {
      for (const Sharer& sharer : entry->sharers) nodes.push_back(sharer.node);
    }
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  Gam& protocol;
};

/// Recovery's manager as a timer, for runs on the bare calendar.
class Manager {
 public:
  explicit Manager(Run& run) : run_(run), lane_(run.calendar.add_lane("test/manager")) { tick(); }

 private:
  void tick() {
    auto& membership = run_.protocol.recovery()->membership();
    membership.look();
    run_.calendar.at<&Manager::tick>(run_.calendar.now() + membership.interval(), lane_, *this);
  }

  Run& run_;
  sim::Lane lane_;
};

/// By a script.
class Script : public Run {
 public:
  explicit Script(const Setup& s) : Run(s, Work::script) {}

  /// Lets a thread ask for a lock; tells whether it has been granted or refused, and which.
  struct Asked {
    bool over = false, granted = false;
  };
  void lock(models::Session session, std::uint64_t i, models::LockMode mode, Asked& asked) {
    spawn(take(session, line(i), mode, asked), session.node);
  }
  /// The same of a try-lock, to its end.
  bool try_lock(models::Session session, std::uint64_t i, models::LockMode mode) {
    Asked asked;
    spawn(try_to_take(session, line(i), mode, asked), session.node);
    advance(300_us);
    if (!asked.over) throw std::logic_error("a try-lock waits");
    return asked.granted;
  }
  void unlock(models::Session session, std::uint64_t i) {
    spawn(memory.unlock(session, line(i)), session.node);
    advance(300_us);
  }

 private:
  sim::Task<void> take(models::Session session, models::GlobalAddress at, models::LockMode mode, Asked& asked) {
    co_await memory.lock(session, at, mode);
    asked = {true, true};
  }
  sim::Task<void> try_to_take(models::Session session, models::GlobalAddress at, models::LockMode mode, Asked& asked) {
    asked.granted = co_await memory.try_lock(session, at, mode);
    asked.over = true;
  }
};

/// GAM's messages as they leave for the wires: "1 READ", "0 data".
class Messages final : models::PacketObserver {
 public:
  explicit Messages(racksim::testing::ProtocolRun& run) : run_(run) { run.rack.context().add_packet_observer(*this); }

  std::vector<std::string> taken() { return std::exchange(sent_, {}); }

 private:
  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override {
    const std::string wire(run_.event_log.name(passage.wire));
    if (wire.find("-switch") == std::string::npos) return;  // on its way from the switch
    const std::string node = wire.substr(std::string("wire/node").size(), 1) + " ";
    if (const auto* immediate = packet.find<models::ImmDt>()) {
      const auto said = Immediate::of(static_cast<std::uint32_t>(immediate->immediate));
      sent_.push_back(node + std::string(to_string(said.kind)));
    } else if (packet.find<models::Reth>() != nullptr) {
      sent_.push_back(node + "one-sided WRITE");
    } else if (!packet.content.empty()) {
      const auto bytes = packet.content.bytes();
      for (std::size_t at = 0; at < bytes.size(); at += sizeof(Message)) {
        Message message;
        std::memcpy(static_cast<void*>(&message), bytes.data() + at, sizeof message);
        sent_.push_back((at > 0 ? "+ " : node) + std::string(to_string(message.kind)));
      }
    }
  }
  void dropped(const p4::Packet&, sim::Source, sim::Time, models::DropReason) override {}
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

  racksim::testing::ProtocolRun& run_;
  std::vector<std::string> sent_;
};

}  // namespace racksim::gam::testing
