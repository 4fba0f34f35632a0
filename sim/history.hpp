// The history that oracles judge: how operations and permissions are written into the journal and read back.
//
// This is the one place that knows the encoding. The service interfaces and the protocols record through record_*;
// the oracles read through the views. Whoever records does so at the instant it happens, while the calendar stands
// there: the oracles take the order of recording as the order of events, also among events of one picosecond, and
// refuse a history whose times run backwards.
#pragma once

#include <cstdint>

#include "sim/journal.hpp"

namespace racksim::sim {

/// What a client asked for.
enum class OperationKind : std::uint8_t { read, write };

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

/// The value of a key that was never written. No write writes it.
inline constexpr std::uint64_t kNeverWritten = 0;

/// The bound of the values that writes carry, each unique within its key: [1, kValueBound).
inline constexpr std::uint64_t kValueBound = std::uint64_t{1} << 63;

/// An observation of kind operation_begun, operation_ended or operation_given_up. The observation's source is the
/// session, its operation the id, unique in the run.
struct OperationView {
  OperationKind kind;
  std::uint64_t key;    ///< block or key id
  std::uint64_t value;  ///< written or, at the end of a read, read; 0 at the beginning of a read

  static constexpr OperationView of(const Observation& observation) {
    return {static_cast<OperationKind>(observation.detail[0]), observation.detail[1], observation.detail[2]};
  }
};

/// An observation of kind stray_answer; its operation is the one concerned, 0 if it is not known any more.
struct StrayAnswerView {
  StrayAnswer kind;
  std::uint64_t key;       ///< that was asked for, if known
  std::uint64_t answered;  ///< that came; of parts, the other key, the other value, the bytes that came

  static constexpr StrayAnswerView of(const Observation& observation) {
    return {static_cast<StrayAnswer>(observation.detail[0]), observation.detail[1], observation.detail[2]};
  }
};

/// An observation of kind permission: from this instant on, `node` holds this permission on `key`, and no other.
struct PermissionView {
  std::uint64_t key;
  std::uint64_t node;
  Permission permission;

  static constexpr PermissionView of(const Observation& observation) {
    return {observation.detail[0], observation.detail[1], static_cast<Permission>(observation.detail[2])};
  }
};

/// A session begins an operation. `value` is what a write writes, 0 for a read.
inline void record_begun(Journal& journal, Source session, Time at, std::uint64_t operation, OperationKind kind,
                         std::uint64_t key, std::uint64_t value = 0) {
  journal.record(Observed::operation_begun, session, at, operation, static_cast<std::uint64_t>(kind), key, value);
}

/// An operation has taken effect and its session knows. `value` is what it wrote or read.
inline void record_ended(Journal& journal, Source session, Time at, std::uint64_t operation, OperationKind kind,
                         std::uint64_t key, std::uint64_t value) {
  journal.record(Observed::operation_ended, session, at, operation, static_cast<std::uint64_t>(kind), key, value);
}

/// A session gives up waiting. `value` is what a write would write.
inline void record_given_up(Journal& journal, Source session, Time at, std::uint64_t operation, OperationKind kind,
                            std::uint64_t key, std::uint64_t value) {
  journal.record(Observed::operation_given_up, session, at, operation, static_cast<std::uint64_t>(kind), key, value);
}

/// A session gets an answer that it did not ask for. `answered` is the key that it is about.
inline void record_stray_answer(Journal& journal, Source session, Time at, std::uint64_t operation, StrayAnswer kind,
                                std::uint64_t key, std::uint64_t answered) {
  journal.record(Observed::stray_answer, session, at, operation, static_cast<std::uint64_t>(kind), key, answered);
}

/// A node gains, changes or loses its right to access a block locally. What warm-up grants is recorded at time 0.
inline void record_permission(Journal& journal, Source source, Time at, std::uint64_t operation, std::uint64_t key,
                              std::uint64_t node, Permission permission) {
  journal.record(Observed::permission, source, at, operation, key, node, static_cast<std::uint64_t>(permission));
}

}  // namespace racksim::sim
