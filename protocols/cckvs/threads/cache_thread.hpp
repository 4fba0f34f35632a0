// A cache thread (ccKVS §6.1, §6.2): takes its clients' requests, and has those that its node's cache cannot serve
// served by the store: by its own hands, by a KVS thread of its node (EREW), or by one of the home node.
//
// It talks to one KVS thread of each other node, or, with EREW, to that of the key's partition (§6.4). It has credits
// for each, one for a packet, which the response returns (§6.3); what finds no credit waits, and whatever has gathered
// for one KVS thread goes in as few packets as options allow (§8.5).
#pragma once

#include <cstdint>
#include <vector>

#include "models/host/core.hpp"
#include "models/host/short_queue.hpp"
#include "models/nic/completion_queue.hpp"
#include "models/service/protocol.hpp"
#include "protocols/cckvs/threads/kvs_thread.hpp"
#include "protocols/cckvs/threads/send_queue.hpp"
#include "protocols/cckvs/threads/shared.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::cckvs {

class CacheThread final : models::CompletionHandler, LocalAnswer {
 public:
  /// Takes core `thread` of its node, and one datagram queue pair. `kvs_threads` are those of its node.
  CacheThread(Shared& shared, Shard& shard, std::vector<KvsThread*> kvs_threads, NodeId node, unsigned thread);

  /// Tells it the addresses of all KVS threads; once, before anything is asked for.
  void connect();

  /// Has a get or a put served by the store.
  sim::Task<models::Answer> serve_from_store(StoreRequest request, sim::OperationId operation);

  /// What a client is told.
  models::Answer answer_of(const StoreRequest& answer, AnsweredBy by) const;

  NodeId node() const { return node_; }
  unsigned thread() const { return thread_; }
  models::Core& core() const { return core_; }

  /// Requests without an answer.
  std::size_t outstanding() const { return outstanding_; }
  void add_waits(std::vector<sim::Wait>& waits) const;
  /// Requests without an answer, and credits that are lost although there is none, or are too many.
  void add_leaks(std::vector<models::Leak>& leaks) const;
  void crash();

 private:
  /// A request under way. It lives in the coroutine that waits for its answer.
  struct Request;
  /// A KVS thread that it sends requests to.
  struct Destination {
    models::Destination address;
    std::uint64_t credits = 0;
    models::ShortQueue<std::uint64_t> waiting{};  // ids of requests that have not been sent
    bool listed = false;                          // in with_work_
  };
  /// A packet of requests that has a credit, until all of them are answered.
  struct Packet {
    Destination* to = nullptr;
    std::size_t unanswered = 0;
  };
  /// Who has an id; its upper half tells those apart that have the same slot one after the other.
  struct Slot {
    Request* request = nullptr;
    std::uint32_t turn = 0;
  };

  static std::uint64_t id_of(std::uint32_t slot, std::uint32_t turn) { return std::uint64_t{turn} << 32 | slot; }
  Request* find(std::uint64_t id) const;
  Destination& destination_of(Home home);

  sim::Task<models::Answer> serve_by_itself(StoreRequest request);
  void send(Request& request, Destination& to);
  void list(Destination& destination);
  void send_listed();
  void send_packet(Destination& to);
  void send_again(const Request& request);
  std::uint32_t new_packet(Destination& to);
  void return_credit(std::uint32_t packet);
  void take_answer(Request& request, const StoreRequest& answer);
  sim::Calendar& calendar() const;
  void on_completion(const models::Completion& completion) override;
  void served_locally(const StoreRequest& answer) override;
  void take_next_local();

  Shared& shared_;
  Shard& shard_;
  std::vector<KvsThread*> kvs_threads_;
  NodeId node_;
  unsigned thread_;
  models::Core& core_;
  models::CompletionQueue& completions_;
  SendQueue requests_;
  std::vector<Destination> destinations_;  // by node, with EREW and by partition
  std::vector<Destination*> with_work_;    // in the order in which they got it
  bool sends_soon_ = false;
  std::vector<StoreRequest> packet_;  // that is being put together
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_packets_;
  models::ShortQueue<StoreRequest> local_answers_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::size_t outstanding_ = 0;
};

}  // namespace racksim::cckvs
