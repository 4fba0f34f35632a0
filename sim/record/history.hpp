// The history that oracles judge: how operations and permissions are written into the event log and read back.
//
// This is the one place that knows the encoding. The service interfaces and the protocols record through record_*;
// the oracles read through the views. Whoever records does so at the instant it happens, while the calendar stands
// there: the oracles take the order of recording as the order of events, also among events of one picosecond, and
// refuse a history whose times run backwards.
//
// An operation may be about several objects that follow each other: one call, whose objects each have their own value.
// To whoever judges values it is an operation on each of them (`Access`): the first is the operation itself, the others
// are its parts, whose numbers follow that of the operation, as those of the values that it writes follow the first.
// They begin with it and end with it. Who judges operations sees none of the parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "sim/record/event_log.hpp"

namespace racksim::sim {

/// What a client asked for.
enum class OperationKind : std::uint8_t {
  read,
  write,
  compare_and_swap,  ///< a read, and a write if it found what was expected, in one
  fetch_and_add,     ///< a read and a write in one
  fence,             ///< the session's earlier writes are performed before it ends; its key is 0
  lock,              ///< exclusive; granted when it ends
  lock_shared,
  try_lock,  ///< exclusive; granted or refused when it ends
  try_lock_shared,
  unlock,    ///< gives back what the session holds, in either mode, from its beginning on
  allocate,  ///< of memory; its key is 0
  free,
  erase  ///< of a key of a store: what it holds is as before anybody put it
};

/// The enumerator's name with spaces, as violations print it.
constexpr std::string_view to_string(OperationKind kind) {
  constexpr std::string_view kNames[] = {
      "read",     "write",           "compare-and-swap", "fetch-and-add", "fence", "lock", "shared lock",
      "try-lock", "shared try-lock", "unlock",           "allocate",      "free",  "erase"};
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kNames) ? kNames[index] : "unknown operation";
}

constexpr bool is_atomic(OperationKind kind) {
  return kind == OperationKind::compare_and_swap || kind == OperationKind::fetch_and_add;
}
constexpr bool requests_lock(OperationKind kind) {
  return kind >= OperationKind::lock && kind <= OperationKind::try_lock_shared;
}
/// Whether this request is for a lock that others may hold too.
constexpr bool is_shared(OperationKind kind) {
  return kind == OperationKind::lock_shared || kind == OperationKind::try_lock_shared;
}
/// Whether operations of this kind act on the memory at their key.
constexpr bool accesses_memory(OperationKind kind) {
  return kind < OperationKind::fence;
}

/// What a node may do with its copy of a block without asking anybody.
enum class Permission : std::uint8_t { none, read, write };

/// Answers that a session did not ask for.
enum class StrayAnswer : std::uint8_t {
  wrong_key,  ///< an operation ended with the value of another key
  repeated,   ///< a request that had been answered, or given up, was answered again
  // An operation ended with an item that is not whole:
  foreign_part,  ///< one of its parts is of another key
  mixed_parts,   ///< one of its parts is of another value
  missing_part   ///< its parts are too short
};

/// Why somebody asks again.
enum class SentAgain : std::uint8_t {
  timeout,            ///< no answer came in time
  transport_timeout,  ///< the same below the protocol: a transport's acknowledgement
  refusal,            ///< the answer was a refusal, which the protocol foresees
  wrong_answer        ///< the answer was about something else, or made no whole
};

/// What a fault does, as far as it can make somebody wait in vain.
enum class Disturbance : std::uint8_t {
  lost,           ///< a packet is lost
  late,           ///< a packet is held up
  behind,         ///< a packet is refused because one before it on its connection has not come
  machine_begin,  ///< from now on machines do not work as usual: servers, their clocks or NICs, the switch
  machine_end,    ///< one such fault is over
  healed          ///< from `until` on no fault touches any packet
};

/// The value of a key that was never written. No write writes it.
inline constexpr Value kNeverWritten = 0;

/// The bound of the values that writes carry, each unique within its key: [1, kValueBound).
inline constexpr std::uint64_t kValueBound = std::uint64_t{1} << 63;

/// An observation of kind operation_begun, operation_ended or operation_given_up. The observation's source is the
/// session, its operation the id, unique in the run.
struct OperationView {
  OperationKind kind;
  Key key;  ///< block, key or lock id
  /// Of a write what it writes, of a read, at the end, what it read. Of an atomic operation at the beginning what it
  /// would write (compare-and-swap) or adds (fetch-and-add), at the end what it read. At the end of a request for a
  /// lock 1 if it is granted. Of an allocation its bytes, at the end the address. Otherwise 0.
  Value value;
  bool wrote = false;         ///< at the end of an atomic operation: it has written
  std::uint32_t objects = 1;  ///< of a read or write: those that it is about, from its key on

