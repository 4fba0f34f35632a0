// SmallBank's six transactions, each up to its commit.
#pragma once

#include <cstdint>

#include "models/applications/application.hpp"
#include "models/applications/transactions/transaction.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::app::smallbank {

// A savings or checking row: its account, and what is on it, in cents. A till: what was brought less what was taken.
inline constexpr std::size_t kMoneyBytes = 16, kAmountAt = 8;
inline constexpr std::size_t kAccountBytes = 72;  // its number, and its customer's name

/// Two accounts that differ, an amount of 0 or more, and the terminal's till.
struct Order {
  std::uint64_t from, to;
  std::int64_t amount;
  Row till;
};

/// The sum of an account's two balances. Changes nothing.
sim::Task<End> balance(Transaction& t, Order order);
/// Brings an amount onto a checking balance.
sim::Task<End> deposit_checking(Transaction& t, Order order);
/// Changes a savings balance by the amount, which may be below 0. Rolled back if too little is there.
sim::Task<End> transact_savings(Transaction& t, Order order);
/// Moves all that an account has onto another's checking balance.
sim::Task<End> amalgamate(Transaction& t, Order order);
/// Takes an amount from a checking balance, and a cent more if the account's two balances do not have as much.
sim::Task<End> write_check(Transaction& t, Order order);
/// Moves an amount from one checking balance to another. Rolled back if too little is there.
sim::Task<End> send_payment(Transaction& t, Order order);

}  // namespace racksim::app::smallbank
