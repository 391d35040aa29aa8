#include "base/text.h"

#include <gtest/gtest.h>

namespace cutelab {
namespace {

TEST(Text, TrimTakesEverySpaceOfAscii) {
  EXPECT_EQ(trim(" \t\r\n a b \v\f"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Text, JoinIsTheInverseOfSplit) {
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, CaseIsIgnoredInAsciiOnly) {
  EXPECT_EQ(to_lower("SM_90A Ä"), "sm_90a Ä");
  EXPECT_TRUE(starts_with_ignoring_case("Blackwell", "bLACK"));
  EXPECT_FALSE(starts_with_ignoring_case("Bl", "Black"));
}

TEST(Text, ReplaceAllDoesNotReadItsOwnOutput) {
  EXPECT_EQ(replace_all("aaa", "a", "aa"), "aaaaaa");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

TEST(Text, ParseIntegerTakesTheWholeStringOrNothing) {
  EXPECT_EQ(parse_integer("0x10"), 16);
  EXPECT_EQ(parse_integer("-42"), -42);
  EXPECT_EQ(parse_integer("+7"), 7);
  for (const char* wrong : {"", "-", "--1", "+-1", "12 ", " 12", "0x", "1e3", "0xg", "99999999999999999999"})
    EXPECT_FALSE(parse_integer(wrong)) << wrong;
}

TEST(Text, EditDistance) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("raed", "read"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
}

TEST(Text, NearestAcceptsATypoAndNothingElse) {
  const std::vector<std::string> verbs = {"select", "read", "kernel"};
  EXPECT_EQ(nearest("raed", verbs), "read");
  EXPECT_EQ(nearest("raxx", verbs), std::nullopt);  // three edits of four letters are no typo
  EXPECT_EQ(nearest("rea", verbs), "read");
  EXPECT_EQ(nearest("SELCT", verbs), "select");
  EXPECT_EQ(nearest("document", verbs), std::nullopt);
  EXPECT_EQ(nearest("x", {}), std::nullopt);
}

TEST(Text, LinesAsEditorsCountThem) {
  EXPECT_EQ(line_count(""), 0);
  EXPECT_EQ(line_count("a"), 1);
  EXPECT_EQ(line_count("a\n"), 1);
  EXPECT_EQ(line_count("a\n\nb"), 3);
}

TEST(Text, NumbersForPeople) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(-214016), "-214,016");
  EXPECT_EQ(human_bytes(17), "17 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(214016), "209.0 KiB");
  EXPECT_EQ(human_bytes(5LL << 40), "5.0 TiB");
}

TEST(Text, DisplayWidthCountsColumns) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("é"), 1u);
  EXPECT_EQ(display_width("e\u0301"), 1u);  // a combining accent takes no column
  EXPECT_EQ(display_width("層"), 2u);
  EXPECT_EQ(display_width("\xff\xfe"), 2u);  // invalid bytes count one each
}

TEST(Text, PrintableIsValidUtf8WithoutControls) {
  EXPECT_EQ(printable("a\tb\n"), "a\tb\n");
  EXPECT_EQ(printable("\x1b[31mred"), "\uFFFD[31mred");
  EXPECT_EQ(printable("\xc3\x28"), "\uFFFD(");                 // a broken sequence
  EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(printable("\xc0\xaf"), "\uFFFD\uFFFD");            // an overlong form
  EXPECT_EQ(printable("\xc2\x9b"), "\uFFFD");                  // C1 control: CSI in one character
  EXPECT_EQ(printable(std::string_view("a\0b", 3)),
            "a\uFFFD"
            "b");
}

}  // namespace
}  // namespace cutelab
