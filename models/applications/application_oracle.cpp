// The application's judgement as a verdict of the run. See application_oracle.hpp.
#include "models/applications/application_oracle.hpp"

#include "models/service/oracle_entry.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::app {

void ApplicationOracle::finish(sim::Time end) {
  if (at_rest_->is_half_done()) return;
  Judge judge;
  application_.judge(Image(*at_rest_, regions_), judge);
  count_judged(judge.judged());
  for (const std::string& wrong : judge.wrong()) violated(end, wrong);
}

namespace {

const sim::Registration<models::OracleEntry> application_oracle({
    .name = "application",
    .doc = "memory ends as an application says that it must, and none of its operations keeps a lock",
    .attach = models::OracleEntry::AttachWhen::if_promised,
    .make =
        [](models::OracleContext& context) {
          if (!std::dynamic_pointer_cast<ApplicationOracle>(context.of_workload())) {
            throw sim::OptionError("application", "a workload that is no application", "one that is");
          }
          return context.of_workload();
        },
});

}  // namespace

}  // namespace racksim::app
