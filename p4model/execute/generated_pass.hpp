// What generated passes are written in (p4model/generate writes them), and where they register themselves: a pipeline
// finds the functions of its form by its fingerprint.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "p4model/execute/pass_form.hpp"
#include "p4model/execute/pass_outputs.hpp"
#include "p4model/execute/pipeline.hpp"
#include "sim/options/registry.hpp"

namespace racksim::p4 {

/// A pass under way in a generated function: its pipeline's state, by the numbers that the form has.
class PassState {
 public:
  PassState(Pipeline& pipeline, Packet& packet)
      : pipeline_(pipeline), packet_(packet), arrays_(pipeline.code_.arrays.data()) {}

  void begin_ingress() { ++pipeline_.counters_.ingress_passes; }
  void begin_egress() { ++pipeline_.counters_.egress_passes; }

  /// By PHV word.
  const std::uint64_t* constants() const { return pipeline_.code_.initial_phv.data(); }

  /// Whether header `place` of the packet is the one that parser state `state` extracts.
  bool is_at(std::size_t place, Gress gress, std::size_t state) const {
    return place < packet_.header_count() && &packet_.layout(place) == parser(gress)[state].layout;
  }
  std::int32_t choose(Gress gress, std::size_t state, std::uint64_t value) const {
    return pipeline_.choose(parser(gress)[state], value);
  }
  void prefetch(std::uint32_t array, std::uint64_t index) const { pipeline_.registers_.prefetch(array, index); }

  template <class T, bool pair>
  [[gnu::always_inline]] std::uint64_t execute(const AluCode& alu, std::uint32_t number, std::uint32_t array,
                                               std::uint64_t index, std::uint64_t word_0, std::uint64_t word_1) {
    return pipeline_.registers_.execute<T, pair>(alu, array, arrays_[number], index, word_0, word_1, packet_);
  }
  bool probe(std::uint32_t array, std::uint64_t index, std::uint64_t lo, std::uint64_t hi) const {
    return pipeline_.registers_.is_pair(array, index, lo, hi);
  }
  const CrcTables& hash(std::uint32_t number) const { return pipeline_.code_.hashes[number].tables; }

  const ExactTable& exact(std::uint32_t table) const { return pipeline_.tables_[table]; }
  const TernaryTable& ternary(std::uint32_t table) const { return *pipeline_.ternary_[table]; }
  void hit(std::uint32_t table) { ++pipeline_.table_counters_[table].hits; }
  void miss(std::uint32_t table) { ++pipeline_.table_counters_[table].misses; }

  Verdict rejected() {
    ++pipeline_.counters_.parser_rejects;
    ++pipeline_.counters_.ingress_drops;
    return {};
  }
  bool rejected_egress() {
    ++pipeline_.counters_.parser_rejects;
    return dropped_egress();
  }
  bool dropped_egress() {
    ++pipeline_.counters_.egress_drops;
    return false;
  }
  Verdict verdict(const PassOutputs& outputs, const IngressMetadata& metadata) {
    return pipeline_.verdict_of(outputs, metadata.resubmitted, metadata.may_resubmit);
  }
  const HeaderLayout& layout(std::size_t header) const { return *pipeline_.program_.headers()[header].layout; }

 private:
  const ParseCode* parser(Gress gress) const {
    return pipeline_.code_.gress[static_cast<std::size_t>(gress)].parser.data();
  }

  Pipeline& pipeline_;
  Packet& packet_;
  const ArrayCode* const arrays_;  // here, since what a pass writes might be anything for the compiler
};

}  // namespace racksim::p4
