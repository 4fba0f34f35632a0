// The bytes that values stand for, where an application writes real ones.
//
// What nobody has stored over is computed (`begin_with`), so that a table of gigabytes costs nothing. What is stored lies
// in pieces of 64 bytes, or of an object if that is shorter: a version of an object has of its own the pieces that were
// changed for it, and shares all others with the versions before it. All versions are kept to the end of the run, since
// old copies may be read for as long.
//
// A value that an atomic operation has made carries no bytes: it stands for its own number, little-endian, and zeros
// after it, which is what counters need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sim/record/flat_map.hpp"
#include "sim/record/ids.hpp"

namespace racksim::models {

/// Memory: about 50 bytes for each value, and 24 and the piece's for each piece that it has changed.
class ValueContents {
 public:
  /// Fills in what an object holds from an offset on before anybody has stored there.
  using First = std::function<void(sim::Key object, std::size_t offset, std::span<std::byte> into)>;

  explicit ValueContents(std::uint64_t object_bytes);

  /// Before the first write. Without it everything is 0 at first.
  void begin_with(First first) { first_ = std::move(first); }

  /// The object has `value` from now on: what it held, with `bytes` written over it from `offset` on. Without bytes it
  /// holds what it held.
  void write(sim::Key object, sim::Value value, std::size_t offset, std::span<const std::byte> bytes);
  /// The same of a value that stands for its number.
  void count(sim::Key object, sim::Value value);
  /// A crash has undone the write of this value. `instead` is what the object has, if that is known; else it has the
  /// newest value before it that is not lost.
  void lose(sim::Key object, sim::Value value, sim::Value instead);

  /// Copies what `value` holds from `offset` on.
  void copy(sim::Key object, sim::Value value, std::size_t offset, std::span<std::byte> into) const;
  /// What the object has now.
  sim::Value current(sim::Key object) const;

 private:
  /// Numbers of an object's versions begin with 1; 0 is what it held at first.
  struct Version {
    std::uint32_t number = 0;
    bool counts = false;  // it stands for its number
    bool lost = false;
    std::uint64_t before = 0;  // the value that it was written over
  };
  struct Object {
    std::uint64_t value = 0;   // that it has now
    std::uint32_t newest = 0;  // the number of its last version
  };
  /// A piece's bytes in the versions from this one on.
  struct Change {
    std::uint32_t version = 0;
    std::uint32_t slot = 0;
  };

  std::uint64_t piece_of(sim::Key object, std::size_t offset) const {
    return object.number() * pieces_of_object_ + offset / piece_bytes_;
  }
  /// Gives a piece of an object a slot of its own in a version: what it held before, with `bytes` over it.
  void change(sim::Key object, std::size_t piece, std::uint32_t version, sim::Value before, std::size_t offset,
              std::span<const std::byte> bytes);
  const Change* find(std::uint64_t piece, std::uint32_t version) const;

  std::size_t object_bytes_, piece_bytes_, pieces_of_object_;
  First first_;
  sim::FlatMap<Version> versions_;  // by value
  sim::FlatMap<Object> objects_;
  sim::FlatMap<std::uint32_t> pieces_;  // by piece: which of changes_
  std::deque<std::vector<Change>> changes_;
  std::deque<std::byte> bytes_;  // of the slots
};

}  // namespace racksim::models
