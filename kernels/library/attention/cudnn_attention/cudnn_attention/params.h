#pragma once

namespace cudnn_attention {

/// O = softmax(scale · Q · Kᵀ + mask) · V. By value; host and device agree on this file; pointers are device
/// addresses of dense tensors.
struct Params {
  const void* q;  // (batch, queries, heads, d)     bf16 or fp16
  const void* k;  // (batch, keys, heads_kv, d)     as q
  const void* v;  // (batch, keys, heads_kv, d)     as q
  void* o;        // (batch, queries, heads, d)     as q
  float* lse;     // (batch, heads, queries), or null
  int batch;
  int heads;
  int heads_kv;
  int queries;
  int keys;
  int d;
  float scale;
  int causal;  // 1 = query i of q sees keys up to i + keys - q
  int fp16;    // 1 = fp16, 0 = bf16
  int plan;    // which of the library's execution plans, 0 = its first
};

/// Execution plans that are asked for.
constexpr int most_plans = 8;

}  // namespace cudnn_attention
