// An application of one's own: seats that threads book for themselves, each in the name of its thread.
#include <cstdint>

#include "models/applications/application.hpp"

namespace racksim::seats {

namespace {

struct Seats final : app::Application {
  std::uint64_t seats = 300, threads = 64;

  void declare(sim::Parameters& p) override { p.integer("seats", seats, 1, 1'000'000, "seats that may be booked"); }
  app::Needs needs() const override { return {.regions = {{"seat", seats, 16}, {"thread", threads, 16}}, .locks = 2}; }

  sim::Task<app::End> operation(app::Client& c) override {
    const app::Slot seat = c.draw("seat"), mine = c.slot("thread", (c.node() * 8 + c.thread()) % threads);
    app::Locks held = co_await c.try_lock(seat, mine);
    if (!held) co_return app::End::aborted;
    const auto booked = co_await c.load<std::uint64_t>(seat);
    if (booked == 0) {
      const auto had = co_await c.load<std::uint64_t>(mine);
      co_await c.store<std::uint64_t>(seat, 1 + mine.index);
      co_await c.store<std::uint64_t>(mine, had + 1);
    }
    co_await held.release();
    co_return booked == 0 ? app::End::committed : app::End::rolled_back;
  }

  // Whoever thinks that it has booked a seat has it.
  void judge(const app::Image& image, app::Judge& judge) const override {
    std::uint64_t booked = 0;
    for (std::uint64_t i = 0; i < seats; ++i) booked += image.get<std::uint64_t>(image.slot("seat", i)) != 0 ? 1 : 0;
    judge.equal("seats that threads have", image.sum<std::uint64_t>("thread"), booked);
  }
};

const app::Registration<Seats> registration("seats", "seats that threads book, each once");

}  // namespace

}  // namespace racksim::seats
