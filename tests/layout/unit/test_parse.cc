#include "layout/support.h"

namespace cutelab::layout::testing {

TEST(Parse, PrintsWhatItReads) {
  for (const char* text :
       {"8:1", "(8,(2,4)):(1,(8,16))", "Sw<3,4,3> o 0 o (8,64):(64,1)", "(M,K):(K,1)", "(4,5):(1@0,1@1)",
        "(4,5):(2@1@0,1@2)", "((8,16),(64,1),(1,7)):((64,512),(1,0),(0,8192))", "(8,128*K):(1,8)",
        "Sw<2,4,3> o 64 o (8,32):(32,1)", "(4,):(1,)", "(3,4):(-1,3)"}) {
    std::string printed = text;
    if (printed == "(4,):(1,)") printed = "(4):(1)";
    EXPECT_EQ(eval(text), printed);
  }
}

TEST(Parse, OtherSpellings) {
  EXPECT_EQ(eval("(_8,_4):(_1,_8)"), "(8,4):(1,8)");
  EXPECT_EQ(eval("S<3,4,3> o 0 o (8,64):(64,1)"), "Sw<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(eval("S<3,4,3>, \"((8,16),(64,1),(1,7)):((64,512),(1,0),(0,8192))\""),
            "Sw<3,4,3> o 0 o ((8,16),(64,1),(1,7)):((64,512),(1,0),(0,8192))");
  EXPECT_EQ(eval("!cute.layout<\"(8,4):(1,8)\">"), "(8,4):(1,8)");
  EXPECT_EQ(eval("Sw<3,4,3> o (8,64):(64,1)"), "Sw<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_EQ(eval("(4,5):(E<0>,E<1>)"), "(4,5):(1@0,1@1)");
  EXPECT_EQ(eval("4:E<0,1>"), "4:1@1@0");
  EXPECT_EQ(eval("(4, 5) : (1, 4)"), "(4,5):(1,4)");
}

TEST(Parse, UnknownSizesKeepTheirDivisibility) {
  auto layout = parse_layout("(?{i64 div=8},?):(1,?{div=16})");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(print(*layout, Notation::dsl), "(?{div=8},?):(1,?{div=16})");
  EXPECT_EQ(layout->layout().text(), "(?0,?1):(1,?2)");
}

std::string error_of(const char* text) {
  auto value = parse(text);
  EXPECT_FALSE(value.ok()) << text;
  return value ? "" : value.error().message();
}

TEST(Parse, ErrorsPointAtTheCharacter) {
  EXPECT_EQ(error_of("(8,(2,4):(1,(8,16))"),
            "error: make_layout: pre-condition 1: shape (2,4) and stride (1,(8,16)) are not nested alike\n"
            "  at: character 10\n    (8,(2,4):(1,(8,16))\n             ^\n"
            "  try: inside parentheses: is a `)` missing before the `:`?");
  EXPECT_EQ(error_of("(8,(2,4)"),
            "error: read layout expression: the expression ends where `,` or `)` should stand\n"
            "  at: character 9\n    (8,(2,4)\n            ^");
  EXPECT_EQ(error_of("(8,4):(1,(8,2))"),
            "error: make_layout: pre-condition 1: shape (8,4) and stride (1,(8,2)) are not nested alike\n"
            "  at: character 7\n    (8,4):(1,(8,2))\n          ^");
  EXPECT_EQ(error_of("coalesc((8,4):(1,8))"),
            "error: read layout expression: there is no operation `coalesc`\n"
            "  at: character 1\n    coalesc((8,4):(1,8))\n    ^\n  try: did you mean `coalesce`?");
  EXPECT_EQ(error_of("(8,x y):(1,2)"),
            "error: read layout expression: `,` or `)` should stand here\n"
            "  at: character 6\n    (8,x y):(1,2)\n         ^");
  EXPECT_EQ(error_of(""),
            "error: read layout expression: nothing to read\n  at: character 1\n    \n    ^\n"
            "  try: write a layout such as (8,(2,4)):(1,(8,16))");
}

TEST(Parse, Limits) {
  EXPECT_NE(error_of(std::string(100, '(').c_str()).find("nested deeper than 64 levels"), std::string::npos);
  EXPECT_NE(error_of("99999999999999999999:1").find("not a number of 64 bits"), std::string::npos);
  EXPECT_NE(error_of(std::string(20000, '1').c_str()).find("longer than 16384 bytes"), std::string::npos);
  EXPECT_NE(error_of("Sw<3,4,1>").find("|shift| >= bits"), std::string::npos);
}

}  // namespace cutelab::layout::testing
