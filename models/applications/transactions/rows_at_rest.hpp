// All rows as memory holds them when everything has come to rest, and as they were at first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/applications/image.hpp"
#include "models/applications/transactions/row_places.hpp"
#include "models/applications/transactions/schema.hpp"

namespace racksim::app {

class RowsAtRest final : public Rows {
 public:
  RowsAtRest(const Schema& schema, const std::vector<RowTable>& tables, const models::MemoryService& memory,
             const RowPlaces& places, std::shared_ptr<const models::MemoryImage> at_rest, std::uint64_t header_bytes)
      : schema_(schema),
        tables_(tables),
        memory_(memory),
        places_(places),
        at_rest_(std::move(at_rest)),
        header_bytes_(header_bytes) {}

  bool read(Row row, std::span<std::byte> into) const override;
  void each(std::uint32_t table,
            const std::function<void(std::uint64_t key, std::span<const std::byte> row)>& visit) const override;
  void each_changed(
      const std::function<void(Row row, bool there, std::span<const std::byte> bytes)>& visit) const override;

  /// A row's slot, header included, at rest.
  void slot(Row row, std::vector<std::byte>& into) const;
  /// The same before the run.
  void first_slot(Row row, std::vector<std::byte>& into) const;
  /// All rows that were ever written, of all tables, in the order of their addresses.
  void each_written(
      const std::function<void(Row row, Versions versions, bool there, std::span<const std::byte> bytes)>& visit) const;

 private:
  const Schema& schema_;
  const std::vector<RowTable>& tables_;
  const models::MemoryService& memory_;
  const RowPlaces& places_;
  std::shared_ptr<const models::MemoryImage> at_rest_;
  std::uint64_t header_bytes_;
};

}  // namespace racksim::app
