// Sessions that store and load real bytes side by side, each its own three in turn: pieces lie over the ends of words
// and of objects, and words have bytes of several sessions. What a session loads is what it has stored last, performed
// or not.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/protocols/disaggregated_run.hpp"

namespace racksim::testing {

class RealBytes {
 public:
  static constexpr std::uint64_t kLines = 4, kBytes = 32, kPiece = 3;

  RealBytes(DisaggregatedRun& run, std::vector<models::Session> sessions)
      : run_(run), sessions_(std::move(sessions)), expected_(kLines * kBytes) {
    run_.memory.keep_bytes();
  }

  /// Has each session store and load so often, to the end; then all load everything.
  void exchange(unsigned times) {
    for (std::size_t i = 0; i < sessions_.size(); ++i) run_.spawn(store_and_load(i, times), sessions_[i].node);
    run_.advance(5_ms);
    for (const models::Session session : sessions_) run_.spawn(load_all(session), session.node);
    run_.advance(5_ms);
  }
  unsigned loads() const { return loads_; }
  unsigned wrong() const { return wrong_; }

 private:
  /// The lines' beginnings, one after the other.
  models::GlobalAddress at(std::uint64_t i) const { return {run_.line(i / kBytes).value + i % kBytes}; }
  sim::Task<void> load(models::Session session, std::uint64_t first, std::uint64_t bytes) {
    std::vector<std::byte> found(bytes);
    co_await run_.memory.load(session, at(first), found);
    ++loads_;
    for (std::uint64_t i = 0; i < bytes; ++i) {
      if (found[i] != expected_[first + i]) {
        ++wrong_;
        break;
      }
    }
  }
  sim::Task<void> store_and_load(std::size_t who, unsigned times) {
    const std::uint64_t pieces = kBytes / kPiece;
    for (unsigned time = 0; time < times; ++time) {
      const std::uint64_t piece = (who + sessions_.size() * (time * 7 / 2)) % pieces;
      if (piece % sessions_.size() != who) continue;
      const std::uint64_t first = time % kLines * kBytes + piece * kPiece;
      std::vector<std::byte> bytes(kPiece);
      for (std::uint64_t i = 0; i < kPiece; ++i) {
        bytes[i] = expected_[first + i] = static_cast<std::byte>(1 + time * 5 + i + who);
      }
      co_await run_.memory.store(sessions_[who], at(first), bytes);
      co_await load(sessions_[who], first, kPiece);
    }
    co_await run_.memory.fence(sessions_[who]);
  }
  sim::Task<void> load_all(models::Session session) {
    for (std::uint64_t line = 0; line < kLines; ++line) co_await load(session, line * kBytes, kBytes);
  }

  DisaggregatedRun& run_;
  std::vector<models::Session> sessions_;
  std::vector<std::byte> expected_;
  unsigned loads_ = 0, wrong_ = 0;
};

}  // namespace racksim::testing
