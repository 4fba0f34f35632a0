// Whether the transactions of a run are serializable in an order that keeps real time, judged from their record
// (transaction_log.hpp): Adya's thesis (Weak Consistency, MIT 1999) has the anomalies, §2.3 of the text on applications the
// way to judge.
//
// A write names the version that it replaces, so each row's versions have an order that nobody has to be believed about.
// From it and from the reads follow edges "comes before" between transactions that have committed; those that ended before
// another began come before it too, by way of a chain of instants, so that there are O(n) such edges. A cycle has no
// serial order. Time and memory are linear in what was recorded, but for naming the shortest cycle where there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/applications/transactions/row.hpp"
#include "models/applications/transactions/transaction_log.hpp"

namespace racksim::app {

class Serializability {
 public:
  /// Judges all that have ended.
  Serializability(const TransactionLog& log, const std::vector<RowTable>& tables);

  /// What is wrong, in the order of the record; the shortest cycle last.
  const std::vector<std::string>& wrong() const { return wrong_; }
  std::uint64_t committed() const { return nodes_.size(); }

  /// What memory must hold of a row that a committed transaction has written: its last version and what it stood for.
  /// Several where two have replaced the same one.
  struct Last {
    std::uint64_t version = 0, contents = 0;
  };
  /// By Row::packed; rows that none has written have none.
  const std::unordered_multimap<std::uint64_t, Last>& last() const { return last_; }

 private:
  using Attempt = TransactionLog::Attempt;
  using Access = TransactionLog::Access;
  enum class Why : std::uint8_t { replaced, read, replaced_read, earlier, time };
  struct Edge {
    std::uint32_t from = 0, to = 0;
    std::uint32_t access = 0;  // in accesses_: whose row it is about
    Why why = Why::time;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void index_writes();
  void look_at(Attempt attempt, const Access& access, std::uint32_t number);
  void read_edges(Attempt attempt, const Access& access, std::uint32_t number);
  void time_edges();
  void find_last();
  void find_cycle();
  std::vector<std::uint32_t> components() const;
  /// The edges of a shortest cycle in what lies in one component with another.
  std::vector<std::uint32_t> shortest_cycle(const std::vector<std::uint32_t>& component) const;
  void tell_cycle(const std::vector<std::uint32_t>& cycle);

  /// The write that made this version; null if none has.
  const Access* write_of(std::uint64_t version) const;
  /// Whether its writer has written the row once more.
  bool is_intermediate(const Access& write) const;
  std::uint32_t& next_of(const Access& access);
  std::string name_of(Row row) const;
  void add_edge(Attempt from, Attempt to, std::uint32_t access, Why why) {
    edges_.push_back({node_of_[from], node_of_[to], access, why});
  }

  const TransactionLog& log_;
  const std::vector<RowTable>& tables_;
  std::vector<std::string> wrong_;
  std::vector<Attempt> nodes_;            // of the graph: those that have committed
  std::vector<std::uint32_t> node_of_;    // by attempt; kNone: it has not
  std::uint32_t graph_nodes_ = 0;         // with the instants
  std::vector<const Access*> writes_;     // of all attempts, in the order of their numbers
  std::vector<std::size_t> first_write_;  // by attempt
  std::vector<std::uint32_t> next_;       // by write: the attempt that has replaced it; 0: none
  std::unordered_map<std::uint64_t, std::uint32_t> next_of_first_;  // the same of what was there at first, by row
  std::vector<const Access*> accesses_;                             // that edges are about
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> begin_of_;  // by node: in edges_, sorted
  std::unordered_multimap<std::uint64_t, Last> last_;
};

}  // namespace racksim::app
