#pragma once
#include <string>
#include <vector>

#include "evidence/run.h"

namespace cutelab::evidence {

/// Every metric that a run can carry, in the order of the report. The first six are the seed table's.
const std::vector<MetricDescriptor>& metric_descriptors();

/// nullptr if there is no such tag.
const MetricDescriptor* find_metric(const std::string& tag);

/// The value of `tag` in `run`; nullptr if the run has no such row.
const Metric* metric_of(const Run& run, const std::string& tag);

/// Sets the row `tag`, replacing one that is there.
void set_metric(Run& run, const std::string& tag, double value);
void set_missing(Run& run, const std::string& tag, std::string because);

}  // namespace cutelab::evidence
