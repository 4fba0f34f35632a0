#include "p4model/execute/mirror_sessions.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace racksim::p4 {

void MirrorSessions::set(std::uint16_t id, const MirrorSession& session) {
  if (id == 0 || id > kMost) throw std::runtime_error(fmt::format("mirror session {} is not from 1 to {}", id, kMost));
  if (session.bytes == 0) throw std::runtime_error(fmt::format("mirror session {} keeps no byte of a packet", id));
  sessions_[id] = session;
}

}  // namespace racksim::p4
