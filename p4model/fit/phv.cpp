// PHV containers for fields: neighbours of a header share containers until they fill whole bytes, other fields have
// their own, and header fields that no stage touches go to the tagalong containers first.
//
// Fields of one gress may have a container one after the other. A metadata field lives from the stage that writes it first
// to the one that reads it last, if some write comes before each read on every way; else its first value, 0, counts, and it
// lives from the parser on. So do fields that the parser sets; what the deparser takes lives to the end. A header that no
// state of the parser extracts lives from the stage that first touches it.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

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

/// From the stage whose output has the field to the first whose output need not have it any more.
struct Lifetime {
  int from = 0, to = 0;
  bool meets(const Lifetime& other) const { return from < other.to && other.from < to; }
};

bool contains(const std::vector<FieldRef>& fields, FieldRef field) {
  return std::any_of(fields.begin(), fields.end(), [&](FieldRef f) { return f.id == field.id; });
}

bool writes(const Action& action, FieldRef field) {
  const auto is_it = [&](const std::optional<FieldRef>& f) { return f && f->id == field.id; };
  return std::any_of(action.primitives.begin(), action.primitives.end(),
                     [&](const Primitive& p) { return p.destination.id == field.id; }) ||
         std::any_of(action.executions.begin(), action.executions.end(),
                     [&](const RegisterExecution& e) { return is_it(e.output); }) ||
         std::any_of(action.meters.begin(), action.meters.end(),
                     [&](const MeterExecution& e) { return e.colour.id == field.id; });
}

/// Whether the node writes the field in every packet that comes to it.
bool always_writes(const ProgramNode& node, FieldRef field) {
  const Table* table = node.control->table;
  if (!table || !table->miss_action) return false;
  const auto actions = table->all_actions();
  return std::all_of(actions.begin(), actions.end(), [&](const Action* action) { return writes(*action, field); });
}

/// Whether every packet that comes to `later` has come by `earlier`.
bool lies_before(const ProgramNode& earlier, const ProgramNode& later) {
  return earlier.path.size() <= later.path.size() &&
         std::equal(earlier.path.begin(), earlier.path.end(), later.path.begin());
}

class Lifetimes {
 public:
  Lifetimes(const Program& program, const DependencyGraph& graph, const Places& places)
      : program_(program), graph_(graph), places_(places), end_(static_cast<int>(places.parts.size()) + 1) {
    for (const auto& unit : program.checksums()) {
      const bool updates = unit.operation == ChecksumUnit::Operation::update;
      if (!updates) by_hardware_.insert(unit.result.id);
      // The deparser takes them, or the parser gives them: they have no share in this.
      for (const auto field : unit.fields) by_hardware_.insert(field.id);
      if (unit.when) by_hardware_.insert(unit.when->id);
    }
    for (const auto& digest : program.digests()) {
      for (const auto field : digest.fields) by_hardware_.insert(field.id);
    }
  }

  /// Of a field that is no header's; nothing if it has its containers for itself.
  std::optional<Lifetime> of(std::uint16_t id, Gress gress) const {
    if (program_.fields()[id].kind != FieldKind::metadata || by_hardware_.contains(id)) return std::nullopt;
    const FieldRef field{id};
    Lifetime life{.from = end_, .to = 0};
    for (std::size_t v = 0; v < boost::num_vertices(graph_); ++v) {
      const auto& node = graph_[v];
      if (node.gress != gress) continue;
      if (contains(node.writes, field)) {
        life.from = std::min(life.from, places_.first[v]);
        life.to = std::max(life.to, places_.stage[v] + 1);
      }
      if (!contains(node.match_reads, field) && !contains(node.action_reads, field)) continue;
      life.to = std::max(life.to, places_.stage[v]);
      if (!written_before(v, field)) life.from = -1;
    }
    return life;
  }

  /// Of a header that stages add; nothing if the parser extracts it.
  std::optional<Lifetime> of_header(std::size_t header, Gress gress) const {
    const auto& states = program_.parser(gress).states;
    const auto& use = program_.headers()[header];
    const bool parsed = std::any_of(states.begin(), states.end(), [&](const ParserState& state) {
      return static_cast<std::size_t>(state.header) == header;
    });
    const bool special = std::any_of(use.members.begin(), use.members.end(),
                                     [&](FieldRef member) { return by_hardware_.contains(member.id); });
    if (parsed || special) return std::nullopt;
    Lifetime life{.from = end_, .to = end_};
    for (std::size_t v = 0; v < boost::num_vertices(graph_); ++v) {
      const auto& node = graph_[v];
      if (node.gress != gress) continue;
      const auto touches = [&](FieldRef field) {
        return contains(node.writes, field) || contains(node.match_reads, field) || contains(node.action_reads, field);
      };
      if (touches(use.validity) || std::any_of(use.members.begin(), use.members.end(), touches)) {
        life.from = std::min(life.from, places_.first[v]);
      }
      const auto reads = [&](FieldRef field) {
        return contains(node.match_reads, field) || contains(node.action_reads, field);
      };
      // Whoever reads it where it may be absent sees 0.
      if (std::any_of(use.members.begin(), use.members.end(), reads)) life.from = -1;
    }
    return life;
  }

