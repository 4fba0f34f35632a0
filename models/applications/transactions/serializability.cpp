// Anomalies and edges. See serializability.hpp.
#include "models/applications/transactions/serializability.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace racksim::app {

using Outcome = TransactionLog::Outcome;

Serializability::Serializability(const TransactionLog& log, const std::vector<RowTable>& tables)
    : log_(log), tables_(tables), node_of_(log.attempts() + 1, kNone) {
  for (Attempt attempt = 1; attempt <= log_.attempts(); ++attempt) {
    if (log_.entry(attempt).outcome != Outcome::committed) continue;
    node_of_[attempt] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(attempt);
  }
  index_writes();
  const auto each_access = [this](auto&& look) {
    std::uint32_t number = 0;
    for (const Attempt attempt : nodes_) {
      for (const Access& access : log_.accesses(attempt)) look(attempt, access, number++);
    }
  };
  each_access([this](Attempt attempt, const Access& access, std::uint32_t number) {
    accesses_.push_back(&access);
    look_at(attempt, access, number);
  });
  each_access([this](Attempt attempt, const Access& access, std::uint32_t number) {
    if (!access.wrote) read_edges(attempt, access, number);
  });
  time_edges();
  find_last();
  find_cycle();
}

void Serializability::index_writes() {
  first_write_.push_back(0);
  for (Attempt attempt = 1; attempt <= log_.attempts(); ++attempt) {
    first_write_.push_back(writes_.size());
    for (const Access& access : log_.accesses(attempt)) {
      if (access.wrote) writes_.push_back(&access);
    }
  }
  first_write_.push_back(writes_.size());
  next_.assign(writes_.size(), 0);
}

const Serializability::Access* Serializability::write_of(std::uint64_t version) const {
  const Attempt writer = TransactionLog::writer(version);
  if (!log_.knows(writer)) return nullptr;
  const std::size_t place = first_write_[writer] + TransactionLog::number_of_write(version);
  return place < first_write_[writer + 1] ? writes_[place] : nullptr;
}

bool Serializability::is_intermediate(const Access& write) const {
  const Attempt writer = TransactionLog::writer(write.version);
  for (std::size_t i = first_write_[writer] + TransactionLog::number_of_write(write.version) + 1;
       i < first_write_[writer + 1]; ++i) {
    if (writes_[i]->row == write.row) return true;
  }
  return false;
}

std::uint32_t& Serializability::next_of(const Access& access) {
  const std::uint64_t version = access.wrote ? access.before : access.version;
  if (version == 0) return next_of_first_[access.row.packed()];
  return next_[first_write_[TransactionLog::writer(version)] + TransactionLog::number_of_write(version)];
}

std::string Serializability::name_of(Row row) const {
  return fmt::format("{} {:#x}", tables_[row.table].name, row.key);
}

// What it has read must be there to be read, and what it has replaced must not be replaced already.
void Serializability::look_at(Attempt attempt, const Access& access, std::uint32_t number) {
  const std::uint64_t version = access.wrote ? access.before : access.version;
  const Attempt writer = TransactionLog::writer(version);
  if (version != 0) {
    const Access* write = write_of(version);
    if (write == nullptr || write->row != access.row) {
      wrong_.push_back(fmt::format("{} found a version of {} that nobody has written there", log_.name(attempt),
                                   name_of(access.row)));
      return;
    }
    if (writer == attempt) return;
    if (log_.entry(writer).outcome != Outcome::committed) {
      if (!access.wrote) {
        wrong_.push_back(fmt::format("{} has read {} as {} had written it, which has not committed", log_.name(attempt),
                                     name_of(access.row), log_.name(writer)));
      }
      return;
    }
    if (is_intermediate(*write)) {
      if (!access.wrote) {
        wrong_.push_back(fmt::format("{} has read {} as {} had written it, which then wrote it again",
                                     log_.name(attempt), name_of(access.row), log_.name(writer)));
      }
      return;
    }
    if (!access.wrote && write->contents != access.contents) {
      wrong_.push_back(fmt::format("{} has read of {} other bytes than {} had written", log_.name(attempt),
                                   name_of(access.row), log_.name(writer)));
    }
    add_edge(writer, attempt, number, access.wrote ? Why::replaced : Why::read);
  }
  if (!access.wrote) return;
  std::uint32_t& next = next_of(access);
  if (next != 0 && next != attempt) {
    wrong_.push_back(fmt::format("{} and {} have both replaced the same version of {}: an update is lost",
                                 log_.name(next), log_.name(attempt), name_of(access.row)));
    return;
  }
  next = static_cast<std::uint32_t>(attempt);
}

