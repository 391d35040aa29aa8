#include <gtest/gtest.h>

#include "reading/models/copy_atoms.h"
#include "reading/models/layout_values.h"
#include "reading/models/mma_atoms.h"

// Expected layouts are those that the DSL prints for the same calls.

namespace cutelab::reading::machine {
namespace {

class NoFiles final : public FileSource {
 public:
  Result<std::string> read(const std::string& path, std::uint64_t) const override { return missing(path); }
  Result<FileStatus> status(const std::string& path) const override { return missing(path); }
  Result<std::vector<std::string>> list(const std::string& folder, std::vector<std::string>*) const override {
    return missing(folder);
  }

 private:
  static Error missing(const std::string& path) {
    return {ErrorKind::input, "open " + path, "no such file", "", ""};
  }
};

class Models : public ::testing::Test {
 protected:
  Models() { program_.open("kernel.py", "x = 1\n"); }
  Value call(const std::string& path, std::vector<Value> arguments) {
    return m_.call(m_.external("cutlass." + path), std::move(arguments));
  }
  Value method(const Value& self, const std::string& name, std::vector<Value> arguments) {
    return m_.call(m_.attribute(self, name), std::move(arguments));
  }
  Value numbers(std::vector<std::int64_t> all) {
    std::vector<Value> items;
    for (const std::int64_t n : all) items.push_back(Value::integer(n));
    return m_.tuple(std::move(items));
  }
  Value tcgen05(std::int64_t m, const char* group, const char* accumulator) {
    const Value k = m_.external("cutlass.cute.nvgpu.OperandMajorMode.K");
    const Value op =
        call("cute.nvgpu.tcgen05.MmaF16BF16Op",
             {m_.external("cutlass.Float16"), m_.external(std::string("cutlass.") + accumulator),
              numbers({m, 128, 16}), m_.external(std::string("cutlass.cute.nvgpu.tcgen05.CtaGroup.") + group),
              m_.external("cutlass.cute.nvgpu.tcgen05.OperandSource.SMEM"), k, k});
    return call("cute.make_tiled_mma", {op});
  }
  std::string shown(const Value& v) { return m_.repr(v); }

