// A node of GAM: a worker thread that serves the requests of its application threads and the messages of other nodes
// (GAM §3, Figure 5; §4: "a worker thread is dedicated to handling all requests from application threads").
//
// The worker is the home of the node's lines (directory.hpp), and has a cache of those of others (cache.hpp). It polls
// one completion queue for all queue pairs, whose receives are shared. What applications may have under way is the
// sessions' matter (sessions.hpp).
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/allocation.hpp"
#include "protocols/gam/cache.hpp"
#include "protocols/gam/channel.hpp"
#include "protocols/gam/directory.hpp"
#include "protocols/gam/home_data.hpp"
#include "protocols/gam/request.hpp"
#include "protocols/gam/sessions.hpp"
#include "protocols/gam/shared.hpp"

namespace racksim::gam {

class Node final : models::CompletionHandler, models::MemoryObserver {
 public:
  Node(Shared& shared, NodeId id, unsigned threads);
  ~Node() override;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// Joins two nodes.
  static void connect(Node& a, Node& b);

  NodeId id() const { return id_; }
  models::Core& core() { return core_; }
  models::Server& server() const { return shared_.rack.server(id_); }
  std::string name_of(unsigned thread) const;
  Cache& cache() { return cache_; }
  const Cache& cache() const { return cache_; }
  Directory& directory() { return directory_; }
  const Directory& directory() const { return directory_; }
  Sessions& sessions() { return sessions_; }
  Allocation& allocation() { return allocation_; }

  /// A thread hands its request over.
  void submit(const Request& request);

  // What becomes of requests.
  /// Carries out an access on data that have `value` and `set`: it is performed now.
  template <class Data>
  void perform(Request& request, Data& data) {
    bool wrote = false;
    const sim::Value before = apply(request, data, wrote);
    if (wrote) performed(request, data.value(request.object));
    finish(request, before, true);
  }
  void grant(Request& request) { finish(request, 0, true); }
  void refuse(Request& request) { finish(request, 0, false); }
  /// A read ends with this value.
  void answer(Request& request, sim::Value value) { finish(request, value, true); }
  /// Carries out the requests that ended ones have held back.
  void run_ready();

  // What goes to other nodes, by the channel to them.
  void send(NodeId to, const Message& message);
  void notify(NodeId to, const Immediate& immediate, sim::OperationId operation);
  void send_line(NodeId to, const models::RemoteAddress& at, const LineData& data, const Immediate& immediate,
                 sim::OperationId operation);
  /// The same of a line in this node's memory.
  void send_memory(NodeId to, const models::RemoteAddress& at, sim::Key line, const Immediate& immediate,
                   sim::OperationId operation);
  /// A line into a landing buffer of its home.
  void send_write_back(NodeId home, std::uint32_t buffer, sim::Key line, const LineData& data,
                       const Immediate& immediate);
  /// A line into its home's memory, without notification.
  void write_line(NodeId home, const models::RemoteAddress& at, const LineData& data);
  /// What a WRITE_BACK has brought, into memory.
  void take_written_back(const Message& message);

  /// The line as it goes over the wire.
  models::Content bytes_of(const LineData& data) const;

  // Where data go.
  models::RemoteAddress frame_at(NodeId node, std::uint32_t frame) const;
  models::RemoteAddress memory_at(sim::Key line) const;
  HomeData data_of(sim::Key line) { return {server().nic().memory(), shared_.offset_of(line)}; }

  void crash();
  bool quiescent() const;
  void add_waits(std::vector<sim::Wait>& waits) const;
  void add_leaks(std::vector<models::Leak>& leaks) const;

 private:
  struct Landing {
    std::uint64_t address = 0;
    models::Content content;
  };

  void on_completion(const models::Completion& completion) override;
  void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const models::Content& content) override;
  void receive(const models::Completion& completion);
  void handle_message(const Message& message);
  void handle_notification(NodeId from, const Immediate& immediate, bool brings_line);
  void serve(Request* request);
  void execute(Request& request);
  void performed(const Request& request, sim::Value value);
  void finish(Request& request, sim::Value value, bool granted);
  std::uint64_t buffer_bytes() const { return sizeof(WriteBackHeader) + shared_.options.line_bytes; }
  const Options& options() const { return shared_.options; }

  Shared& shared_;
  NodeId id_;
  models::Core& core_;
  models::CompletionQueue& completions_;
  models::ReceiveQueue& receives_;
  std::vector<std::unique_ptr<Channel>> channels_;  // by peer; null for itself
  std::uint32_t memory_key_ = 0, frames_key_ = 0, buffers_key_ = 0;
  std::vector<std::deque<Landing>> landings_;              // by peer: lines whose notification is not handled
  std::vector<std::vector<models::Content>> write_backs_;  // by peer and buffer
  Requests requests_;
  Cache cache_;
  Directory directory_;
  Sessions sessions_;
  Allocation allocation_;
  std::deque<Request*> ready_;
};

}  // namespace racksim::gam