void Serializability::read_edges(Attempt attempt, const Access& access, std::uint32_t number) {
  if (access.version != 0) {
    const Access* write = write_of(access.version);
    if (write == nullptr || write->row != access.row) return;
  }
  const std::uint32_t next = next_of(access);
  if (next != 0 && next != attempt) add_edge(attempt, next, number, Why::replaced_read);
}

// Instants: one for each end, in their order. A transaction leads to that of its own end, and the last one before its
// beginning leads to it.
void Serializability::time_edges() {
  const auto nodes = static_cast<std::uint32_t>(nodes_.size());
  graph_nodes_ = 2 * nodes;
  std::vector<std::uint32_t> by_end(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) by_end[i] = i;
  const auto ended = [this](std::uint32_t node) { return log_.entry(nodes_[node]).ended; };
  std::stable_sort(by_end.begin(), by_end.end(), [&](std::uint32_t a, std::uint32_t b) { return ended(a) < ended(b); });
  for (std::uint32_t i = 0; i < nodes; ++i) {
    edges_.push_back({by_end[i], nodes + i, 0, Why::time});
    if (i > 0) edges_.push_back({nodes + i - 1, nodes + i, 0, Why::time});
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const sim::Time began = log_.entry(nodes_[node]).began;
    const auto after = std::lower_bound(by_end.begin(), by_end.end(), began,
                                        [&](std::uint32_t one, sim::Time at) { return ended(one) < at; });
    if (after == by_end.begin()) continue;
    edges_.push_back({nodes + static_cast<std::uint32_t>(after - by_end.begin()) - 1, node, 0, Why::earlier});
  }
}

void Serializability::find_last() {
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    const Access& write = *writes_[i];
    const Attempt writer = TransactionLog::writer(write.version);
    if (node_of_[writer] == kNone || next_[i] != 0 || is_intermediate(write)) continue;
    last_.emplace(write.row.packed(), Last{write.version, write.contents});
  }
}

void Serializability::find_cycle() {
  std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; });
  begin_of_.assign(graph_nodes_ + 1, 0);
  for (const Edge& edge : edges_) ++begin_of_[edge.from + 1];
  for (std::uint32_t node = 0; node < graph_nodes_; ++node) begin_of_[node + 1] += begin_of_[node];
  const auto cycle = shortest_cycle(components());
  if (!cycle.empty()) tell_cycle(cycle);
}

// One edge for each step from a transaction to the next: those between instants are passed over.
void Serializability::tell_cycle(const std::vector<std::uint32_t>& cycle) {
  std::vector<std::string> steps;
  const auto nodes = static_cast<std::uint32_t>(nodes_.size());
  std::string first;
  std::string before;
  for (const std::uint32_t number : cycle) {
    const Edge& edge = edges_[number];
    if (edge.from < nodes) before = log_.name(nodes_[edge.from]);
    if (first.empty()) first = before;
    if (edge.to >= nodes) continue;
    const std::string after = log_.name(nodes_[edge.to]);
    const std::string row = edge.why == Why::earlier ? "" : name_of(accesses_[edge.access]->row);
    switch (edge.why) {
      case Why::replaced:
        steps.push_back(fmt::format("{} has replaced {} of {}", after, row, before));
        break;
      case Why::read:
        steps.push_back(fmt::format("{} has read {} of {}", after, row, before));
        break;
      case Why::replaced_read:
        steps.push_back(fmt::format("{} has replaced {}, which {} has read", after, row, before));
        break;
      default:
        steps.push_back(fmt::format("{} began after {} had ended", after, before));
        break;
    }
  }
  std::string text = fmt::format("no serial order, in a cycle of {}:", steps.size());
  for (const std::string& step : steps) text += fmt::format(" {};", step);
  text.pop_back();
  wrong_.push_back(std::move(text));
}

}  // namespace racksim::app
