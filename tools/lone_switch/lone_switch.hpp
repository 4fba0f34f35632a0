// A switch with one program, without servers and without a protocol: packets go in at ports, and what they do is
// written down.
//
// It is the chassis of the rack (models/switch), with its slots, queues and wires, so that instants are those of a run.
#pragma once

#include <memory>

#include "p4model/language/program.hpp"
#include "tools/lone_switch/packet_file.hpp"
#include "tools/lone_switch/story.hpp"

namespace racksim::tools {

/// Sends the packets of the setup through a switch that runs the program. Throws InputError for an entry that its table
/// refuses, and p4::ProgramError when the program does not fit.
SwitchStory send_through_switch(std::shared_ptr<const p4::Program> program, const LoneSwitchSetup& setup);

}  // namespace racksim::tools
