#include <fmt/format.h>

#include "evidence/names.h"
#include "reading/lints/rule.h"

namespace cutelab::reading::lints {

Rule operand_layout() {
  return {"operand-layout",
          "an operand in shared memory is tiled from an atom that a matrix descriptor can say",
          "tile an atom to the shape: tile_to_shape(make_smem_layout_atom(K_SW128 …), shape, order); SW128, "
          "SW64, "
          "SW32 and INTER, K or MN major, are the ones there are",
          evidence::Severity::error, [](Check& check) {
            for (const evidence::Fact* fragment : check.facts("operand-fragment")) {
              if (!value_of(*fragment, "descriptor_atom")) continue;
              const std::string atom = text_of(*fragment, "descriptor_atom");
              if (atom.empty())
                check.undecided(*fragment, "descriptor_atom");
              else if (atom == "none")
                check.fire(
                    fmt::format("the operand of {} has no layout that a matrix descriptor can say: wgmma and "
                                "tcgen05 read rows of 16, 32, 64 or 128 bytes, eight to an atom, swizzled "
                                "by their width",
                                fragment->subject),
                    "", {fragment->at});
              else
                check.passed();
            }
          }};
}

}  // namespace cutelab::reading::lints
