// One event of a request that a client has made (StarCache §3.3, §3.6, §3.9): the states and events of its transition
// table, which is in client_table.cpp, and what the table's guards and actions work on.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/store/network.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/record/history.hpp"

namespace racksim::store {

class Client;

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
struct ReceivedItem {
  Version version = 0;
  std::uint64_t fragments = 0;  ///< a bit for each packet that has come
  models::Answer answer;
};

/// An entry of a client's key list. It lives in the coroutine that waits for the answer.
struct Request {
  sim::Key key;
  sim::Value value;
  bool write;
  sim::OperationId operation;
  std::uint64_t attempts;
  sim::Time end;  ///< refusals and corrections are no attempts, but the time for all attempts bounds them too
  sim::Signal changed;
  Op op;  ///< of its next packets
  std::uint32_t seq = 0;
  RequestState state = RequestState::preparing;
  std::uint64_t timeouts = 0;
  sim::Time sent{};                                       ///< the last attempt
  sim::SentAgain failure = sim::SentAgain::wrong_answer;  ///< of the last attempt, if it fails
  /// Apart, since a read may be sent on to the server when the switch has served it some packets (StarCache §3.8).
  ReceivedItem from_switch{}, from_server{};
  models::Answer answer{};
};

struct ClientStep {
  Client& client;
  Shared& shared;
  Request* request;                    ///< null if it is over and has left the key list
  const p4::Packet* packet = nullptr;  ///< that has come, if the event is one
  const Message* message = nullptr;    ///< in it

  /// The event that the message is.
  RequestEvent meaning() const;
  void happens(RequestEvent event);
  sim::KeyAndOperations key_and_operations() const;

  sim::Time now() const { return shared.rack.calendar().now(); }
  /// Any packet of a write's answer says that it has taken effect, whichever attempt it answers.
  ReceivedItem& item() const {
    return request->write || message->safety.version == 0 ? request->from_server : request->from_switch;
  }
  /// Whether the packet begins its item again, being of a newer version.
  bool begins_again() const { return &item() == &request->from_switch && message->safety.version != item().version; }
  /// Whether it is of another value than those before it.
  bool mixes() const { return !begins_again() && item().fragments != 0 && message->value != item().answer.value; }
  std::uint64_t fragment_bit() const { return std::uint64_t{1} << (message->fragment % 64); }
  void note_mixture();
};

using ClientTable = models::TransitionTable<RequestState, RequestEvent, ClientStep>;
/// The life of a request in the client that makes it.
const ClientTable& client_table();

}  // namespace racksim::store
