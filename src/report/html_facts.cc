#include <fmt/format.h>

#include <set>

#include "render/html.h"
#include "report/html_parts.h"

namespace cutelab::report {
namespace {
using evidence::Fact;
using evidence::Family;
using evidence::Reading;
using render::element;
using render::html_escape;
using render::text_element;

std::string fact_html(const Fact& fact, std::size_t index, const Anchors& anchors) {
  const std::string family = name_of(fact.family);
  std::string out = element("span", {{"class", "at"}}, anchors.link(fact.at));
  out += text_element("code", {}, fact.subject) + " " + html_escape(fact.says);
  if (!fact.role.empty())
    out += " " + text_element("span", {{"class", "faint"}}, "· " + short_name(fact.role));
  std::string values;
  for (const auto& [name, value] : fact.values)
    values += (values.empty() ? "" : ", ") + text_element("b", {}, name) + " " + value_html(value);
  if (!values.empty()) out += element("p", {{"class", "values"}}, values);
  render::Attributes attributes = {
      {"id", fmt::format("F{}", index)}, {"class", family}, {"data-f", family}, {"data-r", fact.role}};
  if (fact.optional) attributes.emplace_back("data-o", "1");
  return element("li", attributes, out) + "\n";
}

std::string filters_html(const Reading& reading) {
  std::set<Family> families;
  std::set<std::string> roles;
  for (const Fact& fact : reading.facts) {
    families.insert(fact.family);
    if (!fact.role.empty()) roles.insert(fact.role);
  }
  std::string out;
  for (const Family family : families)
    out += fmt::format(
        "<label class=\"{0}\" title=\"{1}\"><input type=\"checkbox\" name=\"family\" value=\"{0}\" checked> "
        "<span "
        "class=\"tag\">{0}</span></label>",
        name_of(family), html_escape(title_of(family)));
  out += "<button type=\"button\" id=\"all\">all</button><button type=\"button\" id=\"none\">none</button>";
  if (!roles.empty()) {
    std::string options = "<option value=\"\">every role</option>";
    for (const std::string& role : roles)
      options += text_element("option", {{"value", role}}, short_name(role));
    out += element("select", {{"name", "role"}, {"aria-label", "role"}}, options);
  }
  out +=
      "<label><input type=\"checkbox\" name=\"details\" checked> supporting detail</label>"
      "<input type=\"search\" name=\"words\" placeholder=\"filter by word ( / )\" aria-label=\"filter facts "
      "by word\">"
      "<output id=\"shown\" class=\"faint\"></output>";
  return element("form", {{"id", "filters"}, {"class", "filters js-only"}}, out);
}

}  // namespace

std::string facts_html(const Reading& reading, const Anchors& anchors) {
  if (reading.facts.empty())
    return heading_html("facts", "Facts") + text_element("p", {{"class", "faint"}}, "None were found.");
  std::string out =
      heading_html("facts", "Facts", fmt::format("{}", reading.facts.size())) + filters_html(reading);
  for (const Family family : evidence::all_families) {
    std::string items;
    int count = 0;
    for (std::size_t i = 0; i < reading.facts.size(); ++i) {
      if (reading.facts[i].family != family) continue;
      items += fact_html(reading.facts[i], i, anchors);
      ++count;
    }
    if (count == 0) continue;
    out += element("h3", {{"class", name_of(family)}},
                   text_element("span", {{"class", "tag"}}, name_of(family)) +
                       html_escape(fmt::format(" {} ({})", title_of(family), count)));
    out += element("ul", {{"class", "facts"}}, items);
  }
  return out;
}

}  // namespace cutelab::report
