// A program to learn from: built by a function, and registered under a name.
#pragma once

#include <memory>
#include <string>

#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"

namespace racksim::p4 {

struct Example : sim::Registration<ProgramEntry> {
  /// `doc` is a sentence for `racksim list programs`; `build` adds what the program has.
  Example(const std::string& name, const std::string& doc, void (*build)(Program&))
      : sim::Registration<ProgramEntry>({name, doc, [name, doc, build]() -> std::shared_ptr<const Program> {
                                           auto program = std::make_shared<Program>(name, doc);
                                           build(*program);
                                           return program;
                                         }}) {}
};

/// Ethernet and IPv4; packets of other kinds are rejected.
inline void parse_ipv4(Program& p) {
  p.parser_state<Ethernet>(Gress::ingress, "ethernet")
      .select(p.header_field(&Ethernet::ether_type), {{kEtherTypeIpv4, "ipv4"}}, kReject);
  p.parser_state<Ipv4>(Gress::ingress, "ipv4");
}

}  // namespace racksim::p4
