// Parser, lookup table and counters. See cache_program.hpp.
#include "protocols/switch_cache/cache_program.hpp"

#include <bit>

#include "p4model/language/headers.hpp"
#include "p4model/language/program.hpp"
#include "protocols/store/messages.hpp"

namespace racksim::switch_cache {

using store::MeasureHeader;
using store::SafetyHeader;
using store::StoreHeader;

p4::ParserState& append_parser(p4::Program& program, bool safety) {
  constexpr auto kIngress = p4::Gress::ingress;
  program.parser_state<p4::Ethernet>(kIngress, "ethernet")
      .select(program.header_field(&p4::Ethernet::ether_type), {{p4::kEtherTypeIpv4, "ipv4"}});
  program.parser_state<p4::Ipv4>(kIngress, "ipv4")
      .select(program.header_field(&p4::Ipv4::protocol), {{p4::kProtocolUdp, "udp"}});
  // A mask must be able to tell the ports.
  static_assert(std::has_single_bit(store::kPorts) && store::kFirstPort % store::kPorts == 0);
  constexpr std::uint64_t kMask = 0xffff & ~(std::uint64_t{store::kPorts} - 1);
  program.parser_state<p4::Udp>(kIngress, "udp")
      .select_masked(program.header_field(&p4::Udp::dst_port), {{store::kFirstPort, kMask, "store"}});
  program.parser_state<StoreHeader>(kIngress, "store").then("measure");
  auto& measure = program.parser_state<MeasureHeader>(kIngress, "measure");
  if (!safety) return measure;
  measure.then("safety");
  return program.parser_state<SafetyHeader>(kIngress, "safety");
}

p4::Table& make_lookup(p4::Program& program, p4::FieldRef index, std::uint64_t entries, CacheProgram& out) {
  auto& set_index = program.action("set_index");
  set_index.set(index, set_index.data("index", 16));
  auto& lookup = program.table("lookup")
                     .key(program.header_field(&StoreHeader::hkey_high))
                     .key(program.header_field(&StoreHeader::hkey_low))
                     .action(set_index)
                     .size(static_cast<std::uint32_t>(entries));
  out.lookup = &lookup;
  out.set_index = &set_index;
  return lookup;
}

p4::RegisterAction& count_one(p4::RegisterArray& array) {
  return array.action("count").update(p4::kLo, p4::AluOperation::add, p4::kLo, 1);
}

p4::Action& make_read_counter(p4::Program& program, const char* name, p4::FieldRef index, std::uint64_t entries,
                              CacheProgram& out) {
  auto& popularity = program.register_array("POPULARITY", p4::Width::single(32), entries);
  auto& hits = program.register_array("HITS", p4::Width::single(32), 1);
  out.popularity = &popularity;
  out.hits = &hits;
  return program.action(name).execute(count_one(popularity), index).execute(count_one(hits), 0);
}

p4::RegisterAction& count_up(p4::RegisterAction& begin, std::uint64_t largest_version) {
  return begin.compare_a(p4::kLo, p4::Comparison::equal, largest_version)
      .set(p4::kLo, 1, p4::kA)
      .update(p4::kLo, p4::AluOperation::add, p4::kLo, 1, ~p4::kA);
}

}  // namespace racksim::switch_cache
