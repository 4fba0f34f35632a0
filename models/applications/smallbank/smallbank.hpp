// SmallBank (Alomari et al., "The Cost of Serializability on Platforms That Use Snapshot Isolation", ICDE 2008) as a
// schema: accounts of a checking and a savings balance, in cents, and six transactions. All change what they have read, so
// that an update that is lost makes or takes money.
//
// Money comes into the bank and leaves it by deposits and withdrawals. What each terminal has brought in all, less what it
// has taken, stands in a row of its own, its till, which the same transaction writes: so the sum of all balances is known
// from rows alone. A till lies in a part of its own where there are as many parts as terminals, so that nobody else has
// its line.
#pragma once

#include <cstdint>
#include <vector>

#include "models/applications/transactions/schema.hpp"

namespace racksim::app::smallbank {

enum TableNumber : std::uint32_t { kAccount, kSavings, kChecking, kTill };
enum class Kind : std::uint8_t { balance, deposit_checking, transact_savings, amalgamate, write_check, send_payment };

class SmallBank final : public Schema {
 public:
  std::uint64_t accounts = 100'000, hot_accounts = 100, parts_ = 32;
  double hot_share = 0.9;

  void declare(sim::Parameters& p) override;
  void check() const override;
  void check_terminals(unsigned nodes, unsigned threads) const override;
  std::vector<RowTable> tables() const override;
  std::uint64_t parts() const override { return parts_; }
  std::uint64_t most_rows() const override { return 7; }
  bool first(Row row, Bytes bytes) const override;
  sim::Task<End> run(Transaction& transaction, Terminal terminal, sim::RandomStream& random) override;
  void judge(const Rows& rows, Judge& judge) const override;

  /// An account, of which hot ones come as often as `hot_share` says. Their keys lie scattered.
  std::uint64_t draw_account(sim::RandomStream& random) const;
  Row till(Terminal terminal) const;

 private:
  std::uint64_t accounts_of_part() const { return (accounts + parts_ - 1) / parts_; }
};

}  // namespace racksim::app::smallbank