  static constexpr OperationView of(const Observation& observation) {
    return {static_cast<OperationKind>(observation.detail[0] & 0xff), Key{observation.detail[1]},
            Value{observation.detail[2]}, (observation.detail[0] >> 8 & 1) != 0,
            static_cast<std::uint32_t>(observation.detail[0] >> kObjectsShift) + 1};
  }
  static constexpr unsigned kObjectsShift = 16;
};

/// What judges values asks of an observation, which may be about an operation or about a part of one: both have an
/// OperationView. Of both that begin, end, or are given up:
inline constexpr ObservedKinds kAccessKinds{Observed::operation_begun,    Observed::operation_ended,
                                            Observed::operation_given_up, Observed::part_begun,
                                            Observed::part_ended,         Observed::part_given_up};
constexpr bool begins(Observed what) {
  return what == Observed::operation_begun || what == Observed::part_begun;
}
constexpr bool ends(Observed what) {
  return what == Observed::operation_ended || what == Observed::part_ended;
}
constexpr bool gives_up(Observed what) {
  return what == Observed::operation_given_up || what == Observed::part_given_up;
}

/// An observation of kind performed: from this instant on, whoever reads `key` from memory reads `value`.
struct PerformedView {
  Key key;
  Value value;

  static constexpr PerformedView of(const Observation& observation) {
    return {Key{observation.detail[0]}, Value{observation.detail[1]}};
  }
};

/// What has taken a write away.
enum class Loss : std::uint8_t {
  home,       ///< the server that held the object has crashed
  holder,     ///< the only server with a newer copy has
  buffer,     ///< the server that had not made it visible yet has
  write_back  ///< the server that was writing it to memory has
};

/// In words, as reports have it.
constexpr std::string_view to_string(Loss why) {
  switch (why) {
    case Loss::home:
      return "the server that held it crashed";
    case Loss::holder:
      return "the only server with this value crashed";
    case Loss::buffer:
      return "the server that was to make it visible crashed";
    case Loss::write_back:
      return "the server that was writing it to memory crashed";
  }
  return "unknown";
}

/// An observation of kind write_lost: from this instant on `key` is as if `value` had never been written. The source is
/// the session that wrote it.
struct LostWriteView {
  Key key;
  Value value;
  Loss why;
  Value recovered = kNeverWritten;  ///< what the object has instead, where the protocol says so; else kNeverWritten

  static constexpr LostWriteView of(const Observation& observation) {
    return {Key{observation.detail[0]}, Value{observation.detail[1]}, static_cast<Loss>(observation.detail[2]),
            Value{observation.operation.number()}};
  }
};

/// An observation of kind stray_answer; its operation is the one concerned, 0 if it is not known any more.
struct StrayAnswerView {
  StrayAnswer kind;
  Key key;                 ///< that was asked for, if known
  std::uint64_t answered;  ///< that came; of parts, the other key, the other value, the bytes that came

  static constexpr StrayAnswerView of(const Observation& observation) {
    return {static_cast<StrayAnswer>(observation.detail[0]), Key{observation.detail[1]}, observation.detail[2]};
  }
};

/// An observation of kind permission: from this instant on, `node` holds this permission on `key`, and no other.
struct PermissionView {
  Key key;
  std::uint64_t node;
  Permission permission;

  static constexpr PermissionView of(const Observation& observation) {
    return {Key{observation.detail[0]}, observation.detail[1], static_cast<Permission>(observation.detail[2])};
  }
};

/// An observation of kind sent_again. Its operation is the one on whose behalf it was asked, 0 for a request of the
/// protocol itself ("control request"). A control request or a transport that gives up reports it in the same way.
struct SentAgainView {
  SentAgain why{};
  Key key = 0;            ///< that it is about, if any
  Time since;             ///< when what was in vain was sent
  bool given_up = false;  ///< it is not even asked again

  static constexpr SentAgainView of(const Observation& observation) {
    return {static_cast<SentAgain>(observation.detail[0] & 0xff), Key{observation.detail[1]},
            Time::from_ps(static_cast<std::int64_t>(observation.detail[2])), observation.detail[0] >> 8 != 0};
  }
};

/// An observation of kind disturbance. Its operation is that of the packet, 0 for packets of control requests and of
/// transports. Packets are computed ahead: the instant may lie in the future.
struct DisturbanceView {
  Disturbance kind{};
  Time until;  ///< of healed

  static constexpr DisturbanceView of(const Observation& observation) {
    return {static_cast<Disturbance>(observation.detail[0]),
            Time::from_ps(static_cast<std::int64_t>(observation.detail[1]))};
  }
};

