// The names of what can be covered, and what cannot. See coverage.hpp.
#include "protocols/flowcc/rules/coverage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace racksim::flowcc {
namespace {

struct HandledMessage {
  Place place;
  MessageType type;
  const char* name;
};
constexpr HandledMessage kHandledMessages[] = {
    {Place::owner, MessageType::read_miss, "READ-MISS at the owner"},
    {Place::owner, MessageType::write_miss, "WRITE-MISS at the owner"},
    {Place::owner, MessageType::write_shared, "WRITE-SHARED at the owner"},
    {Place::owner, MessageType::evict_shared, "EVICT-SHARED at the owner"},
    {Place::owner, MessageType::evict_modified, "EVICT-MODIFIED at the owner"},
    {Place::owner, MessageType::unlock_read, "UNLOCK (read) at the owner"},
    {Place::owner, MessageType::unlock_write, "UNLOCK (write) at the owner"},
    {Place::memory, MessageType::read_miss, "READ-MISS at the home's memory"},
    {Place::memory, MessageType::write_miss, "WRITE-MISS at the home's memory"},
    {Place::cache_agent, MessageType::read_miss, "READ-MISS at a cache agent"},
    {Place::cache_agent, MessageType::write_miss, "WRITE-MISS at a cache agent"},
    {Place::cache_agent, MessageType::write_shared, "WRITE-SHARED at a cache agent"},
    {Place::requester, MessageType::ack, "ACK at the requester"},
    {Place::requester, MessageType::failed_ack, "FAILED-ACK at the requester"},
    {Place::requester, MessageType::unlock_ack, "UNLOCK-ACK at the requester"},
};

constexpr std::array kRaces{
    "switch: a packet that a later one of its requester has overtaken (rule i)",
    "switch: a request sent again finds the lock taken by itself (SCOREBOARD)",
    "switch: a failed check gives back the lock that its pass took (rule iv)",
    "switch: a failed check whose pass took nothing (rule iv)",
    "switch: an unlock returns a read lock that was taken twice (SCOREBOARD)",
    "switch: an unlock that was executed before (LAST-UNLOCK)",
    "home agent: a packet that a later one of its requester has overtaken (rule i)",
    "home agent: a request sent again finds the lock taken by itself",
    "home agent: a failed check gives back the lock that it took (rule iv)",
    "home agent: a failed check that took nothing (rule iv)",
    "home agent: an unlock that was executed before",
    "home's memory: a request older than the last (LAST-EXECUTED)",
    "home's memory: the last request once more (LAST-EXECUTED)",
    "cache agent: a request older than the last (LAST-EXECUTED)",
    "cache agent: the last request once more (LAST-EXECUTED)",
    "cache agent: the copy that a request asks for is gone",
    "cache agent: a READ-MISS that found the block Shared meets a dirty copy, and leaves it",
    "owner: a READ-MISS of a Shared block, sent again, goes to all holders",
    "requester: a read of a copy while an event on it is under way",
    "requester: a miss on a block of which a sibling thread's miss is under way",
    "requester: every entry of a bucket is in the hands of siblings",
    "requester: a request waits for the unlock of the same parity (rule iii)",
    "requester: an unlock waits for the unlock before it",
    "requester: an unlock waits for its write-back",
    "requester: a reader of a Modified block writes it back",
    "requester: a WRITE-SHARED fails, its copy invalidated in the meantime",
    "requester: an eviction fails, its block taken or changed in the meantime",
    "requester: a FAILED-ACK that answers an earlier transmission (rule ii)",
    "requester: an ACK or FAILED-ACK of an event that is over",
    "requester: data for an event that is over",
    "requester: an UNLOCK-ACK of an unlock that is over",
    "home agent: a request for a block that the switch has, or is about to have",
    "home agent: a request from before its block came back from the switch",
    "home agent: an unlock of an event whose block is the switch's now",
    "home agent: a block that is to move takes no new holders",
    "switch: an unlock whose event holds no lock there",
    "switch: an ADD finds its tag",
    "switch: a REMOVE finds the lock taken",
    "switch: an ADD finds all its places taken",
    "home agent: a request for a chunk older than the last (LAST-EXECUTED)",
    "home agent: the last request for a chunk once more (LAST-EXECUTED)",
    "home agent: no room for a chunk",
    "thread: an answer to a request for a chunk that is over",
    "thread: a chunk of a home that is asked because others have no room",
};
static_assert(kRaces.size() == static_cast<std::size_t>(RacePoint::count));

constexpr std::array kLocks{"unlocked", "read-locked", "write-locked"};
constexpr std::array kLocals{"absent", "filling", "clean", "dirty"};

}  // namespace

std::size_t coverage_state(GlobalStatus status, LockState lock, LocalState local) {
  return (static_cast<std::size_t>(status) * kLocks.size() + static_cast<std::size_t>(lock)) * kLocals.size() +
         static_cast<std::size_t>(local);
}

sim::CoverageMap coverage_map() {
  sim::CoverageMap map;
  for (const auto status : {GlobalStatus::unshared, GlobalStatus::shared, GlobalStatus::modified}) {
    for (const char* lock : kLocks) {
      for (const char* local : kLocals) map.states.push_back(fmt::format("{}, {}, {}", to_string(status), lock, local));
    }
  }
  for (const HandledMessage& message : kHandledMessages) map.messages.emplace_back(message.name);
  map.race_points.assign(kRaces.begin(), kRaces.end());
  const auto impossible = [&](GlobalStatus status, LockState lock, LocalState local, const char* reason) {
    map.impossible.push_back({coverage_state(status, lock, local), reason});
  };
  using enum GlobalStatus;
  const char* rest = "without a lock, the owner's metadata and the caches agree";
  impossible(unshared, LockState::free, LocalState::clean, rest);
  impossible(unshared, LockState::free, LocalState::dirty, rest);
  impossible(shared, LockState::free, LocalState::dirty, rest);
  impossible(modified, LockState::free, LocalState::clean, rest);
  const char* reader = "while a read lock is held nobody obtains a dirty copy";
  impossible(unshared, LockState::read, LocalState::dirty, reader);
  impossible(shared, LockState::read, LocalState::dirty, reader);
  const char* writer = "the event that holds a write lock leaves no clean copy of such a block";
  impossible(unshared, LockState::write, LocalState::clean, writer);
  impossible(modified, LockState::write, LocalState::clean, writer);
  return map;
}

void CoverageMarks::note(Place place, MessageType type, Tag tag, NodeId node) const {
  const auto message = std::find_if(std::begin(kHandledMessages), std::end(kHandledMessages),
                                    [&](const HandledMessage& m) { return m.place == place && m.type == type; });
  if (message == std::end(kHandledMessages)) return;
  probe_.pair(observer_->state_of(tag, node), static_cast<std::size_t>(message - std::begin(kHandledMessages)));
}

}  // namespace racksim::flowcc
