// The memory of a program's register arrays, each held in its natural width. Arrays of as many entries are indexed alike,
// as tags and states of a cache are: what belongs to one index lies side by side, so that a pass touches few cache lines.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "p4model/execute/code.hpp"
#include "p4model/language/packet.hpp"
#include "p4model/language/register_array.hpp"

namespace racksim::p4 {

/// Objects of a program's state that are no register arrays, as records of writes number them.
inline constexpr std::uint32_t kTableObjects = std::uint32_t{1} << 31, kValueSetObjects = std::uint32_t{5} << 29,
                               kMeterObjects = std::uint32_t{3} << 30, kCounterObjects = std::uint32_t{7} << 29;

/// A register, meter or counter whose value a pass has changed. A pair's value is `hi` above `lo`; of a meter it is
/// what is left in its buckets, the committed one above, and of a counter its bytes, or packets if it counts no bytes.
struct StateWrite {
  std::uint32_t array;  ///< or kMeterObjects, kCounterObjects and the number
  std::uint32_t index;
  std::uint64_t value;
  std::int32_t stage;
  std::uint64_t packet_serial;
};

struct StateWriteObserver {
  virtual void register_written(const StateWrite& write) = 0;
  /// The control plane has written an entry of an array.
  virtual void register_set(std::uint32_t array, std::uint64_t index) {
    static_cast<void>(array), static_cast<void>(index);
  }
  /// The control plane has changed the entries of some table.
  virtual void tables_changed() {}

 protected:
  ~StateWriteObserver() = default;
};

class RegisterFile {
 public:
  RegisterFile(std::string program, const std::deque<RegisterArray>& arrays);
  RegisterFile(const RegisterFile& other);
  RegisterFile(RegisterFile&&) = default;
  RegisterFile& operator=(const RegisterFile& other) { return *this = RegisterFile(other); }
  RegisterFile& operator=(RegisterFile&&) = default;
  ~RegisterFile() = default;

  /// The number of an array. Throws std::runtime_error for an unknown name.
  std::uint32_t array(std::string_view name) const;
  std::uint64_t size(std::uint32_t array) const { return arrays_.at(array).size; }
  /// Control-plane access; observers are told of a write without its value. Throws std::runtime_error outside the array
  /// or its width.
  std::uint64_t read(std::uint32_t array, std::uint64_t index) const;
  void write(std::uint32_t array, std::uint64_t index, std::uint64_t value);
  /// The first entry from `index` on that is not 0, or the array's size.
  std::uint64_t next_used(std::uint32_t array, std::uint64_t index) const;

  /// Has an observer told of writes, after those that were added before it. It must outlive this and its copies, or be
  /// removed from them.
  void add_observer(StateWriteObserver& observer) { observers_.push_back(&observer); }
  void remove_observer(const StateWriteObserver& observer) { std::erase(observers_, &observer); }
  /// For a copy that is nobody's memory: nobody is told of its writes.
  void remove_observers() { observers_.clear(); }

  /// One register execution of a pass on an entry of the array of `code`: its output word. Throws std::runtime_error for
  /// an index outside the array, since hardware's behaviour is undefined there. `word_0` and `word_1` are the PHV words of
  /// its inputs.
  std::uint64_t execute(const ArrayCode& code, std::uint64_t index, std::uint64_t word_0, std::uint64_t word_1,
                        const Packet& packet) {
    switch (arrays_[code.array].layout) {
      case Layout::single_8:
        return execute<std::uint8_t, false>(code.alu, code.array, code, index, word_0, word_1, packet);
      case Layout::single_16:
        return execute<std::uint16_t, false>(code.alu, code.array, code, index, word_0, word_1, packet);
      case Layout::single_32:
        return execute<std::uint32_t, false>(code.alu, code.array, code, index, word_0, word_1, packet);
      case Layout::pair_8:
        return execute<std::uint8_t, true>(code.alu, code.array, code, index, word_0, word_1, packet);
      case Layout::pair_16:
        return execute<std::uint16_t, true>(code.alu, code.array, code, index, word_0, word_1, packet);
      case Layout::pair_32:
        return execute<std::uint32_t, true>(code.alu, code.array, code, index, word_0, word_1, packet);
    }
    return 0;
  }

  /// The same where the width of a half and whether there are two are known, and perhaps `alu` and `number`, which are
  /// those of `code`.
  template <class T, bool pair>
  [[gnu::always_inline]] std::uint64_t execute(const AluCode& alu, std::uint32_t number, const ArrayCode& code,
                                               std::uint64_t index, std::uint64_t word_0, std::uint64_t word_1,
                                               const Packet& packet) {
    auto& array = arrays_[number];
    if (index >= array.size) [[unlikely]]
      throw_outside(number, index);
    constexpr std::size_t kBytes = sizeof(T) * (pair ? 2 : 1);
    auto* entry = array.first + index * array.stride;
    T half[2] = {0, 0};
    std::memcpy(half, entry, kBytes);
    const AluInputs in{half[0], half[1], word_0, word_1};
    if (alu.probe) return run_probe(alu, in);
    const auto result = run_alu(alu, in);
    const T written[2] = {static_cast<T>(result.lo), static_cast<T>(result.hi)};
    if (written[0] != half[0] || written[1] != half[1]) {
      std::memcpy(entry, written, kBytes);
      if (!observers_.empty()) notify(code, index, static_cast<std::uint64_t>(written[0]), written[1], packet);
    }
    return result.output;
  }

  /// A tag probe (AluCode::tag_probe): whether an entry of an array of pairs of 32 bits is (lo, hi). As `execute` else.
  bool is_pair(std::uint32_t array, std::uint64_t index, std::uint64_t lo, std::uint64_t hi) const {
    const auto& a = arrays_[array];
    if (index >= a.size) throw_outside(array, index);
    std::uint32_t half[2];
    std::memcpy(half, a.first + index * a.stride, sizeof half);
    // Without a branch between the two, since what is found is not to be foreseen.
    return ((half[0] ^ static_cast<std::uint32_t>(lo)) | (half[1] ^ static_cast<std::uint32_t>(hi))) == 0;
  }

  /// Has the processor fetch an entry that a pass is about to use; an index outside the array does nothing.
  void prefetch(std::uint32_t array, std::uint64_t index) const {
    const auto& a = arrays_[array];
    if (index < a.size) __builtin_prefetch(a.first + index * a.stride);
  }

 private:
  enum class Layout : std::uint8_t { single_8, single_16, single_32, pair_8, pair_16, pair_32 };
  struct Array {
    std::string name;
    Layout layout;
    unsigned bits;  ///< of a half
    unsigned total_bits;
    std::uint64_t size;
    std::size_t entry_bytes, stride;  ///< stride: from an entry to the next
    std::byte* first;                 ///< entry, in memory_
  };

  void notify(const ArrayCode& code, std::uint64_t index, std::uint64_t lo, std::uint64_t hi,
              const Packet& packet) const;
  void lay_out();
  [[noreturn]] void throw_outside(std::uint32_t array, std::uint64_t index) const;

  std::string program_;
  std::vector<Array> arrays_;
  std::vector<std::byte> memory_;
  std::vector<StateWriteObserver*> observers_;
};

}  // namespace racksim::p4
