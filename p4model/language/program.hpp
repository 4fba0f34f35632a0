// A switch program: fields, parsers, register arrays, tables and control flow, written in C++ that reads like P4-16.
//
//   Program p("counter", "counts packets per destination");
//   auto dst = p.header_field(&Ethernet::dst);
//   p.parser_state<Ethernet>(Gress::ingress, "start");
//   auto& count = p.register_array("COUNT", Width::single(32), 1024);
//   auto& increment = count.action("increment");
//   increment.update(kLo, AluOperation::add, kLo, 1);
//   auto& act = p.action("count").execute(increment, p.hash("index", {dst}, 10));
//   p.ingress().apply(act);
//
// A program never sees time. It is only described here: `Placement` fits it into stages, `Pipeline` runs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "p4model/language/checksum.hpp"
#include "p4model/language/control.hpp"
#include "p4model/language/crc_hash.hpp"
#include "p4model/language/field.hpp"
#include "p4model/language/header.hpp"
#include "p4model/language/meter.hpp"
#include "p4model/language/parser.hpp"
#include "p4model/language/port_number.hpp"
#include "p4model/language/register_array.hpp"
#include "p4model/language/table.hpp"

namespace racksim::p4 {

/// A program that no hardware of this kind can run, however large. The message names program and culprit.
class ProgramError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A CRC over the bytes of some fields, cut to `bits` bits: 2^bits values, never another range. A program that needs a
/// range that is no power of two reduces it itself, or has the sender do so.
struct HashUnit {
  std::string name;
  std::vector<FieldRef> fields;
  unsigned bits = 0;  ///< 1..32
  CrcKind kind = CrcKind::crc32;
};

class Program {
 public:
  explicit Program(std::string name, std::string doc = {}, unsigned port_bits = kPortBits);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  /// Of the numbers of ports in its fields, and what stands there for no port.
  unsigned port_bits() const { return info(intrinsics_.ingress_port).bits; }
  std::uint16_t no_port() const { return p4::no_port(port_bits()); }

  /// A metadata field of 1 to 64 bits.
  FieldRef field(std::string field_name, unsigned bits);
  /// A member of header H: `header_field(&Ethernet::dst)` or `header_field<Ethernet>("dst")`.
  template <Header H>
  FieldRef header_field(std::uint64_t H::*member) {
    header<H>();
    const H probe{};
    const auto offset =
        reinterpret_cast<const std::byte*>(&(probe.*member)) - reinterpret_cast<const std::byte*>(&probe);
    return header_member(H::kLayout, static_cast<std::size_t>(offset) / sizeof(std::uint64_t));
  }
  template <Header H>
  FieldRef header_field(std::string_view member) {
    header<H>();
    return header_member(H::kLayout, member);
  }
  /// 1 while header H is present. An action that writes it adds or removes the header; headers leave the switch in the
  /// order in which the program first named them.
  template <Header H>
  FieldRef valid() {
    return headers_[header<H>()].validity;
  }

  /// All members of header H, in wire order.
  template <Header H>
  std::vector<FieldRef> header_fields() {
    return headers_[header<H>()].members;
  }

  /// A parser state that extracts H. The first one declared for a gress is its start.
  template <Header H>
  ParserState& parser_state(Gress gress, std::string state_name) {
    return add_state(gress, std::move(state_name), header<H>());
  }

  /// At most `size` values of so many bits for parser states of one gress; none to begin with.
  const ValueSet& value_set(std::string set_name, unsigned bits, std::uint64_t size);
  RegisterArray& register_array(std::string array_name, Width width, std::uint64_t size);
  /// Meters and counters of `size` entries that actions reach by an index, or with an entry for each of a table's.
  Meter& meter(std::string meter_name, MeterUnit unit, std::uint64_t size);
  Meter& direct_meter(std::string meter_name, MeterUnit unit, const Table& table);
  Counter& counter(std::string counter_name, CounterUnit unit, std::uint64_t size);
  Counter& direct_counter(std::string counter_name, CounterUnit unit, const Table& table);
  HashRef hash(std::string hash_name, std::vector<FieldRef> fields, unsigned bits, CrcKind kind = CrcKind::crc32);
  Action& action(std::string action_name);
  Table& table(std::string table_name);

