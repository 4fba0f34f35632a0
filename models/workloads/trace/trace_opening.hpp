// Opens traces of any form (trace_reader.hpp).
#pragma once

#include <memory>
#include <string>

#include "models/workloads/trace/trace_reader.hpp"

namespace racksim::models {

/// Opens a trace. `columns` is for the format of this name. Throws TraceError if the file is none of this format, and
/// sim::OptionError at the option "columns" if the text says nothing that fits it.
std::unique_ptr<TraceReader> open_trace(const std::string& file, TraceFormat format, const std::string& columns = {});

}  // namespace racksim::models
