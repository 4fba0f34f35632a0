// A node of GAM: a worker thread that serves the requests of its application threads and the messages of other nodes
// (GAM §3, Figure 5; §4: "a worker thread is dedicated to handling all requests from application threads").
//
// The worker is the home of the node's lines (directory.hpp), and has a cache of those of others (cache.hpp). It polls
// one completion queue for all queue pairs, whose receives are shared. What applications may have under way is the
// sessions' matter (sessions.hpp).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "models/service/protocol.hpp"
#include "protocols/gam/cache/cache.hpp"
#include "protocols/gam/channels/channel.hpp"
#include "protocols/gam/channels/output.hpp"
#include "protocols/gam/home/directory.hpp"
#include "protocols/gam/home/home_data.hpp"
#include "protocols/gam/log/log.hpp"
#include "protocols/gam/node/allocation.hpp"
#include "protocols/gam/node/sessions.hpp"
#include "protocols/gam/rules/request.hpp"
#include "protocols/gam/rules/shared.hpp"

namespace racksim::gam {

class Recovery;

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
  /// Null without logging.
  Log* log() { return log_ ? &*log_ : nullptr; }

  /// A thread hands its request over.
  void submit(const Request& request);

  // What becomes of requests.
  /// Carries out an access on data that have `value`, `set` and `for_each`: it is performed now. `counter` is that of
  /// the ownership under which it writes.
  template <class Data>
  void perform(Request& request, Data& data, std::uint32_t counter) {
    bool wrote = false;
    const sim::Value before = apply(request, data, wrote);
    // An atomic operation that writes nothing is logged too: the entry says that the node has had the line.
    if (request.is_exclusive()) log_line(request.line, data, counter);
    if (wrote) performed(request, data.value(request.object));
    finish(request, before, true);
  }
  /// DLOG: the whole line, as it is to be.
  template <class Data>
  void log_line(sim::Key line, const Data& data, std::uint32_t counter) {
    if (log_ && options().dlog) write_log(line, LogEntry::dlog(data, counter));
  }
  /// OLOG, by the home. Returns the counter of the new ownership; 0 without logging.
  std::uint32_t log_owner(sim::Key line, NodeId owner);
  /// For warming up: the same, at once.
  template <class Data>
  void log_warm(sim::Key line, const Data& data, std::uint32_t counter) {
    if (log_) log_->keep(line, LogEntry::dlog(data, counter));
  }
  std::uint32_t log_warm_owner(sim::Key line, NodeId owner);
  void grant(Request& request) { finish(request, 0, true); }
  void refuse(Request& request) { finish(request, 0, false); }
  /// A read ends with this value.
  void answer(Request& request, sim::Value value) { finish(request, value, true); }
  /// Carries out the requests that ended ones have held back.
  void run_ready();

  // What goes to other nodes, by the channel to them.
  void send(NodeId to, const Message& message);
  void notify(NodeId to, const Immediate& immediate, sim::OperationId operation);
  /// The same with the counter of an ownership, if there is logging.
  void notify_owner(NodeId to, const Immediate& immediate, sim::OperationId operation, std::uint32_t counter);
  void send_line(NodeId to, const models::RemoteAddress& at, const models::Content& bytes, const Immediate& immediate,
                 sim::OperationId operation);
  /// The line as it lies in this node's memory.
  models::Content memory_of(sim::Key line) const;
  /// A line into a landing buffer of its home.
  void send_write_back(NodeId home, std::uint32_t buffer, sim::Key line, const LineData& data,
                       const Immediate& immediate);
  /// A line into its home's memory, without notification.
  void write_line(NodeId home, const models::RemoteAddress& at, const LineData& data);
  /// What a WRITE_BACK has brought, into memory.
  void take_written_back(const Message& message);

  /// The line as it goes over the wire.
  models::Content bytes_of(const LineData& data) const;
  /// The same with the counter of an ownership behind it, if there is logging.
  models::Content with_counter(const models::Content& line, std::uint32_t counter) const;

  // Where data go.
  models::RemoteAddress frame_at(NodeId node, std::uint32_t frame) const;
  models::RemoteAddress memory_at(sim::Key line) const;
  HomeData data_of(sim::Key line) {
    return {server().nic().memory(), shared_.offset_of(line), shared_.objects_per_line()};
  }

  // Other nodes that fail (recovery.hpp).
  /// Cuts the channel: what the other has sent and is not handled is dropped, and nothing more is sent.
  void cut_off(NodeId lost);
  /// Whether its channel is cut, and recovery has not been yet.
  bool is_cut_off(NodeId node) const { return cut_off_[node]; }
  /// Whether one ever was, or it comes back itself: late answers to what was given up are to be expected.
  bool has_cut_off() const { return has_cut_off_; }
  /// Joins two nodes again, one of which comes back.
  static void reconnect(Node& a, Node& b);
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

  void on_completion(const models::Completion& completion) override;
  void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const models::Content& content) override;
  void receive(const models::Completion& completion);
  void handle_message(const Message& message);
  void handle_notification(NodeId from, const Immediate& immediate, bool has_payload);
  void serve(Request* request);
  void execute(Request& request);
  void performed(const Request& request, sim::Value value);
  void finish(Request& request, sim::Value value, bool granted);
  void open_memory();
  void write_with_immediate(NodeId to, const models::RemoteAddress& at, const models::Content& content,
                            const Immediate& immediate, sim::OperationId operation);
  void post(NodeId to, models::WorkRequest request);
  // The log, and what is held back for it.
  void write_log(sim::Key line, LogEntry entry);
  bool holds_back() const { return log_ && !log_->is_written() && options().dlog_first; }
  void logged();
  void let_out(const HeldMessage& held);
  void let_out(HeldPost& held);
  void let_out(const HeldWrite& held);
  void let_out(const HeldEnd& held);
  // Without a lease the worker does nothing.
  bool may_work();
  sim::Task<void> await_lease();
  sim::Task<void> await_lease_to_let_out();
  void work_on();
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
  std::optional<Log> log_;
  sim::EventId logged_event_;
  sim::Time durable_{};  // when all that is being written is
  std::deque<Output> held_back_;
  std::vector<bool> cut_off_;  // by node
  bool has_cut_off_ = false;
  std::deque<std::variant<Request*, models::Completion>> without_lease_;
  sim::Scope tasks_;
};

}  // namespace racksim::gam
