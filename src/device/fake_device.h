#pragma once
#include <functional>
#include <map>
#include <string>

#include "device/device.h"

namespace cutelab::device {

/// A GPU made of host memory for tests: addresses are host pointers, time is what the test says, every access
/// is logged. Single-threaded. Failures are planted by name of the call.
struct FakeMachine {
  DeviceInfo info{0,        "Fake GPU", 9,     0,    132,  std::int64_t{1} << 30,
                  50 << 20, 232448,     65536, 1980, 3201, "0000:01:00.0"};
  DriverInfo driver{"999.1", 13000, ""};
  std::string list_error;                                            ///< not empty: list() fails with it
  std::map<std::string, std::string> failing;                        ///< call name -> error text
  std::map<std::string, int> failing_code;                           ///< call name -> the driver's number
  std::function<double(int)> elapsed_us = [](int) { return 10.0; };  ///< time of the n-th measurement
  std::function<Sample(int)> sample = [](int) { return Sample{1980, 3201, 500, 50, {}}; };
  /// What the counters say of the n-th call to count(), by metric; a metric that it leaves out is unknown.
  std::function<std::map<std::string, double>(int)> counters = [](int) {
    return std::map<std::string, double>{};
  };
  int counter_passes = 3;
  std::vector<std::string> log;  ///< "allocate 1024", "fill", "record 0", …
  int measured = 0;
  int sampled = 0;
  int counted = 0;
};

/// `machine` outlives the device.
std::unique_ptr<Device> fake_device(FakeMachine& machine);

}  // namespace cutelab::device
