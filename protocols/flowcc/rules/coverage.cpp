// The names of what can be covered, and what cannot. See coverage.hpp.
#include "protocols/flowcc/rules/coverage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace racksim::flowcc {
namespace {

struct HandledMessage {
  Handler handler;
  MessageType type;
  const char* name;
};
constexpr HandledMessage kHandledMessages[] = {
    {Handler::owner, MessageType::read_miss, "READ-MISS at the owner"},
    {Handler::owner, MessageType::write_miss, "WRITE-MISS at the owner"},
    {Handler::owner, MessageType::write_shared, "WRITE-SHARED at the owner"},
    {Handler::owner, MessageType::evict_shared, "EVICT-SHARED at the owner"},
    {Handler::owner, MessageType::evict_modified, "EVICT-MODIFIED at the owner"},
    {Handler::owner, MessageType::unlock_read, "UNLOCK (read) at the owner"},
    {Handler::owner, MessageType::unlock_write, "UNLOCK (write) at the owner"},
    {Handler::memory, MessageType::read_miss, "READ-MISS at the home's memory"},
    {Handler::memory, MessageType::write_miss, "WRITE-MISS at the home's memory"},
    {Handler::cache_agent, MessageType::read_miss, "READ-MISS at a cache agent"},
    {Handler::cache_agent, MessageType::write_miss, "WRITE-MISS at a cache agent"},
    {Handler::cache_agent, MessageType::write_shared, "WRITE-SHARED at a cache agent"},
    {Handler::requester, MessageType::ack, "ACK at the requester"},
    {Handler::requester, MessageType::failed_ack, "FAILED-ACK at the requester"},
    {Handler::requester, MessageType::unlock_ack, "UNLOCK-ACK at the requester"},
};

constexpr std::pair<LockState, const char*> kLocks[] = {
    {LockState::free, "unlocked"}, {LockState::read, "read-locked"}, {LockState::write, "write-locked"}};
constexpr std::pair<CacheEntry::State, const char*> kLocals[] = {{CacheEntry::State::empty, "absent"},
                                                                 {CacheEntry::State::filling, "filling"},
                                                                 {CacheEntry::State::clean, "clean"},
                                                                 {CacheEntry::State::dirty, "dirty"}};

}  // namespace

std::size_t coverage_state(GlobalStatus status, LockState lock, CacheEntry::State local) {
  return (static_cast<std::size_t>(status) * std::size(kLocks) + static_cast<std::size_t>(lock)) * std::size(kLocals) +
         static_cast<std::size_t>(local);
}

sim::CoverageMap coverage_map() {
  sim::CoverageMap map;
  map.states.resize(3 * std::size(kLocks) * std::size(kLocals));
  for (const auto status : {GlobalStatus::unshared, GlobalStatus::shared, GlobalStatus::modified}) {
    for (const auto& [lock, lock_name] : kLocks) {
      for (const auto& [local, local_name] : kLocals) {
        map.states[coverage_state(status, lock, local)] =
            fmt::format("{}, {}, {}", to_string(status), lock_name, local_name);
      }
    }
  }
  for (const HandledMessage& message : kHandledMessages) map.messages.emplace_back(message.name);
  map.race_points = races.names();
  const auto impossible = [&](GlobalStatus status, LockState lock, CacheEntry::State local, const char* reason) {
    map.impossible.push_back({coverage_state(status, lock, local), reason});
  };
  using enum GlobalStatus;
  const char* rest = "without a lock, the owner's metadata and the caches agree";
  impossible(unshared, LockState::free, CacheEntry::State::clean, rest);
  impossible(unshared, LockState::free, CacheEntry::State::dirty, rest);
  impossible(shared, LockState::free, CacheEntry::State::dirty, rest);
  impossible(modified, LockState::free, CacheEntry::State::clean, rest);
  const char* reader = "while a read lock is held nobody obtains a dirty copy";
  impossible(unshared, LockState::read, CacheEntry::State::dirty, reader);
  impossible(shared, LockState::read, CacheEntry::State::dirty, reader);
  const char* writer = "the event that holds a write lock leaves no clean copy of such a block";
  impossible(unshared, LockState::write, CacheEntry::State::clean, writer);
  impossible(modified, LockState::write, CacheEntry::State::clean, writer);
  return map;
}

void CoverageMarks::note(Handler handler, MessageType type, Tag tag, NodeId node) const {
  const auto message = std::find_if(std::begin(kHandledMessages), std::end(kHandledMessages),
                                    [&](const HandledMessage& m) { return m.handler == handler && m.type == type; });
  if (message == std::end(kHandledMessages)) return;
  probe_.pair(observer_->state_of(tag, node), static_cast<std::size_t>(message - std::begin(kHandledMessages)));
}

}  // namespace racksim::flowcc
