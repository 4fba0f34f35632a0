// The unit that suits a stretch of time.
#pragma once

namespace racksim::tools {

struct TimeUnit {
  const char* name;
  double ns;  ///< how long it is
};

/// The longest of ns, us, ms and s of which a length in nanoseconds has ten at least; ns for less.
inline TimeUnit time_unit_for(double ns) {
  for (const TimeUnit unit : {TimeUnit{"s", 1e9}, TimeUnit{"ms", 1e6}, TimeUnit{"us", 1e3}}) {
    if (ns >= 10 * unit.ns) return unit;
  }
  return {"ns", 1};
}

}  // namespace racksim::tools
