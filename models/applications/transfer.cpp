// Money that threads move between accounts, each under the locks of both: the smallest application that a race ruins.
#include <cstdint>

#include "models/applications/application.hpp"

namespace racksim::app::transfer {

namespace {

constexpr std::int64_t kFirstBalance = 100;

struct Transfer final : Application {
  std::uint64_t accounts = 1000;

  void declare(sim::Parameters& p) override {
    p.integer("accounts", accounts, 2, 1'000'000'000, "accounts, of 64 bytes each").varied({2, 20, 1000});
  }
  Needs needs() const override { return {.regions = {{"account", accounts, 64}}, .locks = 2}; }
  void first(Slot, Bytes bytes) const override { bytes.put(0, kFirstBalance); }

  sim::Task<End> operation(Client& c) override {
    const Slot from = c.draw("account"), to = c.draw_other("account", from);
    Locks held = co_await c.try_lock(from, to);
    if (!held) co_return End::aborted;
    const auto a = co_await c.load<std::int64_t>(from), b = co_await c.load<std::int64_t>(to);
    co_await c.store(from, a - 1);
    co_await c.store(to, b + 1);
    co_await held.release();  // behind the writes, where they return early
    co_return End::committed;
  }

  void judge(const Image& image, Judge& judge) const override {
    judge.equal("money", image.sum<std::int64_t>("account"), kFirstBalance * static_cast<std::int64_t>(accounts));
  }
};

const Registration<Transfer> registration("transfer", "money that threads move between accounts, under two locks");

}  // namespace

}  // namespace racksim::app::transfer