/// A session begins an operation on so many objects. `value` is what a write writes to the first, or an atomic operation
/// would write or add; 0 for all others. Each other object is a part, to be recorded next.
inline void record_begun(EventLog& event_log, Source session, Time at, OperationId operation, OperationKind kind,
                         Key key, Value value = 0, std::uint32_t objects = 1) {
  event_log.record(Observed::operation_begun, session, at, operation,
                   static_cast<std::uint64_t>(kind) | std::uint64_t{objects - 1} << OperationView::kObjectsShift, key,
                   value);
}

/// An operation has taken effect and its session knows. `value` is what it wrote or read. In a store-buffered memory a
/// write may end first and be performed later (record_performed); an unlock may take effect later, too.
inline void record_ended(EventLog& event_log, Source session, Time at, OperationId operation, OperationKind kind,
                         Key key, Value value) {
  event_log.record(Observed::operation_ended, session, at, operation, static_cast<std::uint64_t>(kind), key, value);
}

/// A part of a read or write begins, ends or is given up (`what`), in the event in which its operation does.
inline void record_part(EventLog& event_log, Observed what, Source session, Time at, OperationId part,
                        OperationKind kind, Key key, Value value) {
  event_log.record(what, session, at, part, static_cast<std::uint64_t>(kind), key, value);
}

/// An atomic operation has taken effect and its session knows. `before` is what it read, `wrote` whether it wrote, too:
/// always for fetch-and-add. If it did, it was performed before.
inline void record_atomic_ended(EventLog& event_log, Source session, Time at, OperationId operation, OperationKind kind,
                                Key key, Value before, bool wrote) {
  event_log.record(Observed::operation_ended, session, at, operation,
                   static_cast<std::uint64_t>(kind) | std::uint64_t{wrote} << 8, key, before);
}

/// A request for a lock is over: granted or, if it only tried, refused.
inline void record_lock_ended(EventLog& event_log, Source session, Time at, OperationId operation, OperationKind kind,
                              Key key, bool granted) {
  event_log.record(Observed::operation_ended, session, at, operation, static_cast<std::uint64_t>(kind), key,
                   std::uint64_t{granted});
}

/// A write, or an atomic operation that writes, is performed: visible to all from now on, at once, before or after it
/// ends. `value` is what the key holds now. Once an operation; `session` is the one that issued it, wherever it is
/// performed.
inline void record_performed(EventLog& event_log, Source session, Time at, OperationId operation, Key key,
                             Value value) {
  event_log.record(Observed::performed, session, at, operation, key, value);
}

/// A crash has undone a write of `author`.
inline void record_lost_write(EventLog& event_log, Source author, Time at, const LostWriteView& lost) {
  // No operation loses it: in the place of one stands what is left.
  event_log.record(Observed::write_lost, author, at, OperationId{lost.recovered.number()}, lost.key, lost.value,
                   static_cast<std::uint64_t>(lost.why));
}

/// A session gives up waiting. `value` is what a write would write.
inline void record_given_up(EventLog& event_log, Source session, Time at, OperationId operation, OperationKind kind,
                            Key key, Value value) {
  event_log.record(Observed::operation_given_up, session, at, operation, static_cast<std::uint64_t>(kind), key, value);
}

/// A session gets an answer that it did not ask for. `answered` is the key that it is about.
inline void record_stray_answer(EventLog& event_log, Source session, Time at, OperationId operation, StrayAnswer kind,
                                Key key, std::uint64_t answered) {
  event_log.record(Observed::stray_answer, session, at, operation, static_cast<std::uint64_t>(kind), key, answered);
}

/// A node gains, changes or loses its right to access a block locally. What warm-up grants is recorded at time 0.
inline void record_permission(EventLog& event_log, Source source, Time at, OperationId operation, Key key,
                              std::uint64_t node, Permission permission) {
  event_log.record(Observed::permission, source, at, operation, key, node, static_cast<std::uint64_t>(permission));
}

/// Somebody asks again, or gives up.
inline void record_sent_again(EventLog& event_log, Source who, Time at, OperationId operation,
                              const SentAgainView& again) {
  event_log.record(Observed::sent_again, who, at, operation,
                   static_cast<std::uint64_t>(again.why) | std::uint64_t{again.given_up} << 8, again.key,
                   static_cast<std::uint64_t>(again.since.ps()));
}

/// A fault touches a packet of `operation`, or machines.
inline void record_disturbance(EventLog& event_log, Source where, Time at, OperationId operation, Disturbance kind,
                               Time until = {}) {
  event_log.record(Observed::disturbance, where, at, operation, static_cast<std::uint64_t>(kind),
                   static_cast<std::uint64_t>(until.ps()));
}

}  // namespace racksim::sim
