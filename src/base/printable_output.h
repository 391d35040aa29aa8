#pragma once
#include <streambuf>
#include <string>
#include <string_view>

namespace cutelab {

/// What of `text` may be written: valid UTF-8 without control characters, as printable() makes it. On a
/// terminal the program's own sequences stay: colours (`ESC [ digits and ; m`) and the erased progress line
/// (`CR ESC [ K`). The last line of defence: names, sources and arguments reach messages by many ways.
std::string printable_output(std::string_view text, bool terminal);

/// A stream buffer onto a file descriptor that writes printable_output() of what it is given and remembers
/// the first failed write. Characters that are cut by a flush are held back until their rest arrives.
class PrintableOutput final : public std::streambuf {
 public:
  PrintableOutput(int descriptor, bool terminal) : descriptor_(descriptor), terminal_(terminal) {}
  ~PrintableOutput() override { finish(); }
  PrintableOutput(const PrintableOutput&) = delete;
  PrintableOutput& operator=(const PrintableOutput&) = delete;

  /// Writes what was held back, too.
  void finish();
  /// errno of the first write that failed; 0 if all is written.
  int failed_with() const { return failed_with_; }

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  void write_up_to(std::size_t end);
  void write(std::string_view text);  ///< as it is

  int descriptor_;
  bool terminal_;
  int failed_with_ = 0;
  std::string pending_;
};

}  // namespace cutelab
