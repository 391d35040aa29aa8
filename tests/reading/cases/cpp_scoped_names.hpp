// A name behind `::` is the scope's: not the one of the same spelling in this file.
// expect-pattern: P1 absent
struct Known {
  static constexpr int width = 8;
  using Element = float;
};

template <class Mainloop>
struct Kernel {
  using Element = double;
  static constexpr int width = 2;
  struct SharedStorage {
    typename Mainloop::SharedStorage mainloop;  // expect: H3 storage-member bytes=?
    int tail;
  };
  struct OwnStorage {  // expect: H3 storage bytes=32
    Known::Element values[Known::width];  // expect: H3 storage-member bytes=32
  };
};

// The type of a template's parameter is not the parameter.
template <GMMA::Major major, int rows>
using Staged = decltype(tile_to_shape(
    conditional_t<major == GMMA::Major::K, GMMA::Layout_K_SW128_Atom<float>, GMMA::Layout_MN_SW128_Atom<float>>{},
    Shape<Int<rows>, Int<32>>{}));

struct StagedStorage {                          // expect: H3 storage bytes=8192
  float a[cosize_v<Staged<GMMA::Major::K, 64>>];
};
