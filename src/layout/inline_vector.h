#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

namespace cutelab::layout {

/// A vector whose first N elements need no heap; layouts are short, and the algebra makes many of them. T
/// must be trivially relocatable (moving the bytes and forgetting the source is a move), which holds for
/// every type of this room.
template <class T, std::uint32_t N>
class InlineVector {
 public:
  InlineVector() = default;
  InlineVector(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }
  InlineVector(const InlineVector& other) { append(other.begin(), other.end()); }
  InlineVector(InlineVector&& other) noexcept { steal(other); }
  InlineVector& operator=(const InlineVector& other) {
    if (this == &other) return *this;
    clear();
    append(other.begin(), other.end());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    clear();
    release_heap();
    steal(other);
    return *this;
  }
  ~InlineVector() {
    clear();
    release_heap();
  }

  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void clear() {
    std::destroy(begin(), end());
    size_ = 0;
  }
  void reserve(std::size_t count) {
    if (count > capacity_) grow(count);
  }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) {
      // The arguments may lie in this vector: build first, then move the old elements.
      T item{std::forward<Args>(args)...};
      grow(size_ * 2 + 1);
      new (data_ + size_) T(std::move(item));
    } else {
      new (data_ + size_) T{std::forward<Args>(args)...};
    }
    return data_[size_++];
  }
  void push_back(const T& item) { emplace_back(item); }
  void push_back(T&& item) { emplace_back(std::move(item)); }
  void pop_back() { data_[--size_].~T(); }
  /// [first, last) must not lie in this vector.
  void append(const T* first, const T* last) {
    reserve(size_ + static_cast<std::size_t>(last - first));
    for (; first != last; ++first) new (data_ + size_++) T(*first);
  }
  void erase(std::size_t at) {
    data_[at].~T();
    std::memmove(static_cast<void*>(data_ + at), static_cast<const void*>(data_ + at + 1),
                 (size_ - at - 1) * sizeof(T));
    --size_;
  }

 private:
  T* inline_data() { return reinterpret_cast<T*>(storage_); }
  void release_heap() {
    if (data_ != inline_data()) std::free(data_);
    data_ = inline_data();
    capacity_ = N;
  }
  void grow(std::size_t wanted) {
    std::size_t count = capacity_ * 2;
    if (count < wanted) count = wanted;
    T* bigger = static_cast<T*>(std::malloc(count * sizeof(T)));
    if (!bigger) throw std::bad_alloc();
    std::memcpy(static_cast<void*>(bigger), static_cast<const void*>(data_), size_ * sizeof(T));
    const auto kept = size_;
    release_heap();
    data_ = bigger;
    size_ = kept;
    capacity_ = static_cast<std::uint32_t>(count);
  }
  void steal(InlineVector& other) {
    if (other.data_ == other.inline_data()) {
      std::memcpy(static_cast<void*>(storage_), static_cast<const void*>(other.storage_),
                  other.size_ * sizeof(T));
    } else {
      data_ = other.data_;
      capacity_ = other.capacity_;
      other.data_ = other.inline_data();
      other.capacity_ = N;
    }
    size_ = other.size_;
    other.size_ = 0;
  }

  T* data_ = inline_data();
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  alignas(T) std::byte storage_[N * sizeof(T)];
};

}  // namespace cutelab::layout
