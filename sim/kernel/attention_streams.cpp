#include <vector>

#include "common/counts.hpp"
#include "sim/kernel/attention_kernel.hpp"

namespace stcsim {

StreamWork attention_delta(const AttentionShape& shape) {
  const std::int64_t elements = shape.query_elements();
  return {.read_bytes = 2 * bytes_of(shape.dtype, elements),
          .write_bytes = bytes_of(DataType::fp32, elements + elements / shape.head_size),
          .vector_ops = 2 * elements};
}

StreamWork attention_cast(const AttentionShape& shape) {
  const std::int64_t elements = shape.query_elements();
  return {.read_bytes = bytes_of(DataType::fp32, elements),
          .write_bytes = bytes_of(shape.dtype, elements),
          .vector_ops = elements};
}

StreamWork attention_sum(const AttentionShape& shape) {
  const std::int64_t all = shape.key_elements() * (shape.heads / shape.kv_heads);
  return {.read_bytes = bytes_of(shape.dtype, all),
          .write_bytes = bytes_of(shape.dtype, shape.key_elements()),
          .vector_ops = all};
}

std::vector<StreamWork> beside_attention(const AttentionWork& work) {
  const AttentionShape& shape = work.shape;
  if (!work.backward) {
    const bool unpacks = work.kernel == AttentionKernel::cudnn && shape.dropout;
    return std::vector<StreamWork>(unpacks ? 1 : 0, {.read_bytes = 16, .write_bytes = 16});
  }
  std::vector<StreamWork> beside{attention_delta(shape), attention_cast(shape)};
  if (shape.heads > shape.kv_heads) beside.insert(beside.end(), 2, attention_sum(shape));
  return beside;
}

}  // namespace stcsim
