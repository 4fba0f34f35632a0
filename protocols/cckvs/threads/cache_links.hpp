// What a cache thread sends to the cache threads with its number on the other nodes, and has from them (ccKVS §6.3,
// §6.4): messages of consistency by one datagram queue pair, updates of credits by another.
//
// For each class of messages and each of the others it has credits, which the other returns for a number of messages
// together, by a packet without payload. Without credits messages wait, those of each class and node in their order. No
// class waits for another, and whatever comes is dealt with at once, so that nobody waits for ever.
//
// Credits are totals: how many messages have been sent, and how many of them the other has dealt with. With retransmit
// messages are numbered, as they may be lost. Of Lin's the caches see to that, and what comes has all before it count
// as dealt with; whoever is out of credits for long asks, with his own total, which counts as well. An update of SC is
// sent again, with what its key has now, until the other has told that it and all before it have come.
//
// By multicast each message has one number for all, and takes a credit of each. So what Lin sends again, to one, has
// numbers and credits of its own; what SC sends again has the number that it had.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/host/core.hpp"
#include "models/host/short_queue.hpp"
#include "models/nic/completion_queue.hpp"
#include "models/service/protocol.hpp"
#include "protocols/cckvs/keys/outbox.hpp"
#include "protocols/cckvs/threads/arrivals.hpp"
#include "protocols/cckvs/threads/cache_options.hpp"
#include "protocols/cckvs/threads/send_queue.hpp"
#include "protocols/cckvs/threads/shared.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::cckvs {

/// Gets the messages of other caches.
class CacheMessageHandler {
 public:
  /// Called on the core of cache thread `thread`, after the cost of receiving.
  virtual void receive(unsigned thread, NodeId from, const CacheMessage& message, sim::OperationId cause) = 0;
  /// An update with what the key has now.
  virtual CacheMessage current(sim::Key key) const = 0;
  /// Whether what has waited for a credit is not to be sent any more: its key has another timestamp by now.
  virtual bool is_outdated(MessageClass message, sim::Key key, Timestamp timestamp) const = 0;

 protected:
  ~CacheMessageHandler() = default;
};

class CacheLinks {
 public:
  /// Of cache thread `thread` of a node, whose core it uses.
  CacheLinks(Shared& shared, const CacheOptions& options, NodeId node, unsigned thread, CacheMessageHandler& handler);
  CacheLinks(const CacheLinks&) = delete;
  CacheLinks& operator=(const CacheLinks&) = delete;

  /// Introduces it to that of another node with its number; each to each, before anything is sent.
  void meet(NodeId node, CacheLinks& other);

  void send(NodeId to, const CacheMessage& message, sim::OperationId cause);
  void send_to_all(const CacheMessage& message, sim::OperationId cause);

  /// Whether messages wait for credits. `sent` is notified when none does any more.
  bool has_waiting() const { return waiting_ > 0; }
  sim::Signal& sent() { return sent_; }
  /// Whether anything waits for a doorbell.
  bool has_unposted() const { return !messages_.empty() || !credits_.empty(); }
  /// Whether updates have been sent of which it does not know yet that they have come.
  bool has_unknown() const { return unknown_ > 0; }

  void add_waits(std::vector<sim::Wait>& waits) const;
  /// Messages that wait, and credits that are lost or too many, when nothing is under way.
  void add_leaks(std::vector<models::Leak>& leaks) const;
  void crash();

 private:
  /// What has numbers and credits of its own: a class of messages, or of those by multicast what goes to one.
  static constexpr std::array kClassOf{MessageClass::invalidation, MessageClass::acknowledgement, MessageClass::update,
                                       MessageClass::invalidation, MessageClass::update};
  static constexpr std::size_t kClasses = kClassOf.size();
  static std::size_t place_of(const CacheMessage& message) {
    if (message.to_one) return message.type == CacheMessage::Type::invalidation ? 3 : 4;
    return static_cast<std::size_t>(message.type);
  }
  struct Waiting {
    p4::Content content;  // copies share it, as the work requests of a broadcast share their payload
    std::uint32_t bytes = 0;
    std::size_t place = 0;
    sim::OperationId cause = 0;
    sim::Key key = 0;
    Timestamp timestamp = {};
  };
  /// An update that may have to be sent again.
  struct Unknown {
    std::uint32_t number = 0;
    sim::Key key = 0;
    sim::Time since;
  };
  /// What a message without payload is.
  enum class CreditMessage : std::uint8_t { credits, question, answer };
  struct Class {
    std::uint32_t sent = 0, dealt_with = 0;  // of mine
    Arrivals arrivals{};                     // of the other's
    std::uint32_t told = 0;                  // up to where it knows of them
    models::ShortQueue<Waiting> waiting{};
    models::ShortQueue<Unknown> unknown{};
  };
  struct Peer {
    CacheLinks* links = nullptr;  // null at its own place
    std::array<Class, kClasses> classes{};
  };

  void message_came(const models::Completion& completion);
  void credits_came(const models::Completion& completion);
  template <void (CacheLinks::*came)(const models::Completion&)>
  class Receiver final : public models::CompletionHandler {
   public:
    explicit Receiver(CacheLinks& links) : links_(links) {}
    void on_completion(const models::Completion& completion) override { (links_.*came)(completion); }

   private:
    CacheLinks& links_;
  };

  std::uint64_t credits(const Class& of_class) const {
    return options_.consistency_credits - (of_class.sent - of_class.dealt_with);
  }
  bool repeats_updates() const {
    return shared_.retransmit_after.has_value() && options_.rules.consistency == Consistency::sc;
  }
  void note(Peer& peer, std::size_t place, CreditMessage what, std::uint32_t total);
  void tell(Peer& peer, std::size_t place, CreditMessage what);
  void learn(Peer& peer, std::size_t place, std::uint32_t total);
  void send_unknown_again(Peer& peer, std::size_t place);
  void start_timer();
  void ask();
  void send_waiting(Peer& peer, std::size_t place);
  void send_waiting_to_all(std::size_t place);
  void note_waiting();
  /// Whether the same waits for credits of this one already.
  bool waits_already(const Peer& peer, const CacheMessage& message) const;
  /// The next of these messages is on its way.
  void count_sent(Class& of_class, sim::Key key);
  bool all_have_credits(std::size_t place) const;
  Waiting packed(const CacheMessage& message, sim::OperationId cause) const;
  void send(Peer& peer, Waiting message);
  void post(const models::Destination& to, Waiting message, std::uint32_t number);
  models::Destination address_of(const Peer& peer) const {
    return {.node = peer.links->node_, .qpn = peer.links->messages_.queue_pair().number()};
  }
  std::uint16_t group() const { return static_cast<std::uint16_t>(thread_ + 1); }

  Shared& shared_;
  const CacheOptions& options_;
  NodeId node_;
  unsigned thread_;
  CacheMessageHandler& handler_;
  models::Core& core_;
  Receiver<&CacheLinks::message_came> message_receiver_;
  Receiver<&CacheLinks::credits_came> credit_receiver_;
  models::CompletionQueue &message_completions_, &credit_completions_;
  models::Datagram& messages_queue_pair_;
  SendQueue messages_, credits_;
  std::vector<Peer> peers_;                                     // by node
  std::array<models::ShortQueue<Waiting>, kClasses> to_all_{};  // of multicast: what waits for credits of all
  std::uint64_t waiting_ = 0, unknown_ = 0;
  sim::EventId timer_;
  bool timer_runs_ = false;
  sim::Signal sent_;
};

}  // namespace racksim::cckvs
