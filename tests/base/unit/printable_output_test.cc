#include "base/printable_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ostream>
#include <random>

namespace cutelab {
namespace {

/// What arrives at the other end of a pipe; texts are small enough to fit into it.
class PrintableOutputTest : public ::testing::Test {
 protected:
  PrintableOutputTest() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~PrintableOutputTest() override { close(ends_[0]); }
  int into() const { return ends_[1]; }
  std::string arrived() {
    close(ends_[1]);
    std::string all;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = read(ends_[0], part.data(), part.size())) > 0;)
      all.append(part.data(), static_cast<std::size_t>(got));
    return all;
  }
  std::array<int, 2> ends_{};
};

TEST(PrintableOutputText, ControlCharactersBecomeReplacementMarks) {
  EXPECT_EQ(printable_output("a\x1b]0;t\x07z\n", false), "a\uFFFD]0;t\uFFFDz\n");
  EXPECT_EQ(printable_output("a\x1b]0;t\x07z\n", true), "a\uFFFD]0;t\uFFFDz\n");
  EXPECT_EQ(printable_output("\xff \xc2\x9b"
                             "31m",
                             true),
            "\uFFFD \uFFFD31m");
  EXPECT_EQ(printable_output("\x1b[31m", false), "\uFFFD[31m");
}

/// Blocks of plain text are copied whole: an odd character is found wherever it stands in one.
TEST(PrintableOutputText, OddCharactersAreFoundAtEveryPlaceOfLongTexts) {
  for (std::size_t at = 0; at < 200; ++at) {
    const std::string before(at, 'x'), after(300 - at, '\n');
    EXPECT_EQ(printable_output(before + "\x7f" + after, false), before + "\uFFFD" + after) << at;
    EXPECT_EQ(printable_output(before + "\x01" + after, false), before + "\uFFFD" + after) << at;
    EXPECT_EQ(printable_output(before + "\u202E" + after, false), before + "\uFFFD" + after) << at;
    EXPECT_EQ(printable_output(before + "漢\t" + after, false), before + "漢\t" + after) << at;
  }
}

TEST(PrintableOutputText, OwnSequencesStayOnATerminal) {
  EXPECT_EQ(printable_output("\x1b[48;5;12mx\x1b[0m", true), "\x1b[48;5;12mx\x1b[0m");
  EXPECT_EQ(printable_output("\r\x1b[Kreading", true), "\r\x1b[Kreading");
  EXPECT_EQ(printable_output("\rx", true), "\uFFFDx") << "what stands on the line stays readable";
  EXPECT_EQ(printable_output("\x1b[2Jx", true), "\uFFFD[2Jx");
  EXPECT_EQ(printable_output("\x1b[" + std::string(40, '1') + "m", true),
            "\uFFFD[" + std::string(40, '1') + "m");
}

TEST_F(PrintableOutputTest, CharactersAndSequencesMayBeCutByFlushes) {
  {
    PrintableOutput buffer(into(), true);
    std::ostream out(&buffer);
    for (const char c : std::string("a漢\x1b[1mb\x1b[0m\r\x1b[Kz")) out << c << std::flush;
  }
  EXPECT_EQ(arrived(), "a漢\x1b[1mb\x1b[0m\r\x1b[Kz");
}

TEST_F(PrintableOutputTest, CutAtTheEndIsWrittenAsInvalid) {
  {
    PrintableOutput buffer(into(), false);
    std::ostream(&buffer) << "a\xe6\xbc";
  }
  EXPECT_EQ(arrived(), "a\uFFFD\uFFFD");
}

TEST_F(PrintableOutputTest, PiecesGiveWhatTheWholeGives) {
  std::mt19937 random(7);
  const std::string alphabet("a\n\x1b[0;m\rK\xe6\xbc\xa2\xff", 14);
  std::string text;
  {
    PrintableOutput buffer(into(), true);
    std::ostream out(&buffer);
    for (int i = 0; i < 4000; ++i) {
      const char c = alphabet[random() % alphabet.size()];
      text += c;
      out << c;
      if (random() % 3 == 0) out << std::flush;
    }
  }
  EXPECT_EQ(arrived(), printable_output(text, true));
}

/// Long plain text goes out without a copy: what stands before, in and after it keeps its place.
TEST_F(PrintableOutputTest, LongTextsKeepTheirOrder) {
  std::mt19937 random(11);
  const std::array<std::string, 6> odd = {"", "\x1b[1m", "漢", "\xff", "\xe6\xbc", "\x1b["};
  std::string text;
  {
    PrintableOutput buffer(into(), true);
    std::ostream out(&buffer);
    for (int i = 0; i < 5; ++i) {
      std::string part = odd[random() % odd.size()] + std::string(4000 + random() % 300, 'a');
      part += odd[random() % odd.size()] + std::string(random() % 200, 'b') + odd[random() % odd.size()];
      text += part;
      out << part;
    }
  }
  EXPECT_EQ(arrived(), printable_output(text, true));
}

/// One large write goes out in pieces; a character on the border of two stays whole.
TEST(PrintableOutputLarge, CharactersOnTheBordersOfPiecesStayWhole) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  std::string text;
  while (text.size() < 400'000) text += "漢a";
  {
    PrintableOutput buffer(fileno(file), false);
    std::ostream(&buffer) << text << "\xff";
  }
  std::string back(text.size() + 10, '\0');
  std::rewind(file);
  back.resize(std::fread(back.data(), 1, back.size(), file));
  std::fclose(file);
  EXPECT_TRUE(back == text + "\uFFFD");
}

TEST(PrintableOutputFailure, FirstFailedWriteIsRemembered) {
  const int full = open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full here";
  PrintableOutput buffer(full, false);
  std::ostream out(&buffer);
  out << "x" << std::flush;
  EXPECT_FALSE(out);
  EXPECT_EQ(buffer.failed_with(), ENOSPC);
  close(full);
}

}  // namespace
}  // namespace cutelab
