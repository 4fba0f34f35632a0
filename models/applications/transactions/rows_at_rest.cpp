// Rows out of memory at rest. See rows_at_rest.hpp.
#include "models/applications/transactions/rows_at_rest.hpp"

#include <algorithm>
#include <optional>

namespace racksim::app {

namespace {
bool is_there(std::span<const std::byte> slot) {
  return (slot[0] & std::byte{1}) != std::byte{};
}
}  // namespace

void RowsAtRest::first_slot(Row row, std::vector<std::byte>& into) const {
  const std::uint64_t row_bytes = tables_[row.table].row_bytes;
  into.assign(slot_size(row_bytes, header_bytes_), std::byte{});
  const std::span<std::byte> bytes = std::span(into).subspan(header_bytes_ + Versions::kBytes, row_bytes);
  if (schema_.first(row, Bytes(bytes))) {
    into[0] = std::byte{1};
  } else {
    std::fill(bytes.begin(), bytes.end(), std::byte{});
  }
}

void RowsAtRest::slot(Row row, std::vector<std::byte>& into) const {
  into.resize(slot_size(tables_[row.table].row_bytes, header_bytes_));
  at_rest_->read(places_.address(row, 0), into);
}

bool RowsAtRest::read(Row row, std::span<std::byte> into) const {
  std::vector<std::byte> bytes;
  slot(row, bytes);
  if (!is_there(bytes)) return false;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes_ + Versions::kBytes),
              std::min<std::size_t>(into.size(), tables_[row.table].row_bytes), into.begin());
  return true;
}

void RowsAtRest::each(std::uint32_t table,
                      const std::function<void(std::uint64_t key, std::span<const std::byte> row)>& visit) const {
  const std::uint64_t line_bytes = memory_.shape().block_bytes;
  const auto& values = at_rest_->values();
  std::vector<std::byte> bytes;
  for (std::uint64_t key = 0; key < tables_[table].keys; ++key) {
    const Row row{table, key};
    const models::GlobalAddress begin = places_.address(row, 0);
    const std::uint64_t lines_from = begin.value / line_bytes * line_bytes;
    // Whether anybody has written an object of its lines.
    const auto written = values.lower_bound(memory_.object_of({lines_from}).number());
    const std::uint64_t last = memory_.object_of({begin.value + places_.slot_bytes(table) - 1}).number();
    if (written != values.end() && written->first <= last) {
      slot(row, bytes);
    } else {
      first_slot(row, bytes);
    }
    if (!is_there(bytes)) continue;
    visit(key, std::span<const std::byte>(bytes).subspan(header_bytes_ + Versions::kBytes, tables_[table].row_bytes));
  }
}

void RowsAtRest::each_written(
    const std::function<void(Row row, Versions versions, bool there, std::span<const std::byte> bytes)>& visit) const {
  const std::uint64_t object_bytes = memory_.shape().object_bytes;
  std::vector<std::byte> bytes;
  std::optional<Row> last;
  for (const auto& [object, value] : at_rest_->values()) {
    for (std::uint64_t at = object * object_bytes, end = at + object_bytes; at < end;) {
      const auto row = places_.row_at({at});
      if (!row) {
        at += 8;
        continue;
      }
      if (tables_[row->table].keys_per_part == 0) {
        at += places_.slot_bytes(row->table);
        continue;
      }
      const std::uint64_t begin = places_.address(*row, 0).value, size = places_.slot_bytes(row->table);
      if (last != row) {
        last = row;
        slot(*row, bytes);
        const auto content = std::span<const std::byte>(bytes).subspan(header_bytes_);
        const Versions versions = Versions::from(content);
        if (versions != Versions{}) {
          visit(*row, versions, is_there(bytes), content.subspan(Versions::kBytes, tables_[row->table].row_bytes));
        }
      }
      at = begin + size;
    }
  }
}

void RowsAtRest::each_changed(
    const std::function<void(Row row, bool there, std::span<const std::byte> bytes)>& visit) const {
  each_written([&](Row row, Versions, bool there, std::span<const std::byte> bytes) {
    visit(row, there, there ? bytes : std::span<const std::byte>());
  });
}

}  // namespace racksim::app
