// How a switch program that caches recognises the application's messages: by reserved UDP ports (StarCache §3.1,
// NetCache §4.1). All other packets end after their UDP header and are forwarded.
#pragma once

#include "p4model/program.hpp"

namespace racksim::cached_store {

/// Adds the ingress states from Ethernet to the application's last header: StoreHeader, MeasureHeader and, with
/// `safety`, SafetyHeader. Returns the state of the last one, which accepts unless it is told to go on.
p4::ParserState& append_parser(p4::Program& program, bool safety);

}  // namespace racksim::cached_store
