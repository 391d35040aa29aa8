#pragma once
#include <string>

#include "report/view.h"

namespace cutelab::report {

/// A reading on one screen of a terminal.
/// ```
/// examples/scale.py  cute-dsl · class · 39 lines
///   Scale a matrix: a load warp fills a ring of tiles, four warps scale and store
///   them.
///   runs  from sm_90: PipelineTmaAsync needs TMA and mbarriers  :30
///
/// kernel ScaleKernel.kernel :29
/// launch
///   grid    ? = (cute.ceil_div(src.shape[0], 128), 1, 1)  :23
///   block   (160, 1, 1)                                   :24
///   stream  ? = stream                                    :25
/// roles (2)
///   role   warps         where                         line
///   load   4             warp 4 fills the ring         :31
///   scale  (0, 1, 2, 3)  warps 0 to 3 scale and store  :34
/// pipelines (1)
///   pipeline  class             stages  load  scale  line
///   ring      PipelineTmaAsync       4  P     C      :30
/// shared memory 66,560 B of 232,448 B (29 %)
///   member         type      bytes  align  line
///   tiles          Float16  65,536   1024  :20
///   ring_barriers  Int64        64         :19
///
/// checklist
///        pattern                  found  default  lines   why
///   P1   TMA multi-stage          yes    on       30, 32  ring of 4 stages from
///        pipeline                                         load to scale
///   P2   warp specialization      yes    on       31, 34  2 roles run different
///                                                         loops
///   P3   persistent loop and      no                      no loop over output
///        scheduler                                        tiles
///   P4   streaming accumulation   no
///   P5   accumulators             no
///   P6   swizzle                  no
///   P7   cluster communication    no
///   P8   epilogue type            no
///   P9   boundary handling        no
///   P10  drain                    yes    ?        33      producer tail after the
///                                                         loop; needs self.stages
///                                                         > 1
///
/// undetermined 2 of 17 values in 16 facts
///   most depend on src.shape[0] (1), stream (1)
/// next
///   cutelab read examples/scale.py --full
///   cutelab read examples/scale.py --html reading.html
/// ```
std::string overview(const evidence::Reading& reading, const ViewOptions& options);

}  // namespace cutelab::report
