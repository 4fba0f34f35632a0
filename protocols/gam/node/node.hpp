// A node of GAM: a worker thread that serves the requests of its application threads and the messages of other nodes
// (GAM §3, Figure 5; §4: "a worker thread is dedicated to handling all requests from application threads").
//
// It works in rounds: it polls its completion queue and handles what has come, then takes one request of each thread that
// has handed one over, as the public implementation's loop does where it is built with one worker. So nobody starves: a
// message waits for one request of each thread at most, and a round is no longer than what has come before it.
//
// The worker is the home of the node's lines (directory.hpp), and has a cache of those of others (cache.hpp). It polls
// one completion queue for all queue pairs, whose receives are shared. What applications may have under way is the
// sessions' matter (sessions.hpp), and what goes out that of the node's output (output.hpp).
#pragma once

#include <deque>
#include <variant>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/cache/cache.hpp"
#include "protocols/gam/channels/output.hpp"
#include "protocols/gam/home/directory.hpp"
#include "protocols/gam/node/allocation.hpp"
#include "protocols/gam/node/sessions.hpp"
#include "protocols/gam/rules/request.hpp"
#include "protocols/gam/rules/shared.hpp"

namespace racksim::gam {

class Node final : models::CompletionHandler, models::MemoryObserver, OutputHost, SessionsHost {
 public:
  Node(Shared& shared, NodeId id, unsigned threads);
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// Joins two nodes.
  static void connect(Node& a, Node& b);

  NodeId id() const { return id_; }
  models::Server& server() const { return shared_.rack.server(id_); }
  Cache& cache() { return cache_; }
  const Cache& cache() const { return cache_; }
  Directory& directory() { return directory_; }
  const Directory& directory() const { return directory_; }
  Sessions& sessions() { return sessions_; }
  Allocation& allocation() { return allocation_; }
  Output& output() { return output_; }
  /// Null without logging.
  Log* log() { return output_.log().log(); }

  // Other nodes that fail (recovery.hpp).
  /// Cuts the channel to a node, and gives up what concerns it.
  void cut_off(NodeId lost);
  /// Comes back with nothing but its log.
  void come_back();
  /// The writes that its threads have issued and that are not performed; each is told once.
  std::vector<HeldWrite> writes_left_behind();

  void crash();
  bool quiescent() const;
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  struct Landing {
    std::uint64_t address = 0;
    models::Content content;
  };

  void submit(const Request& request) override;
  void request_over(Request& request) override;
  void run_ready() override;
  void on_completion(const models::Completion& completion) override;
  void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const models::Content& content) override;
  void receive(const models::Completion& completion);
  void handle_message(const Message& message);
  void handle_notification(NodeId from, const Immediate& immediate, bool has_payload);
  void begin_round();
  void serve(Request* request);
  void execute(Request& request);
  void open_memory();
  // Without a lease the worker does nothing.
  bool may_work();
  sim::Task<void> await_lease();
  void work_on();
  const Options& options() const { return shared_.options; }

  Shared& shared_;
  NodeId id_;
  models::Core& core_;
  models::CompletionQueue& completions_;
  models::ReceiveQueue& receives_;
  Output output_;
  std::vector<std::deque<Landing>> landings_;  // by peer: lines whose notification is not handled
  Requests requests_;
  std::vector<std::deque<Request*>> waiting_;  // by thread: not in a round yet
  std::size_t in_round_ = 0;                   // requests that are not served
  Cache cache_;
  Directory directory_;
  Allocation allocation_;
  Sessions sessions_;
  std::deque<Request*> ready_;
  std::deque<std::variant<Request*, models::Completion>> without_lease_;
  sim::Scope tasks_;
};

}  // namespace racksim::gam
