// Sequential consistency of one register, and the four session guarantees, for writes of unique values.
//
// Both ask for one order of the register's values, the initial one first, that the sessions' program orders allow. Each
// pair of operations in a session bears on it:
//
//     read-your-writes     write u, later read v     u = v or u before v
//     monotonic reads      read u, later read v      u = v or u before v
//     monotonic writes     write u, later write v    u before v
//     writes follow reads  read u, later write v     u before v
//
// (Terry et al., "Session Guarantees for Weakly Consistent Replicated Data", PDIS 1994; as predicates over one order of
// the writes: Viotti and Vukolic, "Consistency in Non-Transactional Distributed Storage Systems", ACM Computing Surveys
// 49(1), 2016.) A guarantee holds if some order meets all its pairs, that is, if the graph of the values has no cycle.
// The register is sequentially consistent exactly if one order meets the pairs of all four (it is then explained by
// each value's write followed by the reads that saw it; Cantin, Lipasti and Smith, "The Complexity of Verifying Memory
// Coherence and Consistency", IEEE TPDS 16(7), 2005, give the linear algorithm). Time and memory are linear in the
// history too, but for sessions that keep reading their own overwritten values.
//
// Guarantees are judged for each register alone: what they promise across registers together is causal consistency,
// which is not judged here. A pending write counts if a read saw it, and then only as the later of a pair; a pending
// read counts for nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/checkers/outcome.hpp"

namespace racksim::sim::checkers {

enum class SessionGuarantee : std::uint8_t { read_your_writes, monotonic_reads, monotonic_writes, writes_follow_reads };

inline constexpr std::array kSessionGuarantees{SessionGuarantee::read_your_writes, SessionGuarantee::monotonic_reads,
                                               SessionGuarantee::monotonic_writes,
                                               SessionGuarantee::writes_follow_reads};

/// "read-your-writes" and so on.
std::string_view to_string(SessionGuarantee guarantee);

/// Both judge all operations of one register, which holds `initial` at first. Undecided if they are not all reads and
/// writes of unique values. Throw std::invalid_argument if the operations are no history (require_history).
Outcome check_session_guarantee(Operations operations, std::uint64_t initial, SessionGuarantee guarantee);
Outcome check_sequential_register(Operations operations, std::uint64_t initial);

}  // namespace racksim::sim::checkers
