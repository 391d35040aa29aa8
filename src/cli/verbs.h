#pragma once
#include "cli/verb.h"

namespace cutelab::cli {

// One factory per verb, defined in verb_<name>.cc; those of setup, test and bench in verb_tools.cc.
std::unique_ptr<Verb> make_select_verb();
std::unique_ptr<Verb> make_corpus_verb();
std::unique_ptr<Verb> make_read_verb();
std::unique_ptr<Verb> make_capture_verb();
std::unique_ptr<Verb> make_layout_verb();
std::unique_ptr<Verb> make_extract_verb();
std::unique_ptr<Verb> make_document_verb();
std::unique_ptr<Verb> make_study_verb();
std::unique_ptr<Verb> make_import_verb();
std::unique_ptr<Verb> make_kernel_verb();
std::unique_ptr<Verb> make_compare_verb();
std::unique_ptr<Verb> make_list_verb();
std::unique_ptr<Verb> make_device_verb();
std::unique_ptr<Verb> make_runs_verb();

std::unique_ptr<Verb> make_doctor_verb();
std::unique_ptr<Verb> make_setup_verb();
std::unique_ptr<Verb> make_test_verb();
std::unique_ptr<Verb> make_bench_verb();

}  // namespace cutelab::cli
