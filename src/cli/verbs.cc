#include "cli/verbs.h"

namespace cutelab::cli {

std::vector<std::unique_ptr<Verb>> all_verbs() {
  std::vector<std::unique_ptr<Verb>> verbs;
  // One line per verb, in the order of the workflow.
  verbs.push_back(make_select_verb());
  verbs.push_back(make_corpus_verb());
  verbs.push_back(make_read_verb());
  verbs.push_back(make_capture_verb());
  verbs.push_back(make_layout_verb());
  verbs.push_back(make_import_verb());
  verbs.push_back(make_kernel_verb());
  verbs.push_back(make_compare_verb());
  verbs.push_back(make_list_verb());
  verbs.push_back(make_runs_verb());
  verbs.push_back(make_extract_verb());
  verbs.push_back(make_document_verb());
  verbs.push_back(make_study_verb());

  // Helpers.
  verbs.push_back(make_doctor_verb());
  verbs.push_back(make_device_verb());
  verbs.push_back(make_setup_verb());
  verbs.push_back(make_test_verb());
  verbs.push_back(make_bench_verb());
  return verbs;
}

}  // namespace cutelab::cli
