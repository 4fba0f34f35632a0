// The client-server application on a rack: client threads on the first nodes, emulated servers on the last (StarCache
// §4, §5.1). NoCache is it on a switch that forwards; StarCache and NetCache add a switch program and what belongs to
// it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/store/client.hpp"
#include "protocols/store/partition.hpp"

namespace racksim::store {

class Application : public models::Protocol, public models::KeyValueService, RepeatedAnswers {
 public:
  /// `safety`: whether messages carry the SafetyHeader. Throws std::runtime_error when the rack has too few nodes or
  /// cores.
  Application(models::ProtocolContext& context, const StoreOptions& options, bool safety);

  models::Service& service() override { return *this; }
  /// The home of an item is its server; schemes with a cache add the copies in the switch.
  void show_state(sim::StateVisitor& visitor) const override;
  void node_crashed(NodeId node) override;
  bool quiescent() const override;
  void add_waits(std::vector<sim::Wait>& waits) const override;
  std::vector<models::Leak> leaks() const override;
  /// Keys of one hash share what the switch and the servers know of them.
  std::optional<std::uint64_t> fate_of(sim::Key key) const override;
  void record_final_state() override;
  void messages_of(const p4::Packet& packet, std::vector<models::CostedMessage>& messages) const override;
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override;

  Shared& shared() { return shared_; }
  const Shared& shared() const { return shared_; }
  Partition& partition(unsigned server) { return *partitions_.at(server); }
  const std::vector<std::unique_ptr<Partition>>& partitions() const { return partitions_; }
  const std::vector<std::unique_ptr<Client>>& clients() const { return clients_; }

 protected:
  void do_describe_items(const models::ItemSizes& sizes) override;
  sim::Task<models::Answer> do_get(models::Session session, sim::Key key, sim::OperationId operation) override;
  sim::Task<models::Answer> do_put(models::Session session, sim::Key key, sim::Value value,
                                   sim::OperationId operation) override;
  /// "server 3 of node4"
  std::string server_name(unsigned server) const;
  /// Whom a request for a key waits for: its server, unless a scheme has somebody else answer it.
  virtual std::string answers(sim::Key key, bool write) const;
  /// What charts call a message. Schemes name those that they add.
  virtual const char* name_of(Op op) const;

 private:
  double balancing_efficiency() const;
  void repeated(models::Session session, sim::Key key) override { repeated_answer(session, key); }
  Client& client(models::Session session) { return *clients_[session.node * threads_per_node_ + session.thread]; }

  Shared shared_;
  unsigned threads_per_node_;
  std::vector<std::unique_ptr<Client>> clients_;        // by node and thread
  std::vector<std::unique_ptr<Partition>> partitions_;  // by server
  sim::Source final_source_;
};

}  // namespace racksim::store
