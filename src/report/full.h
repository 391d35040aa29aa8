#pragma once
#include <string>

#include "report/view.h"

namespace cutelab::report {

/// Everything a reading holds, for a terminal: one table per fact family with file:line, the checklist with
/// its numbers, the call graph, flags, constraints, imports, and every undetermined value with its reason.
/// Ends in a newline.
/// ```
/// examples/scale.py  39 lines
/// cute-dsl, class. Scale a matrix: a load warp fills a ring of tiles, four warps
/// scale and store them.
///
/// architecture: from sm_90
///   scale.py:30  sm_90  PipelineTmaAsync needs TMA and mbarriers
///
/// H2 grid, block, cluster, launch (3)
///   place        subject      what
///   scale.py:22  self.kernel  launches ScaleKernel.kernel
///   scale.py:23  grid         one block per 128 rows
///                             grid = ? ((cute.ceil_div(src.shape[0], 128), 1, 1))
///   scale.py:24  block        160 threads: five warps
///                             block = (160, 1, 1)
///
/// H3 shared memory and stages (5)
///   place        subject        what
///   scale.py:18  SharedStorage  shared storage of 66,560 bytes
///                               bytes = 66560 (64 -> 1024, + 65536)
///   scale.py:19  ring_barriers  full and empty barriers of the ring
///                               bytes = 64 (8 * self.stages * 2), type = Int64
///   scale.py:20  tiles          the ring's tiles
///                               alignment = 1024, bytes = 65536 (2 * 32768), type
///                               = Float16
///   scale.py:18  capacity       limit of sm_90
///                               bytes = 232448
///   scale.py:10  self.stages    four stages by default
///                               stages = 4
///
/// H4 launch parameters (1)
///   place        subject  what
///   scale.py:25  stream   the caller's stream
///                         stream = ? (stream)
///
/// D1 roles (2)
///   place        subject  what
///   scale.py:31  load     warp 4 fills the ring
///                         warps = 4
///   scale.py:34  scale    warps 0 to 3 scale and store
///                         warps = (0, 1, 2, 3)
///
/// D2 pipelines (5)
///   place        subject  what                                               role
///   scale.py:30  ring     ring of four tiles from the load warp to the
///                         scale warps
///                         bytes = 16384 (2 * 8192), class =
///                         PipelineTmaAsync, stages = 4 (self.stages)
///   scale.py:32  ring     waits for a free stage                             load
///   scale.py:33  ring     waits until every stage is free again              load
///   scale.py:35  ring     waits for a full stage                             scale
///   scale.py:36  ring     hands the stage back                               scale
///
/// checklist
///        pattern                  found  default  lines   why
///   P1   TMA multi-stage          yes    on       30, 32  ring of 4 stages from
///        pipeline                                         load to scale
///                                                         stages = 4
///   P2   warp specialization      yes    on       31, 34  2 roles run different
///                                                         loops
///   P3   persistent loop and      no                      no loop over output
///        scheduler                                        tiles
///   P4   online softmax or        no
///        streaming accumulation
///   P5   register-level           no
///        accumulators
///   P6   swizzle                  no
///   P7   cluster communication    no
///   P8   epilogue type            no
///   P9   boundary handling        no
///   P10  drain                    yes    ?        33      producer tail after the
///                                                         loop; when self.stages >
///                                                         1
///
/// functions (2)
///   place        kind    function              calls
///   scale.py:16  jit     ScaleKernel.__call__  launches kernel (:22)
///   scale.py:29  kernel  ScaleKernel.kernel
///
/// undetermined (2)
///   place        value          reason                  depends on
///   scale.py:23  grid.grid      known only at run time  src.shape[0]
///   scale.py:25  stream.stream  known only at run time  stream
///
/// files read (1)
///   examples/scale.py  39 lines  sha256 0123456789abcdef
/// ```
std::string full(const evidence::Reading& reading, const ViewOptions& options);

}  // namespace cutelab::report
