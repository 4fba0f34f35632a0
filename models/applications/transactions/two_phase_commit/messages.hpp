// What nodes say to each other about a transaction: a coordinator's calls and a participant's answers, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/applications/transactions/transaction.hpp"
#include "models/applications/transactions/two_phase_commit/row_images.hpp"
#include "models/nic/verbs.hpp"
#include "models/service/memory_port.hpp"

namespace racksim::app::two_phase_commit {

/// An attempt at a transaction: the terminal's number in the upper half, from 1, and that of its attempt, from 1.
using TransactionId = std::uint64_t;
constexpr TransactionId transaction_id(std::uint64_t terminal, std::uint64_t attempt) {
  return (terminal + 1) << 32 | (attempt & 0xffffffff);
}
constexpr std::uint64_t terminal_of(TransactionId id) {
  return (id >> 32) - 1;
}
constexpr std::uint64_t attempt_of(TransactionId id) {
  return id & 0xffffffff;
}

enum class Verb : std::uint8_t {
  read,     ///< lock rows whose keys follow each other and send their images
  stage,    ///< rows that will be written, more of them than fit in `prepare`
  prepare,  ///< the last of them: can this be committed?
  commit,
  abort
};

enum class Answer : std::uint8_t {
  no,           ///< the lock is not to be had
  gone,         ///< the transaction has been given up here, and with it its locks: a vote against it
  unavailable,  ///< memory, or its place in a cache, could not be had
  yes,          ///< done; prepared
  only_read     ///< of `prepare`: nothing was written here, the locks are given back, and the rest is not its concern
};

struct Request {
  Verb verb = Verb::read;
  TransactionId transaction = 0;
  // Of `read`:
  bool first = false;          ///< the first call of the transaction to this node
  std::uint8_t doublings = 0;  ///< of the node's patience with it: how often it has been voted down
  models::LockMode mode = models::LockMode::shared;
  Row row;                  ///< the first
  std::uint32_t count = 1;  ///< how many
  // Of `stage` and `prepare`:
  std::vector<RowImage> rows;
};

struct Reply {
  Answer answer = Answer::no;
  std::uint8_t syncs = 0;        ///< that were asked of the participant's log
  std::vector<std::byte> image;  ///< of rows that were read, one behind the other
};

/// Bytes of a request without rows, and what a row takes of it beside its image.
inline constexpr std::uint32_t kRequestBytes = 32, kRowHeaderBytes = 16;
/// Bytes of a reply without images.
inline constexpr std::uint32_t kReplyBytes = 8;

models::Content encoded(const Request& request);
models::Content encoded(const Reply& reply);
// Throw std::logic_error for anything else.
Request request_from(const models::Content& content);
Reply reply_from(const models::Content& content);

}  // namespace racksim::app::two_phase_commit
