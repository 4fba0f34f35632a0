// PHV containers for fields: neighbours of a header share containers until they fill whole bytes, other fields have
// their own, and header fields that no stage touches go to the tagalong containers first.
#include <fmt/core.h>

#include <set>

#include "p4model/fit/dependency_graph.hpp"
#include "p4model/fit/placement.hpp"

namespace racksim::p4 {

namespace {

/// Fields that lie side by side in one or more containers.
struct Group {
  std::string name;
  unsigned bits = 0;
  bool touched = false;
};

class Allocator {
 public:
  Allocator(const SwitchResources& r, const Program& program)
      : program_(program),
        normal_{r.phv_8, r.phv_16, r.phv_32},
        tagalong_{r.tagalong_8, r.tagalong_16, r.tagalong_32},
        normal_total_(normal_),
        tagalong_total_(tagalong_) {}

  void take(const Group& group) {
    if (!group.touched) {
      auto left = tagalong_;
      if (fill(left, group.bits)) {
        tagalong_ = left;
        return;
      }
    }
    if (!fill(normal_, group.bits)) {
      throw DoesNotFit(
          fmt::format("program '{}' does not fit: the PHV runs out of containers at field '{}': {} bits "
                      "needed, {} x 8, {} x 16 and {} x 32 bits available",
                      program_.name(), group.name, group.bits, normal_[0], normal_[1], normal_[2]));
    }
  }

  PhvUsage usage() const {
    PhvUsage usage;
    for (std::size_t i = 0; i < 3; ++i) {
      usage.normal[i] = normal_total_[i] - normal_[i];
      usage.tagalong[i] = tagalong_total_[i] - tagalong_[i];
    }
    return usage;
  }

 private:
  using Free = std::array<std::uint64_t, 3>;

  /// Takes containers for `bits`: the size that fits best, else larger, else smaller ones.
  static bool fill(Free& free, unsigned bits) {
    auto left = free;
    while (bits > 0) {
      const std::size_t best = bits > 16 ? 2 : bits > 8 ? 1 : 0;
      std::size_t size = best;
      while (size < 3 && left[size] == 0) ++size;
      if (size == 3) {
        size = best;
        while (size > 0 && left[size] == 0) --size;
        if (left[size] == 0) return false;
      }
      --left[size];
      bits -= std::min(bits, 8u << size);
    }
    free = left;
    return true;
  }

  const Program& program_;
  Free normal_, tagalong_, normal_total_, tagalong_total_;
};

}  // namespace

PhvUsage allocate_phv(const SwitchResources& resources, const Program& program, const DependencyGraph& graph) {
  Allocator allocator(resources, program);
  for (const auto gress : {Gress::ingress, Gress::egress}) {
    std::set<std::uint16_t> touched;
    for (std::size_t v = 0; v < boost::num_vertices(graph); ++v) {
      if (graph[v].gress != gress) continue;
      for (const auto* list : {&graph[v].match_reads, &graph[v].action_reads, &graph[v].writes}) {
        for (const auto field : *list) touched.insert(field.id);
      }
    }
    if (gress == Gress::ingress) {
      for (const auto& digest : program.digests()) {
        for (const auto field : digest.fields) touched.insert(field.id);
      }
    }
    std::set<int> carried;
    for (const auto& state : program.parser(gress).states) carried.insert(state.header);
    for (const auto id : touched) {
      if (program.fields()[id].header >= 0) carried.insert(program.fields()[id].header);
    }
    for (const auto h : carried) {
      Group group;
      for (const auto member : program.headers()[static_cast<std::size_t>(h)].members) {
        const auto& info = program.info(member);
        if (group.bits == 0) group.name = info.name;
        group.bits += info.bits;
        group.touched = group.touched || touched.contains(member.id);
        if (group.bits % 8 == 0) {
          allocator.take(group);
          group = {};
        }
      }
    }
    if (!carried.empty())
      allocator.take({.name = "header validity", .bits = static_cast<unsigned>(carried.size()), .touched = true});
    for (const auto& unit : program.checksums()) {
      const bool deposits = unit.gress == gress && unit.operation == ChecksumUnit::Operation::residual;
      if (!deposits || touched.contains(unit.result.id)) continue;
      allocator.take({.name = program.info(unit.result).name, .bits = 16, .touched = false});
    }
    for (const auto id : touched) {
      const auto& info = program.fields()[id];
      if (info.header < 0) allocator.take({.name = info.name, .bits = info.bits, .touched = true});
    }
  }
  return allocator.usage();
}

}  // namespace racksim::p4
