// Rows of a node as they lie in memory: images, of a row and whatever its engine keeps beside it. A row that is not there
// has one too. What is in an image only its engine knows; what is taken over by a participant is an image as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/applications/transactions/transaction.hpp"
#include "models/service/service.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::app::two_phase_commit {

struct RowImage {
  Row row;
  std::vector<std::byte> bytes = {};
};

/// Where a node's rows lie. `by` is one of its sessions, which has nothing else under way.
class RowImages {
 public:
  virtual ~RowImages() = default;
  /// How long an image of a row of this table is.
  virtual std::uint32_t bytes(std::uint32_t table) const = 0;
  /// Throw models::Unavailable.
  virtual sim::Task<void> load(models::Session by, Row row, std::span<std::byte> into) = 0;
  virtual sim::Task<void> store(models::Session by, Row row, std::span<const std::byte> image) = 0;
  /// Ends when all sessions see what this one has stored.
  virtual sim::Task<void> settle(models::Session by) = 0;
};

}  // namespace racksim::app::two_phase_commit