  Block& ingress() { return ingress_; }
  Block& egress() { return egress_; }
  const Block& ingress() const { return ingress_; }
  const Block& egress() const { return egress_; }

  /// Intrinsic metadata, as the hardware names it (TNA; docs/hardware.md 6.5, 6.6).
  struct Intrinsics {
    FieldRef ingress_port;   ///< in, ingress: where the packet came from
    FieldRef resubmit_flag;  ///< in, ingress: 1 in a resubmitted pass
    FieldRef resubmit_data;  ///< in, ingress: the bits given to the resubmission, 64 unless resubmit_bits() says less
    FieldRef egress_port;    ///< in, egress: where the copy leaves
    FieldRef egress_rid;     ///< in, egress: the copy's replication id, 0 for unicast
    FieldRef packet_length;  ///< in, egress: frame bytes
    FieldRef ucast_egress_port;  ///< out, ingress
    FieldRef mcast_grp_a;        ///< out, ingress
    FieldRef mcast_grp_b;        ///< out, ingress
    FieldRef rid;                ///< out, ingress: compared with a node's id for the L2 exclusion; 0 when unset
    FieldRef l2_exclusion_id;    ///< out, ingress
    FieldRef drop;               ///< out, both: 1 cancels unicast and multicast
    FieldRef resubmit;           ///< out, ingress: 1 asks for a second pass
    FieldRef resubmit_value;     ///< out, ingress: the bits for it
  };
  const Intrinsics& intrinsics() const { return intrinsics_; }
  /// How many of the 64 bits of resubmit data the program uses, so that gateways and containers need not hold more.
  void resubmit_bits(unsigned bits);

  /// Fields of parts of the hardware that few programs use: a program has them once it asks for them.
  /// Copies of packets by mirror sessions (docs/hardware.md 6.6): of the packet as received by what ingress sets, as
  /// deparsed by what egress sets. Hardware prepends up to 32 bytes of header; here four words of 64 bits go with a
  /// copy, and those that a program uses take their bytes of them.
  struct MirrorFields {
    FieldRef session;                           ///< out, both: the session, 1 to 1023; no copy while unset or 0
    std::array<FieldRef, kMirrorWords> values;  ///< out, both: words for the copy, 0 where unset
    FieldRef kind;  ///< in, egress: 1 in a copy's pass that ingress asked for, 2 that egress did, else 0
    std::array<FieldRef, kMirrorWords> data;  ///< in, egress: the words of the copy
  };
  const MirrorFields& mirror();
  /// What chooses among the copies of a multicast group (p4model/execute/replication.hpp).
  struct SelectionFields {
    FieldRef level1_hash;      ///< out, ingress, 13 bits: which node of an ECMP set; 0 when unset
    FieldRef level2_hash;      ///< out, ingress, 13 bits: which member of a LAG; 0 when unset
    FieldRef l1_exclusion_id;  ///< out, ingress, 16 bits: leaves out the nodes with this exclusion id
  };
  const SelectionFields& selection();
  /// Time stamps in nanoseconds (docs/hardware.md 6.6), cut to their bits.
  struct ClockFields {
    FieldRef arrived;        ///< in, ingress, 48 bits: when the packet's last bit was at its port
    FieldRef ingress_began;  ///< in, ingress, 48 bits: the slot of this pass
    FieldRef enqueued;       ///< in, egress, 18 bits: when the copy came to its queue
    FieldRef waited;         ///< in, egress, 18 bits: how long it was there
    FieldRef queue_cells;    ///< in, egress, 19 bits: cells in the queue when it came
    FieldRef egress_began;   ///< in, egress, 48 bits: when it left the queue
  };
  const ClockFields& clock();
  /// A message to the control CPU with the values of some fields at the end of ingress, at most 47 bytes, one a pass.
  /// An action sends it by setting `digest_type()` to `type`, 0 to 7.
  void digest(unsigned type, std::string digest_name, std::vector<FieldRef> fields);
  FieldRef digest_type();

