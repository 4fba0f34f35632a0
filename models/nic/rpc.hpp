// Remote procedure calls over queue pairs: a request, an awaited reply, a timeout and a retry, and exactly-once
// execution by number.
//
// A message is a SEND with immediate data: the call's number, and a bit that says whether it is a request or a reply.
// Over datagrams requests and replies may be lost, so a caller asks again; the callee knows a call by its number and
// sends the reply that it has given before, or nothing while it still works on it. A caller has a limited number of
// calls under way to one callee, which is how many replies the callee keeps for it; ccKVS's and eRPC's sessions work
// so. Over reliable connections nothing is lost, and one attempt is enough.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "models/nic/queue_pair.hpp"
#include "sim/kernel/clock.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::models {

struct RpcOptions {
  std::uint32_t window = 16;     ///< calls under way to one callee, a power of two up to 256; more wait
  std::uint64_t receives = 512;  ///< receives that are kept posted on each queue pair
};

/// One thread's end: it calls and is called, over queue pairs that it has to the other ends.
class RpcEnd final : public CompletionHandler {
 public:
  struct Peer {
    NodeId node = 0;
    Qpn qpn = 0;
    auto operator<=>(const Peer&) const = default;
  };
  struct Call {
    Peer from;
    std::uint32_t number = 0;
    Content content{};
    sim::OperationId operation = 0;
  };
  struct Message {
    Content content{};
    std::uint32_t bytes = 0;  ///< on the wire, at least the content's
    sim::OperationId operation = 0;
  };
  struct Patience {
    sim::Duration timeout;       ///< of each attempt, on the node's clock
    std::uint32_t attempts = 1;  ///< at least 1
  };
  /// Called for each call, once: it is answered with `reply`, now or later.
  using Handler = std::function<void(const Call&)>;

  /// `incarnation` tells the calls of a node that has crashed and come back from those of before.
  RpcEnd(sim::Clock& clock, std::uint32_t incarnation, Handler handler, RpcOptions options = {});
  RpcEnd(const RpcEnd&) = delete;
  RpcEnd& operator=(const RpcEnd&) = delete;

  /// Lets calls to `peer` and replies to it go by this queue pair, whose completions come to this end, and posts its
  /// receives: all of them once, and again those that it has lost by an error. A datagram queue pair may serve many
  /// peers. Calls under way stay so if another one led to the peer.
  void add(QueuePair& queue_pair, Peer peer);

  /// Calls `peer` and gives its reply; nothing if all attempts were in vain. Withdraws itself when its task is
  /// destroyed; the callee may have carried it out all the same.
  sim::Task<std::optional<Content>> call(Peer peer, Message message, Patience patience);
  void reply(const Call& call, Message message);

  void on_completion(const Completion& completion) override;

  std::uint64_t repeated() const { return repeated_; }     ///< requests that had come before
  std::uint64_t attempts() const { return attempts_; }     ///< requests sent
  std::size_t waiting() const { return waiting_.size(); }  ///< calls without a reply

 private:
  static constexpr std::uint32_t kReply = std::uint32_t{1} << 31;
  // An incarnation's numbers begin so many bits further on.
  static constexpr std::uint32_t kCounterBits = 24;

  struct Waiting {
    explicit Waiting(sim::Calendar& calendar) : answered(calendar) {}
    sim::Signal answered;
    std::optional<Content> reply;
  };
  /// What a callee remembers of one of a caller's latest calls.
  struct Executed {
    std::uint32_t number = 0;
    bool known = false, answered = false;
    Message reply{};
  };
  struct Link {
    QueuePair* queue_pair = nullptr;
    std::uint32_t under_way = 0;        // calls to this peer
    std::vector<bool> slots;            // of the window, taken
    std::vector<std::uint32_t> rounds;  // how often each was used
    std::vector<Executed> executed;     // by slot, of calls from this peer
    std::optional<sim::Signal> free;    // when a call to this peer is over
  };

  void send(const Link& link, Peer peer, std::uint32_t immediate, const Message& message);
  void requested(const Completion& completion, Link& link, Peer peer);

  sim::Clock& clock_;
  std::uint32_t incarnation_;
  Handler handler_;
  RpcOptions options_;
  std::map<Peer, Link> links_;
  struct Listening {
    QueuePair* queue_pair = nullptr;
    std::uint64_t missing = 0;  // receives that are to be posted when it is added
  };
  std::map<std::uint32_t, Listening> queue_pairs_;  // by their own numbers
  std::map<std::pair<Peer, std::uint32_t>, Waiting*> waiting_;
  std::uint64_t repeated_ = 0, attempts_ = 0;
};

}  // namespace racksim::models
