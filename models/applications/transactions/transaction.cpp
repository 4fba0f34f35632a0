// The face of transactions: copies, versions and the record. See transaction.hpp.
#include "models/applications/transactions/transaction.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace racksim::app {

std::span<std::byte> Transaction::version_of(RowCopy& copy) const {
  return std::span(copy.slot).subspan(context_.header_bytes, Versions::kBytes);
}

std::span<std::byte> Transaction::row_of(RowCopy& copy) const {
  return std::span(copy.slot).subspan(context_.header_bytes + Versions::kBytes,
                                      context_.tables[copy.row.table].row_bytes);
}

void Transaction::expect_key(Row row) const {
  if (row.table < context_.tables.size() && row.key < context_.tables[row.table].keys) return;
  throw std::logic_error(
      fmt::format("a transaction asks for row {:#x} of table {}, which has none of this key", row.key, row.table));
}

RowCopy& Transaction::copy_of(Row row) {
  expect_key(row);
  const auto [known, added] = index_.try_emplace(row.packed(), copies_.size());
  if (!added) return *copies_[known->second];
  if (pool_.size() == copies_.size()) pool_.emplace_back();
  RowCopy& copy = pool_[copies_.size()];
  copy.row = row;
  copy.intent = Intent::read;
  copy.fetched = copy.recorded = copy.written = false;
  copy.slot.assign(slot_bytes(row.table), std::byte{});
  copies_.push_back(&copy);
  return copy;
}

void Transaction::record_read(RowCopy& copy) {
  if (copy.recorded || is_read_only(copy.row)) return;
  copy.recorded = true;
  context_.log.read(attempt_, copy.row, Versions::from(version_of(copy)).version,
                    contents_of(row_of(copy), copy.there()));
}

sim::Task<void> Transaction::have(RowCopy& copy, Intent intent) {
  const bool stronger = intent == Intent::update && copy.intent == Intent::read;
  if (stronger) copy.intent = Intent::update;
  if (!copy.fetched || (stronger && !copy.written)) {
    copy.recorded = false;  // what it finds now it has read too
    ++context_.counters.rows.value;
    co_await fetch(copy);
    copy.fetched = true;
  }
  record_read(copy);
}

sim::Task<void> Transaction::fetch_all(std::span<RowCopy* const> copies) {
  for (RowCopy* copy : copies) co_await fetch(*copy);
}

sim::Task<void> Transaction::changed(RowCopy&) {
  co_return;
}

sim::Task<bool> Transaction::read(Row row, std::span<std::byte> into, Intent intent) {
  RowCopy& copy = copy_of(row);
  co_await client_.compute(context_.row_cost);
  co_await have(copy, intent);
  if (!copy.there()) co_return false;
  const std::span<std::byte> bytes = row_of(copy);
  std::copy_n(bytes.begin(), std::min(bytes.size(), into.size()), into.begin());
  co_return true;
}

sim::Task<void> Transaction::put(RowCopy& copy, std::span<const std::byte> bytes, bool there) {
  if (copy.intent != Intent::update || !copy.fetched || is_read_only(copy.row)) {
    throw std::logic_error(
        fmt::format("a transaction writes row {:#x} of table {}, which it has not read for an update", copy.row.key,
                    context_.tables[copy.row.table].name));
  }
  const Versions versions{context_.log.next_version(attempt_), Versions::from(version_of(copy)).version};
  versions.to(version_of(copy));
  copy.slot[0] = (copy.slot[0] & ~std::byte{1}) | (there ? std::byte{1} : std::byte{});
  const std::span<std::byte> row = row_of(copy);
  std::fill(row.begin(), row.end(), std::byte{});
  std::copy_n(bytes.begin(), std::min(bytes.size(), row.size()), row.begin());
  context_.log.wrote(attempt_, copy.row, versions, contents_of(row, there));
  if (!copy.written) writes_.push_back(&copy);
  copy.written = true;
  co_await changed(copy);
}

sim::Task<void> Transaction::write(Row row, std::span<const std::byte> bytes) {
  RowCopy& copy = copy_of(row);
  if (copy.fetched && !copy.there()) {
    throw std::logic_error(fmt::format("a transaction writes row {:#x} of table {}, which is not there", row.key,
                                       context_.tables[row.table].name));
  }
  return put(copy, bytes, true);
}

sim::Task<bool> Transaction::insert(Row row, std::span<const std::byte> bytes) {
  RowCopy& copy = copy_of(row);
  co_await client_.compute(context_.row_cost);
  co_await have(copy, Intent::update);
  if (copy.there()) co_return false;
  co_await put(copy, bytes, true);
  co_return true;
}

sim::Task<void> Transaction::erase(Row row) {
  return put(copy_of(row), {}, false);
}

sim::Task<void> Transaction::scan(std::uint32_t table, std::uint64_t from, std::uint64_t to, Intent intent,
                                  const Visit& visit) {
  std::vector<RowCopy*> group, missing;
  for (std::uint64_t key = from; key < to;) {
    const std::uint64_t together = std::clamp<std::uint64_t>(fetched_together({table, key}), 1, to - key);
    group.clear();
    missing.clear();
    for (const std::uint64_t end = key + together; key < end; ++key) {
      RowCopy& copy = copy_of({table, key});
      const bool stronger = intent == Intent::update && copy.intent == Intent::read;
      if (stronger) copy.intent = Intent::update;
      if (!copy.fetched || (stronger && !copy.written)) {
        copy.recorded = false;
        missing.push_back(&copy);
      }
      group.push_back(&copy);
    }
    context_.counters.rows.value += missing.size();
    if (!missing.empty()) co_await fetch_all(missing);
    for (RowCopy* copy : missing) copy->fetched = true;
    for (RowCopy* copy : group) {
      record_read(*copy);
      if (!copy->there()) continue;
      co_await client_.compute(context_.row_cost);
      if (!visit(copy->row.key, row_of(*copy))) co_return;
    }
  }
}

sim::Task<void> Transaction::begin(bool again) {
  copies_.clear();
  writes_.clear();
  index_.clear();
  attempt_ = context_.log.begin(client_.now(), client_.node(), client_.thread(), attempt_, again);
  co_await client_.compute(context_.bracket_cost);
  co_await start(again);
}

sim::Task<void> Transaction::commit() {
  co_await finish();
  context_.log.end(attempt_, client_.now(), TransactionLog::Outcome::committed);
}

sim::Task<void> Transaction::log_commit() {
  if (context_.logs == nullptr) co_return;
  if (!writes_.empty()) {
    std::uint64_t bytes = kLogEntryBytes;
    for (const RowCopy* copy : writes_) bytes += copy->slot.size();
    models::LogDevice& device = context_.logs->at(client_.node());
    co_await device.durable(device.append(bytes));
  }
  const std::uint64_t syncs = writes_.empty() ? 0 : 1;
  context_.logs->committed(syncs, syncs);
}

sim::Task<void> Transaction::abort(bool) {
  co_await undo();
  context_.log.end(attempt_, client_.now(), TransactionLog::Outcome::aborted);
}

}  // namespace racksim::app
