// The declaration of options that caches share. See options.hpp.
#include "protocols/switch_cache/options.hpp"

namespace racksim::switch_cache {

void CacheOptions::declare_versions(sim::Parameters& p) {
  p.integer("version_bits", version_bits, 4, 32,
            "bits of the switch's count of a key's writes and fetches, which wraps around: no packet may arrive after "
            "half as many writes of its key as it tells; a boot passes a quarter over, or 2^24")
      .estimate("our choice, a register's width: the papers have no such count");
  p.flag("serial_versions", serial_versions,
         "versions are compared as serial numbers (RFC 1982); without, a key is not written any more once they wrap")
      .guards("once versions have wrapped a key is not written any more",
              "starcache/mechanisms.json/versions-without-wrap");
}

}  // namespace racksim::switch_cache
