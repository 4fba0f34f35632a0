// The life of a client's request (StarCache §3.3, §3.6, §3.9): its states and events, what it remembers, and the guards
// and actions of its transition table, which is in client_table.cpp.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/store/client.hpp"
#include "sim/record/history.hpp"

namespace racksim::store {

/// Names are in client_table.cpp, in this order.
enum class RequestState : std::uint8_t {
  preparing,       ///< the core makes its packets for the first time
  waiting,         ///< sent; the answer, or a part of it, has not come
  in_vain,         ///< the attempt has failed, and the client decides what to do
  backing_off,     ///< a write that was refused waits before it is sent again
  repeating,       ///< the core makes its packets once more
  answered_early,  ///< the answer to an earlier attempt has come before it was sent again
  over,            ///< answered or given up; it leaves the key list at once
  count
};

enum class RequestEvent : std::uint8_t {
  prepared,  ///< the core has made its packets
  reply,     ///< R-REP to a read, W-REP to a write
  refusal,   ///< W-REFUSED to a write
  stray,     ///< any other message with its SEQ
  timeout,   ///< no answer has come in the time of an attempt
  retry,     ///< the client decides whether to try again
  count
};

/// What has come of an item.
struct Client::Item {
  Version version = 0;
  std::uint64_t fragments = 0;  // a bit for each packet that has come
  models::Answer answer;
};

struct Client::Request {
  /// Enters the key list under the next SEQ.
  Request(Client& client, sim::Key key, sim::Value value, bool write, sim::OperationId operation);
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request();

  Client& client;
  const sim::Key key;
  const sim::Value value;
  const bool write;
  const sim::OperationId operation;
  const std::uint64_t attempts;
  // Refusals and corrections are no attempts of their own, but the time for all attempts bounds them too.
  const sim::Time end;
  std::uint32_t seq = 0;
  sim::Signal changed;
  RequestState state = RequestState::preparing;
  Op op;  // of its next packets
  std::uint64_t timeouts = 0;
  sim::Time sent;                                         // the last attempt
  sim::SentAgain failure = sim::SentAgain::wrong_answer;  // of the last attempt, if it fails
  // Apart, since a read may be sent on to the server when the switch has served it some packets (StarCache §3.8).
  Item from_switch, from_server;
  models::Answer answer;
};

/// One event of a request: the context of its table.
struct Client::Step {
  Client& client;
  Request* request;                    ///< null if it is over and has left the key list
  const p4::Packet* packet = nullptr;  ///< that has come, if the event is one
  const Message* message = nullptr;    ///< in it

  /// The event that the message is.
  RequestEvent meaning() const;
  void happens(RequestEvent event);
  sim::KeyAndOperations key_and_operations() const;

  // Guards
  bool about_another_key() const;
  bool of_an_older_version() const;
  bool mixed_noticeably() const;
  bool completes() const;
  bool last_attempt() const;
  bool out_of_time() const;
  bool read() const { return !request->write; }

  // Actions
  void send();
  void take();
  void answer();
  void wake() { request->changed.notify_all(); }
  void pass_the_cache();
  void note_mixture();
  void note_collision();
  void note_refusal();
  void note_timeout();
  void note_early_answer();
  void note_late_answer();
  void note_sent_again();
  void report_repeated();

 private:
  sim::Time now() const { return client.clock_.calendar().now(); }
  /// Which item the packet belongs to.
  Item& item() const;
  /// Whether it begins its item again, being of a newer version.
  bool begins_again() const;
  /// Whether it is of another value than those before it.
  bool mixes() const;
  std::uint64_t fragment_bit() const { return std::uint64_t{1} << (message->fragment % 64); }
};

}  // namespace racksim::store