  NoFiles files_;
  source::Program program_{files_, {}};
  Machine m_{program_, {}};
};

TEST_F(Models, LayoutsOfShapesAndTheirMeasures) {
  const Value layout = call("cute.make_layout", {numbers({4, 8})});
  EXPECT_EQ(shown(layout), "(4,8):(1,4)");
  EXPECT_EQ(shown(call("cute.zipped_divide", {layout, numbers({2, 2})})), "((2,2),(2,4)):((1,4),(2,8))");
  EXPECT_EQ(shown(call("cute.ceil_div", {numbers({10, 6}), numbers({3, 4})})), "(4, 2)");
  EXPECT_EQ(shown(call("cute.size_in_bytes", {m_.external("cutlass.Float16"), layout})), "64");
  EXPECT_TRUE(call("cute.make_layout", {m_.unknown("not known")}).is_unknown());
}

TEST_F(Models, TensorMemoryOfAccumulators) {
  const Value one = tcgen05(128, "ONE", "Float32");
  const Value shape = method(one, "partition_shape_C", {numbers({128, 256})});
  EXPECT_EQ(shown(shape), "((128, 128), 1, 2)");
  const Value fragment = method(one, "make_fragment_C", {shape});
  EXPECT_EQ(shown(m_.attribute(fragment, "layout")), "((128,128),1,2):((65536,1),0,128)");
  EXPECT_EQ(shown(call("cute.nvgpu.tcgen05.find_tmem_tensor_col_offset", {fragment})), "256");
  const Value pair = tcgen05(128, "TWO", "Float16");
  const Value own =
      method(pair, "make_fragment_C", {method(pair, "partition_shape_C", {numbers({128, 256})})});
  EXPECT_EQ(shown(m_.attribute(own, "layout")), "((64,(64,2)),1,2):((131072,(2,8388608)),0,128)");
  const Value half = tcgen05(64, "ONE", "Float32");
  const Value rows =
      method(half, "make_fragment_C", {method(half, "partition_shape_C", {numbers({64, 256})})});
  EXPECT_EQ(shown(m_.attribute(rows, "layout")), "(((16,4),128),1,2):(((65536,2097152),1),0,1048576)");
}

/// Layouts as the DSL 4.8.1 prints them for one stage in shared memory and for tensor memory.
TEST_F(Models, TensorMemoryOfScaleFactors) {
  const auto of = [&](const char* shape_and_stride) {
    const auto shared = layout::parse_layout(shape_and_stride);
    EXPECT_TRUE(shared.ok());
    return shown(call("utils.blockscaled_layout.make_tmem_layout_sfa",
                      {Value::none(), Value::none(), Value::integer(16), m_.layout(*shared)}));
  };
  EXPECT_EQ(of("((((32,4),1),(16,4)),1,4):((((16,4),0),(0,1)),0,512)"),
            "((((32,4),4),(16,4)),1,4):((((262144,4),8388608),(0,1)),0,16)");
  EXPECT_EQ(of("((((32,4),2),(16,4)),1,4):((((16,4),2048),(0,1)),0,512)"),
            "((((32,8),4),(16,4)),1,4):((((262144,4),8388608),(0,1)),0,32)");
  EXPECT_EQ(of("((((32,4),2),(32,1)),1,4):((((16,4),512),(0,0)),0,1)"),
            "((((32,8),4),(32,1)),1,4):((((262144,4),8388608),(0,0)),0,1)");
  EXPECT_EQ(of("((((32,4),2),(32,2)),1,(2,2)):((((16,4),1024),(0,1)),0,(2,512))"),
            "((((32,8),4),(32,2)),1,(2,2)):((((262144,4),8388608),(0,1)),0,(2,32))");
  EXPECT_EQ(of("(((8,4,4),(16,4)),1,3):(((16,128,4),(0,1)),0,512)"),
            "((((32,4),4),(16,4)),1,3):((((262144,4),8388608),(0,1)),0,16)");
  EXPECT_EQ(of("(((32,4,2),(16,4)),1,3):(((16,4,1536),(0,1)),0,512)"),
            "((((32,8),4),(16,4)),1,3):((((262144,4),8388608),(0,1)),0,32)");
  EXPECT_EQ(of("(((32,4),(16,4)),1,4):(((4,128),(0,1)),0,512)").find("(("), std::string::npos);
  EXPECT_EQ(of("((64,(16,4)),1,4):((16,(0,1)),0,512)").find("(("), std::string::npos);
}

/// A tile of the accumulator, 128 rows by `n` of 32 bits, and the copy between it and registers.
struct TensorMemoryCase {
  Value mma, fragment, copy;
};
class TensorMemoryCopies : public Models {
 protected:
  TensorMemoryCase copy_of(std::int64_t n, const char* op, const char* repeat) {
    const Value k = m_.external("cutlass.cute.nvgpu.OperandMajorMode.K");
    const std::string tcgen05 = "cutlass.cute.nvgpu.tcgen05.";
    const Value mma_op =
        call("cute.nvgpu.tcgen05.MmaF16BF16Op",
             {m_.external("cutlass.BFloat16"), m_.external("cutlass.Float32"), numbers({128, n, 16}),
              m_.external(tcgen05 + "CtaGroup.ONE"), m_.external(tcgen05 + "OperandSource.SMEM"), k, k});
    const Value mma = call("cute.make_tiled_mma", {mma_op});
    const Value fragment =
        method(mma, "make_fragment_C", {method(mma, "partition_shape_C", {numbers({128, n})})});
    const Value load =
        call("cute.nvgpu.tcgen05." + std::string(op), {m_.external(tcgen05 + "Repetition." + repeat)});
    const Value atom = call("cute.make_copy_atom", {load, m_.external("cutlass.Float32")});
    return {mma, fragment, call("cute.nvgpu.tcgen05.make_tmem_copy", {atom, fragment})};
  }
  std::string part(const TensorMemoryCase& of, const char* side, const Value& tensor) {
    const Value thread = method(of.copy, "get_slice", {Value::integer(0)});
    return shown(m_.attribute(method(thread, side, {tensor}), "layout"));
  }
};

TEST_F(TensorMemoryCopies, RegistersHoldTheirPartOfWhatAWarpMoves) {
  const TensorMemoryCase wide = copy_of(128, "Ld32x32bOp", "x32");
  EXPECT_EQ(shown(m_.attribute(wide.copy, "layout_src_tv_tiled")), "((32,4),(1024,1)):((0,1),(4,0))");
  EXPECT_EQ(shown(m_.attribute(wide.copy, "layout_dst_tv_tiled")), "((32,4),(32,1)):((128,1),(4,0))");
  EXPECT_EQ(part(wide, "partition_S", wide.fragment), "(((32,32),1),4,1,1):(((1,65536),0),32,0,0)");
  EXPECT_EQ(part(wide, "partition_D", wide.fragment), "((32,1),4,1,1):((1,0),32,0,0)");
  const TensorMemoryCase lanes = copy_of(128, "Ld16x256bOp", "x4");
  EXPECT_EQ(shown(m_.attribute(lanes.copy, "layout_dst_tv_tiled")),
            "((4,8,4),((2,2,4),1)):((8,128,1),((4,1024,32),0))");
  EXPECT_EQ(part(lanes, "partition_D", lanes.fragment),
            "(((2,2,4),1),(2,4),1,1):(((1,524288,8),0),(1048576,32),0,0)");
  const TensorMemoryCase store = copy_of(128, "St32x32bOp", "x16");
  EXPECT_EQ(shown(m_.attribute(store.copy, "layout_src_tv_tiled")), "((32,4),(16,1)):((64,1),(4,0))");
  EXPECT_EQ(part(store, "partition_S", store.fragment), "((16,1),8,1,1):((1,0),16,0,0)");
}

TEST_F(TensorMemoryCopies, OfATileWhoseRowsRepeat) {
  const TensorMemoryCase narrow = copy_of(8, "Ld32x32bOp", "x8");
  const Value thread = method(narrow.mma, "get_slice", {Value::integer(0)});
  const auto of = [&](std::vector<std::int64_t> strides) {
    const Value layout = call("cute.make_layout", {numbers({128, 8}), numbers(std::move(strides))});
    const Value whole = call("cute.make_tensor", {Value::none(), layout});
    return part(narrow, "partition_D", method(thread, "partition_C", {whole}));
  };
  EXPECT_EQ(of({0, 1}), "((8,1),1,1,1):((1,0),0,0,0)");
  EXPECT_EQ(of({1, 0}), "((8,1),1,1,1):((0,0),0,0,0)");
  EXPECT_EQ(of({8, 1}), "((8,1),1,1,1):((1,0),0,0,0)");
}

TEST_F(Models, TiledWarpMmaAsTheDslPrintsIt) {
  const Value op =
      call("cute.nvgpu.warp.MmaF16BF16Op",
           {m_.external("cutlass.Float16"), m_.external("cutlass.Float32"), numbers({16, 8, 16})});
  const Value mma = call("cute.make_tiled_mma", {op, numbers({2, 2, 1}), numbers({32, 32, 16})});
  EXPECT_EQ(shown(m_.attribute(mma, "size")), "128");
  EXPECT_EQ(shown(m_.attribute(mma, "thr_layout_vmnk")), "(32,2,2,1):(1,32,64,0)");
  EXPECT_EQ(shown(m_.attribute(mma, "tv_layout_C_tiled")),
            "((4,8,2,2),((2,2),(1,2))):((64,1,16,256),((32,8),(0,512)))");
}

}  // namespace
}  // namespace cutelab::reading::machine
