// TPC-C (Transaction Processing Performance Council, standard 5.11) as a schema: nine tables and three indexes, five
// transactions, and what must be true of all rows at the end (conditions.hpp). Think and keying times are left out, as in
// the papers.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/applications/tpcc/contents.hpp"
#include "models/applications/tpcc/inputs.hpp"
#include "models/applications/tpcc/mix.hpp"
#include "models/applications/tpcc/scale.hpp"
#include "models/applications/transactions/schema.hpp"

namespace racksim::app::tpcc {

class Tpcc final : public Schema {
 public:
  enum class Of : std::uint8_t { line, transaction };
  enum class Home : std::uint8_t { own, node, any };
  enum class Deliveries : std::uint8_t { one, ten };

  std::uint64_t warehouses = 32, divide = 1, room = 1000;
  Mix mix = Mix::standard;
  std::optional<double> distribution;
  Of distribution_of = Of::line;
  Home home = Home::own;
  double rollback = 0.01, by_name = 0.6;
  Deliveries deliveries = Deliveries::one;
  double read_ratio = 0, temporal_locality = 0;

  void declare(sim::Parameters& p) override;
  void check() const override;
  void check_terminals(unsigned nodes, unsigned threads) const override;
  std::vector<RowTable> tables() const override;
  std::uint64_t parts() const override { return warehouses; }
  std::uint64_t most_rows() const override;
  bool first(Row row, Bytes bytes) const override { return contents().first(row, bytes); }
  sim::Task<End> run(Transaction& transaction, Terminal terminal, sim::RandomStream& random) override;
  void ended(Terminal terminal, End end) override;
  void judge(const Rows& rows, Judge& judge) const override;

  Scale scale() const { return Scale::of(warehouses, divide, room); }
  const Contents& contents() const;
  /// The warehouse of a terminal's next transaction.
  std::uint64_t draw_home(Terminal terminal, sim::RandomStream& random) const;

 private:
  /// What the next transaction of a terminal depends on.
  struct State {
    std::int64_t ended = 0;
    std::vector<Ware> wares;            // of its last NewOrder
    std::optional<NewOrderInput> asks;  // the NewOrder under way
    /// A Delivery that is ten transactions, and which district's is next.
    std::optional<DeliveryInput> delivery;
    std::uint64_t district = 0;
  };
  struct Built {
    std::uint64_t warehouses, divide, room;
    Scale scale;
    Contents contents;
  };

  State& state_of(Terminal terminal);
  const Built& built() const;

  mutable std::optional<Built> built_;
  std::deque<State> states_;  // by terminal
};

}  // namespace racksim::app::tpcc
