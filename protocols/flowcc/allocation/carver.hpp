// What one thread has of the memory of one home: chunks, of which it carves pieces without asking anybody (Concordia
// §6, "Global memory allocation": "to reduce remote access"), and what was given back to it.
//
// Whole blocks are taken by first fit and become one again with their neighbours; pieces of less than a block are on a
// list for each size. A block that has been cut into such pieces stays so, and no chunk goes back to its home: the
// paper has neither.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/host/global_address.hpp"
#include "models/service/free_extents.hpp"
#include "protocols/flowcc/allocation/size_classes.hpp"

namespace racksim::flowcc {

class Carver {
 public:
  explicit Carver(const SizeClasses& classes) : classes_(classes) {}

  /// A chunk, or several in a row, has come from the home agent.
  void add(models::GlobalAddress first, std::uint64_t bytes) { models::give_back(blocks_, first.value, bytes); }
  /// A piece of this size, which is one of the classes'; nothing if there is no room.
  std::optional<models::GlobalAddress> take(std::uint64_t piece);
  /// Somebody does not need a piece any more.
  void give_back(models::GlobalAddress first, std::uint64_t piece);
  /// Calls `visit(GlobalAddress first, std::uint64_t bytes)` for each of its free extents and pieces.
  template <class Visit>
  void visit_free(Visit&& visit) const {
    for (const auto& [first, bytes] : blocks_) visit(models::GlobalAddress{first}, bytes);
    for (const auto& [piece, list] : small_) {
      for (const models::GlobalAddress first : list) visit(first, piece);
    }
  }
  /// Of what it has, what is in no piece that is in use; what is left of a block behind its last piece does not count.
  std::uint64_t free_bytes() const;

 private:
  SizeClasses classes_;
  models::FreeExtents blocks_;  // whole ones
  std::map<std::uint64_t, std::vector<models::GlobalAddress>>
      small_;  // by size: what was given back last is at the end
};

}  // namespace racksim::flowcc
