// Slots and locks of lines. See stored_transaction.hpp.
#include "models/applications/transactions/stored_transaction.hpp"

#include <algorithm>

namespace racksim::app {

Lines StoredTransaction::lines(Row row) const {
  const std::uint64_t begin = address(row).value, line_bytes = memory_.shape().block_bytes;
  return {begin / line_bytes, (begin + places_.slot_bytes(row.table) - 1) / line_bytes};
}

sim::Task<void> StoredTransaction::load(RowCopy& copy) {
  return client().read(address(copy.row), std::span(copy.slot));
}

sim::Task<void> StoredTransaction::load_all(std::span<RowCopy* const> copies) {
  const std::uint64_t line_bytes = memory_.shape().block_bytes;
  for (std::size_t i = 0; i < copies.size();) {
    const models::GlobalAddress begin = address(copies[i]->row);
    const std::uint64_t bytes = copies[i]->slot.size();
    std::size_t end = i + 1;
    while (end < copies.size() && copies[end]->row.table == copies[i]->row.table &&
           address(copies[end]->row).value == begin.value + (end - i) * bytes &&
           (begin.value + (end - i + 1) * bytes - 1) / line_bytes == begin.value / line_bytes) {
      ++end;
    }
    if (end == i + 1) {
      co_await load(*copies[i]);
    } else {
      together_.resize((end - i) * bytes);
      co_await client().read(begin, std::span(together_));
      for (std::size_t k = i; k < end; ++k) {
        std::copy_n(together_.begin() + static_cast<std::ptrdiff_t>((k - i) * bytes), bytes, copies[k]->slot.begin());
      }
    }
    i = end;
  }
}

sim::Task<void> StoredTransaction::store(const RowCopy& copy) {
  return client().write(address(copy.row), std::span<const std::byte>(copy.slot));
}

const StoredTransaction::Held* StoredTransaction::held(std::uint64_t line) const {
  const auto found = std::find_if(held_.begin(), held_.end(), [&](const Held& one) { return one.line == line; });
  return found == held_.end() ? nullptr : &*found;
}

sim::Task<void> StoredTransaction::try_lock(std::uint64_t line, models::LockMode mode) {
  bool granted = co_await client().try_lock_line(sim::Key{line}, mode);
  const auto own =
      std::find_if(given_back_.begin(), given_back_.end(), [&](const GivenBack& one) { return one.line == line; });
  if (!granted && own != given_back_.end()) {
    const sim::Time known = own->at + round_trip_;
    if (known > client().now()) {
      co_await client().pause(known - client().now());
      granted = co_await client().try_lock_line(sim::Key{line}, mode);
    }
  }
  if (!granted) throw Aborted{AbortReason::lock};
  held_.push_back({line, mode});
  ++context().counters.locks.value;
}

sim::Task<void> StoredTransaction::lock(std::uint64_t line, models::LockMode mode) {
  co_await client().lock_line(sim::Key{line}, mode);
  held_.push_back({line, mode});
  ++context().counters.locks.value;
}

sim::Task<void> StoredTransaction::unlock(std::uint64_t line) {
  std::erase_if(held_, [&](const Held& one) { return one.line == line; });
  const sim::Time now = client().now();
  std::erase_if(given_back_, [&](const GivenBack& one) { return one.line == line || one.at + round_trip_ < now; });
  given_back_.push_back({line, now});
  return client().unlock_line(sim::Key{line});
}

bool StoredTransaction::written_later(std::uint64_t line, std::size_t than) const {
  return std::any_of(writes().begin() + static_cast<std::ptrdiff_t>(than) + 1, writes().end(), [&](RowCopy* copy) {
    const Lines all = lines(copy->row);
    return all.first <= line && line <= all.last;
  });
}

sim::Task<void> StoredTransaction::write_back() {
  for (std::size_t i = 0; i < writes().size(); ++i) {
    co_await store(*writes()[i]);
    const Lines all = lines(writes()[i]->row);
    for (std::uint64_t line = all.first; line <= all.last; ++line) {
      if (!written_later(line, i)) co_await unlock(line);
    }
  }
  co_await unlock_all();
}

sim::Task<void> StoredTransaction::unlock_all() {
  while (!held_.empty()) co_await unlock(held_.back().line);
}

}  // namespace racksim::app
