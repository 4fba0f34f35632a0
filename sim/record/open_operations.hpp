// A map from operations that are under way to small values. A session has one at a time, nearly always, and that one lies
// at the session's place: neither hashing nor probing. What else a session has, and ids that no session has issued, lie in
// a hash map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/record/flat_map.hpp"
#include "sim/record/ids.hpp"

namespace racksim::sim {

/// As FlatMap: values are default-constructed when they are first asked for, and references stay valid until the next
/// insertion or erasure.
template <typename Value>
class OpenOperations {
 public:
  /// The value of this operation, or nullptr.
  Value* find(std::uint64_t id) {
    if (Entry* at = place(id); at != nullptr && at->id == id) return &at->value;
    return others_.size() == 0 ? nullptr : others_.find(id);
  }
  const Value* find(std::uint64_t id) const { return const_cast<OpenOperations*>(this)->find(id); }

  /// The value of this operation, inserted if it was absent.
  Value& operator[](std::uint64_t id) {
    if (Value* known = find(id)) return *known;
    const std::size_t session = session_of(id);
    if (session >= kMostSessions) return others_[id];
    if (session >= first_.size()) first_.resize(session + 1);
    Entry& at = first_[session];
    if (at.id != 0) return others_[id];
    at.id = id;
    ++size_;
    return at.value;
  }

  /// Removes an operation; false if it was absent.
  bool erase(std::uint64_t id) {
    Entry* at = place(id);
    if (at == nullptr || at->id != id) return others_.size() != 0 && others_.erase(id);
    *at = {};
    --size_;
    return true;
  }

  std::size_t size() const { return size_ + others_.size(); }

 private:
  static constexpr std::size_t kMostSessions = std::size_t{1} << 20;
  struct Entry {
    std::uint64_t id = 0;  // 0 is of no session
    Value value{};
  };
  /// Of an id that no session has issued more than all.
  static std::size_t session_of(std::uint64_t id) { return static_cast<std::size_t>(id >> kNumberBits) - 1; }
  Entry* place(std::uint64_t id) {
    const std::size_t session = session_of(id);
    return session < first_.size() ? &first_[session] : nullptr;
  }

  std::vector<Entry> first_;  // by session
  std::size_t size_ = 0;      // of those
  FlatMap<Value> others_;
};

}  // namespace racksim::sim
