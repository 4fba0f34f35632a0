// All linearizations of one register's history, while the history grows: exact, and small enough to be part of a state
// of an exhaustive exploration.
//
// A history is linearizable if some order explains it, so all orders are kept, each as what the future depends on: the
// register's value, and of the operations that are pending which writes have taken effect and which values each read
// may have seen. Operations take effect as late as can be, when one returns that needs it (Lowe, "Testing for
// Linearizability", Concurrency and Computation 29(4), 2017, calls it just in time), so that few orders differ. Values
// need not be unique.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace racksim::sim::checkers {

class RegisterLinearizations {
 public:
  static constexpr std::size_t kSessions = 8;
  static constexpr std::uint8_t kValues = 32;

  /// The register holds `initial` at first. Values are below kValues, sessions below kSessions; each has one operation
  /// at a time.
  explicit RegisterLinearizations(std::uint8_t initial = 0);

  void begin_read(std::size_t session);
  void begin_write(std::size_t session, std::uint8_t value);
  /// The session's operation returns. False, for good, if no order explains the history any more.
  bool end_read(std::size_t session, std::uint8_t value);
  bool end_write(std::size_t session);

  /// Appends bytes from which `decode` makes the same again; those of equal sets are equal.
  void encode(std::string& bytes) const;
  /// Takes its bytes off the front.
  static RegisterLinearizations decode(std::string_view& bytes);

 private:
  static constexpr std::uint8_t kIdle = 0xff, kReads = 0xfe;

  /// One order, up to now.
  struct Order {
    std::uint8_t value = 0;
    std::uint8_t taken = 0;                       ///< sessions whose pending write has taken effect
    std::array<std::uint32_t, kSessions> seen{};  ///< values that the register had since a pending read began

    auto operator<=>(const Order&) const = default;
  };

  bool is_pending_write(std::size_t session) const { return pending_[session] < kValues; }
  void take(Order& order, std::size_t session) const;
  /// Adds the orders in which pending writes take effect one after the other, the last of them `last`.
  void extend(const Order& order, std::size_t last, std::vector<Order>& results) const;
  void end(std::size_t session);

  std::array<std::uint8_t, kSessions> pending_;  // the value of a write, or one of the above
  std::vector<Order> orders_;                    // sorted
};

}  // namespace racksim::sim::checkers
