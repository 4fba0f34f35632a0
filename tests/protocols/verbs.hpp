// The verbs of a run, as they leave for the wires.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/packets/packet_observer.hpp"
#include "models/packets/rdma_headers.hpp"
#include "tests/protocols/protocol_run.hpp"

namespace racksim::testing {

/// The requests on the wires from now on, in the order in which they leave their NICs: "0 CAS", "1 WRITE".
class Verbs final : models::PacketObserver {
 public:
  explicit Verbs(ProtocolRun& run) : run_(run) { run.rack.context().add_packet_observer(*this); }

  std::vector<std::string> taken() { return std::exchange(sent_, {}); }

 private:
  void on_wire(const p4::Packet& packet, const models::WirePassage& passage) override {
    const std::string wire(run_.event_log.name(passage.wire));
    if (wire.find("-switch") == std::string::npos) return;  // on its way from the switch
    const std::string node = wire.substr(std::string("wire/node").size(), 1);
    switch (static_cast<models::RcOpcode>(packet.get<models::Bth>().opcode)) {
      case models::RcOpcode::compare_swap:
        sent_.push_back(node + " CAS");
        break;
      case models::RcOpcode::fetch_add:
        sent_.push_back(node + " FAA");
        break;
      case models::RcOpcode::read_request:
        sent_.push_back(node + " READ");
        break;
      case models::RcOpcode::send_only:
        sent_.push_back(node + " SEND");
        break;
      case models::RcOpcode::write_only:
        sent_.push_back(node + " WRITE");
        break;
      default:
        break;  // acknowledgements and responses
    }
  }
  void dropped(const p4::Packet&, sim::Source, sim::Time, models::DropReason) override {}
  void delivered(const p4::Packet&, sim::Source, sim::Time) override {}
  void pass_begins(const p4::Packet&, unsigned, sim::Time, bool) override {}
  void switch_written(const models::SwitchWrite&) override {}

  ProtocolRun& run_;
  std::vector<std::string> sent_;
};

}  // namespace racksim::testing
