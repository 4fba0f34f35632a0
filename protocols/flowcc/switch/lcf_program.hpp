// The lock-check-forward pipeline as a program of the switch (Concordia §5.1.1, §5.3.2; Figures 5 and 8, Tables 2 and
// 3).
//
//   stage 0      SERIAL (rule (i) of event_runner.hpp), LAST-UNLOCK, TAG of way 1
//   stages 1-8   LOCK, G-STATUS, COPYSET of way i; TAG of way i + 1
//   stage 9      LOCK, G-STATUS, COPYSET of way 9
//   stage 10     SCOREBOARD; copyset arithmetic; the data provider
//   stage 11     check table, forward table and outcome in one
//   egress       addresses, UDP port and is_data_provider, which differ per copy
//
// The paper scatters its arrays over 10 stages. A stateful ALU's result reaches the packet only in the next stage, so
// the tag comparison of a way must stand one stage before its lock, and ten such ways with what comes before and after
// would take 13 stages. Nine staggered ways of 41,667 entries hold the paper's 375 K blocks in Tofino's 12.
//
// LOCK, G-STATUS and COPYSET of a way share a stage, so one packet changes all three or none (P1).
//
// Where blocks migrate (§5.2, LcfShape::migrates) the same stages carry three more packets of home agents, none of
// which needs a third pass. As printed, migration breaks single-writer, loses metadata and puts a tag into two ways;
// what prevents it here:
//
//   ADD      first pass: looks in all ways, and records its number in LAST-UNLOCK of the home agent. It comes again
//            with whether the tag is in no way and the number was new; only then the first free way takes tag, status
//            and copyset. An ADD that finds its tag changes nothing. The answer goes to the home agent and the shadow
//            node.
//   REMOVE   takes the write lock as a request does, with score and serial, and is answered with the metadata.
//   CLEAR    is resubmitted with the score, as an unlock is, and clears tag and lock: so the answer to REMOVE may be
//            lost. The home's number of its last CLEAR is kept (CLEARED, stage 10).
//
//   A request that misses is stamped with that number: a home that has its block back knows a request by it that passed
//   the switch before. An unlock with score 0 changes nothing. The chassis keeps resubmitted packets of a port in
//   order, which ADD and CLEAR need between their passes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "p4model/language/forward.hpp"
#include "protocols/flowcc/rules/options.hpp"

namespace racksim::flowcc {

/// The program and the handles that the control plane fills and reads it by.
struct LcfProgram {
  std::shared_ptr<const p4::Program> program;
  std::vector<const p4::RegisterArray*> tag, lock, status, copyset;  ///< by way, from 0
  /// Where blocks migrate: the UDP source port of packets for this pipeline, that of the present incarnation. Each
  /// parser has a set of its own.
  std::vector<const p4::ValueSet*> ports;
  const p4::Table* home_port = nullptr;  ///< destination MAC -> port
  const p4::Action* set_home_port = nullptr;
  const p4::Table* address = nullptr;  ///< egress: (port, receiver) -> MAC, IP, queue pair
  const p4::Action* to_agent = nullptr;
  const p4::Action* to_requester = nullptr;
};

/// What the program is generated for.
struct LcfShape {
  unsigned nodes = 8;     ///< at most 16: PRE groups are two bytes of the copyset
  unsigned threads = 32;  ///< application threads of the rack
  /// Blocks come and go by packets of home agents, which are requesters of their own, with the numbers behind those of
  /// the threads, in the order of their nodes.
  bool migrates = false;
  /// Locks of blocks that the threads can hold at once: each is a requester, behind the home agents.
  unsigned locks = 2048;
};

/// Groups of the replication engine: group `g` (1..255) holds the nodes of the copyset's low byte g, group 256 + g
/// those of its high byte.
inline constexpr unsigned kHighGroups = 256;
/// Group kAddGroups + n: the home agent of node n, and the shadow node, whose copy has the replication id kShadowRid.
inline constexpr unsigned kAddGroups = 512;
inline constexpr std::uint16_t kShadowRid = 255;

/// Builds the program. Throws std::runtime_error beyond 16 nodes.
LcfProgram make_lcf_program(const FlowCcOptions& options, const LcfShape& shape);

}  // namespace racksim::flowcc