  /// A checksum unit of the parser: the returned field is 1 in passes whose packet has the header of the first field,
  /// and a wrong checksum. What is done about it the program says.
  FieldRef verify_checksum(Gress gress, std::string flag, std::vector<FieldRef> fields);
  /// The same for the residual of a checksum that covers more than the fields; 0 without its header. Behind them comes
  /// what else the checksum covers, a field of 16 bits for `update_checksum` with their new values.
  FieldRef checksum_residual(Gress gress, std::string residual, FieldRef checksum, std::vector<FieldRef> fields);
  /// A checksum unit of the deparser writes a header's field, if the header is present then, and, with `when`, if that
  /// field of one bit is 1.
  void update_checksum(Gress gress, FieldRef checksum, std::vector<FieldRef> fields,
                       std::optional<FieldRef> when = std::nullopt, bool zeros_as_ones = false);

  struct DigestUse {
    unsigned type;
    std::string name;
    std::vector<FieldRef> fields;
    std::vector<unsigned> field_bytes;  ///< what each takes of the message
  };
  const std::optional<MirrorFields>& mirror_fields() const { return mirror_; }
  const std::optional<SelectionFields>& selection_fields() const { return selection_; }
  const std::optional<ClockFields>& clock_fields() const { return clock_; }
  const std::optional<FieldRef>& digest_type_field() const { return digest_type_; }
  const std::vector<DigestUse>& digests() const { return digests_; }
  const std::vector<ChecksumUnit>& checksums() const { return checksums_; }

  struct HeaderUse {
    const HeaderLayout* layout;
    FieldRef validity;
    std::vector<FieldRef> members;
    std::vector<std::uint64_t> defaults;  ///< what the members of a new header of the C++ type hold
  };
  const std::vector<FieldInfo>& fields() const { return fields_; }
  const FieldInfo& info(FieldRef field) const { return fields_[field.id]; }
  const std::vector<HeaderUse>& headers() const { return headers_; }
  const Parser& parser(Gress gress) const { return parsers_[static_cast<std::size_t>(gress)]; }
  const std::deque<ValueSet>& value_sets() const { return value_sets_; }
  const std::deque<RegisterArray>& arrays() const { return arrays_; }
  const std::deque<Meter>& meters() const { return meters_; }
  const std::deque<Counter>& counters() const { return counters_; }
  const std::vector<HashUnit>& hashes() const { return hashes_; }
  const std::deque<Action>& actions() const { return actions_; }
  const std::deque<Table>& tables() const { return tables_; }

 private:
  FieldRef add_field(FieldInfo info);
  FieldRef add_hardware_field(const char* field, unsigned bits, FieldKind kind, bool in_ingress, bool in_egress);
  template <Header H>
  std::size_t header() {
    const H fresh{};
    std::vector<std::uint64_t> defaults(H::kLayout.count);
    std::memcpy(defaults.data(), &fresh, sizeof fresh);
    return header(H::kLayout, std::move(defaults));
  }
  std::size_t header(const HeaderLayout& layout, std::vector<std::uint64_t> defaults);
  const HeaderUse& used(const HeaderLayout& layout) const;
  FieldRef header_member(const HeaderLayout& layout, std::size_t member);
  FieldRef header_member(const HeaderLayout& layout, std::string_view member);
  ParserState& add_state(Gress gress, std::string state_name, std::size_t header);

  std::string name_, doc_;
  std::vector<FieldInfo> fields_;
  std::vector<HeaderUse> headers_;
  Parser parsers_[2];
  std::deque<ValueSet> value_sets_;
  std::deque<RegisterArray> arrays_;
  std::deque<Meter> meters_;
  std::deque<Counter> counters_;
  std::vector<HashUnit> hashes_;
  std::deque<Action> actions_;
  std::deque<Table> tables_;
  Block ingress_{*this}, egress_{*this};
  Intrinsics intrinsics_;
  std::optional<MirrorFields> mirror_;
  std::optional<SelectionFields> selection_;
  std::optional<ClockFields> clock_;
  std::optional<FieldRef> digest_type_;
  std::vector<DigestUse> digests_;
  std::vector<ChecksumUnit> checksums_;
};

}  // namespace racksim::p4
