#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "base/text.h"
#include "corpus/index.h"

namespace cutelab::corpus {
namespace {

std::string field(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  return out;
}

void mentions(std::string& out, char tag, const std::vector<Mention>& list) {
  for (const Mention& m : list)
    fmt::format_to(std::back_inserter(out), "{}\t{}\t{}\n", tag, m.line, field(m.name));
}

void write_file(std::string& out, const FileFacts& f) {
  fmt::format_to(std::back_inserter(out), "F\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", field(f.path), f.bytes,
                 f.modified_ns, static_cast<int>(f.language), f.lines, f.has_main ? 1 : 0, field(f.summary));
  mentions(out, 'k', f.kernels);
  mentions(out, 'j', f.jits);
  mentions(out, 'c', f.classes);
  mentions(out, 'i', f.imports);
  mentions(out, 'f', f.flags);
  mentions(out, 'a', f.arch_literals);
  for (const SignalHit& s : f.signals)
    fmt::format_to(std::back_inserter(out), "s\t{}\t{}\t{}\t{}\n", s.line, s.count, field(s.word),
                   field(s.seen));
  for (const DocCommand& d : f.commands)
    fmt::format_to(std::back_inserter(out), "d\t{}\t{}\t{}\n", d.line, field(d.path), field(d.text));
}

void write_page(std::string& out, const DocPage& p) {
  fmt::format_to(std::back_inserter(out), "P\t{}\t{}\t{}\n", field(p.path), p.bytes, p.modified_ns);
  for (const DocSection& s : p.sections) {
    fmt::format_to(std::back_inserter(out), "S\t{}\t{}\t", s.line, field(s.title));
    for (const auto& [word, count] : s.words) {
      out += word;
      if (count > 1) fmt::format_to(std::back_inserter(out), ":{}", count);
      out += ' ';
    }
    out += '\n';
  }
}

template <class Number>
bool number(std::string_view s, Number& out) {
  const auto [end, code] = std::from_chars(s.data(), s.data() + s.size(), out);
  return code == std::errc{} && end == s.data() + s.size();
}

void read_words(std::string_view text, DocSection& section) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find(' ', at);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view item = text.substr(at, end - at);
    const auto colon = item.find(':');
    int count = 1;
    if (colon != std::string_view::npos) number(item.substr(colon + 1), count);
    if (!item.empty()) section.words.emplace_back(item.substr(0, colon), count);
    at = end + 1;
  }
}

/// Reads records one after another into an Index; `ok` is false once a record made no sense.
struct Reader {
  Index index;
  bool ok = true;

  void record(std::string_view line) {
    const auto fields = split(line, '\t');
    const std::string_view tag = fields[0];
    if (tag == "F")
      file(fields);
    else if (tag == "P")
      page(fields);
    else if (tag == "S")
      section(fields);
    else if (tag == "s")
      signal(fields);
    else if (tag == "d")
      command(fields);
    else if (tag.size() == 1)
      mention(tag[0], fields);
    else
      ok = false;
  }

  void file(const std::vector<std::string_view>& f) {
    FileFacts facts;
    int language = 0, main = 0;
    ok = ok && f.size() == 8 && number(f[2], facts.bytes) && number(f[3], facts.modified_ns) &&
         number(f[4], language) && number(f[5], facts.lines) && number(f[6], main) && language >= 0 &&
         language <= 3;
    if (!ok) return;
    facts.path = f[1];
    facts.language = static_cast<Language>(language);
    facts.has_main = main != 0;
    facts.summary = f[7];
    index.files.push_back(std::move(facts));
  }

  void page(const std::vector<std::string_view>& f) {
    DocPage p;
    ok = ok && f.size() == 4 && number(f[2], p.bytes) && number(f[3], p.modified_ns);
    if (!ok) return;
    p.path = f[1];
    index.pages.push_back(std::move(p));
  }

  void section(const std::vector<std::string_view>& f) {
    DocSection s;
    ok = ok && f.size() == 4 && number(f[1], s.line) && !index.pages.empty();
    if (!ok) return;
    s.title = f[2];
    read_words(f[3], s);
    index.pages.back().sections.push_back(std::move(s));
  }

  void signal(const std::vector<std::string_view>& f) {
    SignalHit s;
    ok = ok && f.size() == 5 && number(f[1], s.line) && number(f[2], s.count) && !index.files.empty();
    if (!ok) return;
    s.word = f[3];
    s.seen = f[4];
    index.files.back().signals.push_back(std::move(s));
  }

  void command(const std::vector<std::string_view>& f) {
    DocCommand d;
    ok = ok && f.size() == 4 && number(f[1], d.line) && !index.files.empty();
    if (!ok) return;
    d.path = f[2];
    d.text = f[3];
    index.files.back().commands.push_back(std::move(d));
  }

  std::vector<Mention>* list_of(char tag) {
    FileFacts& file = index.files.back();
    switch (tag) {
      case 'k':
        return &file.kernels;
      case 'j':
        return &file.jits;
      case 'c':
        return &file.classes;
      case 'i':
        return &file.imports;
      case 'f':
        return &file.flags;
      case 'a':
        return &file.arch_literals;
      default:
        return nullptr;
    }
  }

  void mention(char tag, const std::vector<std::string_view>& f) {
    Mention m;
    ok = ok && f.size() == 3 && number(f[1], m.line) && !index.files.empty() && list_of(tag);
    if (!ok) return;
    m.name = f[2];
    list_of(tag)->push_back(std::move(m));
  }
};

std::string header(const std::string& root, std::uint64_t fingerprint) {
  return fmt::format("cutelab-index\t{}\t{:016x}\t{}\n", Index::format, fingerprint, field(root));
}

Error unusable(std::string wrong) {
  return Error{ErrorKind::input, "read the stored index", std::move(wrong), "", "it is rebuilt"};
}

}  // namespace

std::string serialize(const Index& index, std::uint64_t fingerprint) {
  std::string out = header(index.root, fingerprint);
  for (const FileFacts& f : index.files) write_file(out, f);
  for (const DocPage& p : index.pages) write_page(out, p);
  out += fmt::format("end\t{:016x}\n", fnv1a(out));
  return out;
}

Result<Index> deserialize(std::string_view text, const std::string& root, std::uint64_t fingerprint) {
  const std::string want = header(root, fingerprint);
  if (!text.starts_with("cutelab-index\t")) return unusable("it is not an index of this program");
  if (!text.starts_with(want))
    return unusable("it was made by another version of the program or for another folder");
  const auto end = text.rfind("end\t");
  if (end == std::string_view::npos ||
      text.substr(end) != fmt::format("end\t{:016x}\n", fnv1a(text.substr(0, end))))
    return unusable("it is damaged (its checksum does not fit)");
  Reader reader;
  reader.index.root = root;
  std::string_view body = text.substr(want.size(), end - want.size());
  while (!body.empty() && reader.ok) {
    const auto newline = body.find('\n');
    reader.record(body.substr(0, newline));
    body.remove_prefix(newline == std::string_view::npos ? body.size() : newline + 1);
  }
  if (!reader.ok) return unusable("it is damaged (a record makes no sense)");
  return std::move(reader.index);
}

}  // namespace cutelab::corpus
