// Mirror sessions: where copies go, and how much of them (docs/hardware.md 6.6).
#pragma once

#include <cstdint>
#include <map>

namespace racksim::p4 {

/// What the control plane loads for a session.
struct MirrorSession {
  std::uint16_t port = 0;
  std::uint32_t bytes = 0xffff;  ///< of headers and payload; what is behind them is cut off
};

class MirrorSessions {
 public:
  static constexpr std::uint16_t kMost = 1023;

  /// Throws std::runtime_error for a session that is not from 1 to 1023, or keeps no byte.
  void set(std::uint16_t id, const MirrorSession& session);
  void remove(std::uint16_t id) { sessions_.erase(id); }
  /// Null if it is not loaded: then there is no copy.
  const MirrorSession* find(std::uint16_t id) const {
    const auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::uint16_t, MirrorSession> sessions_;
};

}  // namespace racksim::p4
