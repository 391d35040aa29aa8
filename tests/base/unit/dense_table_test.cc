#include "base/dense_table.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/text_table.h"

namespace cutelab {
namespace {
using Table = DenseTable<std::string, std::string_view, int, TextHash, std::equal_to<>>;

TEST(DenseTable, FindsWhatWasPutInAndNothingElse) {
  Table table;
  EXPECT_EQ(table.find("a"), nullptr);
  for (int i = 0; i < 1000; ++i) table["name" + std::to_string(i)] = i;
  for (int i = 0; i < 1000; ++i) {
    const int* found = table.find("name" + std::to_string(i));
    ASSERT_NE(found, nullptr) << i;
    EXPECT_EQ(*found, i);
  }
  EXPECT_EQ(table.find("name1000"), nullptr);
  EXPECT_EQ(table.find(""), nullptr);
}

TEST(DenseTable, MakesAnEntryOnce) {
  Table table;
  EXPECT_EQ(table["x"], 0);
  table["x"] += 2;
  table["x"] += 3;
  EXPECT_EQ(*table.find("x"), 5);
}

/// Each byte of a text goes into its hash, whatever its length: the last ones are read twice.
TEST(HashOf, TellsTextsOfOneLengthApart) {
  for (std::size_t size = 1; size <= 40; ++size) {
    std::set<std::size_t> seen = {hash_of(std::string(size, 'a'))};
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'a');
      text[at] = 'b';
      EXPECT_TRUE(seen.insert(hash_of(text)).second) << text;
    }
  }
  EXPECT_NE(hash_of(""), hash_of(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace cutelab
