// A client thread of the application (StarCache §3.3, §3.6, §4) with any number of requests under way, each
// known by its SEQ in the key list until its answer has come.
//
// The client compares the key of a reply with the one it asked for, and sends a correction request past the cache when
// they differ (§3.6). An item of several packets is put together from packets of one version: when the switch gets a
// new value while it serves the old one, it begins again, and so does the client. Loss is its business alone (§3.9): a
// read without an answer is sent again as a correction request, so that a lost cache packet cannot hold it up; a write
// is sent again only if servers can recognise it. A client that crashes gives up what it has asked and, when it comes
// back, goes on with the next SEQ, as one that draws its first SEQ from a clock does.
//
// What a request's life can bring is a transition table (client_table.cpp); the code here sends, receives and waits.
#pragma once

#include <cstdint>
#include <functional>

#include "models/host/core.hpp"
#include "models/nic/verbs.hpp"
#include "protocols/store/network.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::store {

struct Request;

/// Told of answers to requests that are over.
class RepeatedAnswers {
 public:
  virtual void repeated(models::Session session, sim::Key key) = 0;

 protected:
  ~RepeatedAnswers() = default;
};

class Client final : public models::PacketHandler {
 public:
  /// Takes core `session.thread` of its node and the node's next raw queue pair.
  Client(Shared& shared, models::Session session, RepeatedAnswers& repeated);

  sim::Task<models::Answer> get(sim::Key key, sim::OperationId operation) { return perform(key, 0, false, operation); }
  sim::Task<models::Answer> put(sim::Key key, sim::Value value, sim::OperationId operation) {
    return perform(key, value, true, operation);
  }

  /// Requests without an answer.
  std::size_t outstanding() const { return outstanding_; }
  models::Session session() const { return session_; }
  /// Calls `visit(key, write, seq, timeouts)` for each of them, in the order of their SEQ: `timeouts` attempts have
  /// been in vain.
  void visit_requests(
      const std::function<void(sim::Key key, bool write, std::uint32_t seq, std::uint64_t timeouts)>& visit) const;

  void on_packet(p4::PacketRef packet) override;

  /// For the table of its requests.
  void transmit(const Request& request);
  void report_repeated(sim::Key key) { repeated_.repeated(session_, key); }
  /// Who its NIC is in the event log.
  sim::Source source() const { return nic_.source(); }

 private:
  class Listed;

  sim::Task<models::Answer> perform(sim::Key key, sim::Value value, bool write, sim::OperationId operation);
  std::uint64_t oldest();

  Shared& shared_;
  models::Session session_;
  RepeatedAnswers& repeated_;
  models::Core& core_;
  models::Nic& nic_;
  sim::Clock& clock_;
  models::Qpn qpn_;
  sim::FlatMap<Request*> key_list_;  // by SEQ
  std::size_t outstanding_ = 0;
  std::uint32_t next_seq_, oldest_;
};

}  // namespace racksim::store
