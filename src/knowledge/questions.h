#pragma once
#include <string>
#include <vector>

#include "base/file_source.h"
#include "base/result.h"
#include "evidence/reading.h"

namespace cutelab::knowledge {

/// One statement of a reading that bears on a question.
struct Answer {
  std::string text;       ///< what is so, one line
  evidence::Location at;  ///< where; unknown for what has no line
};

/// What a reading says to a question: the topics that the question's words name, and the statements.
struct Answers {
  std::vector<std::string> topics;  ///< "registers", in the order of how well they match
  std::vector<Answer> found;        ///< best first; empty = no fact answers this
};

/// Words of questions and the facts that answer them (data/question_terms.json).
class QuestionTerms {
 public:
  static Result<QuestionTerms> load(const FileSource& files, const std::string& data_folder);

  /// Post-conditions:
  ///   1. A question that names no topic and nothing that the source names has no answer.
  ///   2. Every answer is a statement of the reading, with its line where it has one.
  ///   3. Facts whose subject, role or kernel the question names come first.
  Answers answer(const std::string& question, const evidence::Reading& reading) const;

 private:
  struct Topic {
    std::string title;
    std::vector<std::string> words, kinds, patterns, lints;
    bool architecture = false, flags = false, constraints = false;
  };
  struct Match {
    const Topic* topic = nullptr;
    std::size_t length = 0;  ///< words of the longest phrase that matched, then letters
  };
  std::vector<Match> topics_of(const std::vector<std::string>& question) const;
  static void add_topic(const Topic& topic, const std::vector<std::string>& question,
                        const evidence::Reading& reading, Answers& out);
  std::vector<Topic> topics_;
};

}  // namespace cutelab::knowledge