 private:
  bool written_before(std::size_t reader, FieldRef field) const {
    for (std::size_t v = 0; v < reader; ++v) {
      if (graph_[v].gress == graph_[reader].gress && contains(graph_[v].writes, field) &&
          always_writes(graph_[v], field) && lies_before(graph_[v], graph_[reader])) {
        return true;
      }
    }
    return false;
  }

  const Program& program_;
  const DependencyGraph& graph_;
  const Places& places_;
  const int end_;
  std::set<std::uint16_t> by_hardware_;
};

class Allocator {
 public:
  Allocator(const SwitchResources& r, const Program& program)
      : program_(program),
        normal_{r.phv_8, r.phv_16, r.phv_32},
        tagalong_{r.tagalong_8, r.tagalong_16, r.tagalong_32},
        normal_total_(normal_),
        tagalong_total_(tagalong_) {}

  /// Containers that a field or header with this lifetime may share, in one gress.
  void take(const Group& group, const std::optional<Lifetime>& life, Gress gress) {
    if (!life) return take(group);
    auto& shared = shared_[static_cast<std::size_t>(gress)];
    for (unsigned bits = group.bits; bits > 0;) {
      const std::size_t size = best_size(bits);
      const auto free = std::find_if(shared.begin(), shared.end(), [&](const Shared& container) {
        return container.size == size && std::none_of(container.lives.begin(), container.lives.end(),
                                                      [&](const Lifetime& other) { return life->meets(other); });
      });
      const unsigned piece = std::min(bits, 8U << size);
      if (free != shared.end()) {
        free->lives.push_back(*life);
      } else {
        const auto before = normal_;
        take({.name = group.name, .bits = piece, .touched = true});
        if (before[size] - 1 == normal_[size]) shared.push_back({size, {*life}});
      }
      bits -= piece;
    }
  }

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
                      "needed, {} x 8, {} x 16 and {} x 32 bits available; narrower fields, or ones that are read soon "
                      "after each is written, would help",
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

  static std::size_t best_size(unsigned bits) { return bits > 16 ? 2 : bits > 8 ? 1 : 0; }

  /// Takes containers for `bits`: the size that fits best, else larger, else smaller ones.
  static bool fill(Free& free, unsigned bits) {
    auto left = free;
    while (bits > 0) {
      const std::size_t best = best_size(bits);
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

  struct Shared {
    std::size_t size;
    std::vector<Lifetime> lives;
  };

  const Program& program_;
  std::array<std::vector<Shared>, 2> shared_;
  Free normal_, tagalong_, normal_total_, tagalong_total_;
};

}  // namespace

PhvUsage allocate_phv(const SwitchResources& resources, const Program& program, const DependencyGraph& graph,
                      const Places& places) {
  Allocator allocator(resources, program);
  const Lifetimes lifetimes(program, graph, places);
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
      const auto life = lifetimes.of_header(static_cast<std::size_t>(h), gress);
      Group group;
      for (const auto member : program.headers()[static_cast<std::size_t>(h)].members) {
        const auto& info = program.info(member);
        if (group.bits == 0) group.name = info.name;
        group.bits += info.bits;
        group.touched = group.touched || touched.contains(member.id);
        if (group.bits % 8 == 0) {
          if (group.touched) {
            allocator.take(group, life, gress);
          } else {
            allocator.take(group);
          }
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
    // Those that begin first are placed first, which needs no more containers than live at one time.
    std::vector<std::pair<std::uint16_t, std::optional<Lifetime>>> fields;
    for (const auto id : touched) {
      if (program.fields()[id].header < 0) fields.emplace_back(id, lifetimes.of(id, gress));
    }
    std::stable_sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) {
      return (a.second ? a.second->from : -1) < (b.second ? b.second->from : -1);
    });
    for (const auto& [id, life] : fields) {
      const auto& info = program.fields()[id];
      allocator.take({.name = info.name, .bits = info.bits, .touched = true}, life, gress);
    }
  }
  return allocator.usage();
}

}  // namespace racksim::p4
