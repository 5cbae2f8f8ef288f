// Softmax cross-entropy over V columns: with m the largest logit of a token, loss = m + log sum exp(logit - m) - logit[label] and
// dLogit = exp(logit - m) / sum - onehot(label). A block of 512 threads for each token. Floors: the loss reads the logits once,
// the gradient reads them twice (the second time from L2, if the row fits) and writes them once.
// A label outside of the vocabulary makes the loss not a number: the host does not look at labels that are on the device.
#include "common.cuh"

// Largest value and sum of exponentials of differences from it, in one pass; the same for all threads.
template <int N, class T, class A> __device__ void largest_and_sum(const T *row, i64 vocabulary, A &largest, A &sum) {
  A m = -CUDA_INFINITY, s = 0;
  for (i64 i = threadIdx.x * N; i < vocabulary; i += blockDim.x * N) {
    Some<T, N> some = take<N>(row + i);
    A before = m;
    for (int k = 0; k < N; k++) {
      A x = widen(some.at[k]);
      m = x > m ? x : m;
    }
    s = m > before ? s * exp(before - m) : s;
    for (int k = 0; k < N; k++) {
      A x = widen(some.at[k]);
      s += x == m ? 1 : exp(x - m);
    }
  }
  largest = over_block<Maximum>(m, (A)-CUDA_INFINITY);
  sum = over_block<Sum>(s == 0 ? s : s * exp(m - largest), (A)0);
}

template <int N, class T, class A>
__device__ void replace_by_gradient(T *row, i64 vocabulary, A largest, A sum, i64 label, A scale) {
  for (i64 i = threadIdx.x * N; i < vocabulary; i += blockDim.x * N) {
    Some<T, N> some = take<N>(row + i);
    for (int k = 0; k < N; k++) {
      A softmax = exp((A)widen(some.at[k]) - largest) / sum;
      narrow(scale == 0 ? 0 : scale * (softmax - (i + k == label ? 1 : 0)), some.at[k]);
    }
    put(some, row + i);
  }
}

// losses[T] = weight (m + log sum - logit[label]), 0 where the weight is 0; the gradient where it is wanted.
template <int N, class T>
__device__ void cross_entropy(bool gradient, T *logits, const int *labels, const float *weights, double gradientScale, double *losses,
                              i64 vocabulary) {
  typedef typename Wide<T>::type A;
  i64 token = blockIdx.x;
  T *row = logits + token * vocabulary;
  i64 label = labels[token];
  A logit = label >= 0 && label < vocabulary ? (A)widen(row[label]) : (A)(CUDA_INFINITY - CUDA_INFINITY);
  float weight = weights[token];
  A largest, sum;
  largest_and_sum<N>(row, vocabulary, largest, sum);
  if (threadIdx.x == 0) {
    losses[token] = weight == 0 ? 0 : (double)weight * ((double)largest - logit + log(sum));
  }
  if (gradient) {
    replace_by_gradient<N>(row, vocabulary, largest, sum, label, (A)(gradientScale * weight));
  }
}

template <int N, class T, class A> __device__ void maximum(const T *row, i64 vocabulary, A *maximum) {
  A largest = -CUDA_INFINITY;
  for (i64 i = threadIdx.x * N; i < vocabulary; i += blockDim.x * N) {
    Some<T, N> some = take<N>(row + i);
    for (int k = 0; k < N; k++) {
      largest = Maximum::of(largest, (A)widen(some.at[k]));
    }
  }
  largest = over_block<Maximum>(largest, (A)-CUDA_INFINITY);
  if (threadIdx.x == 0) {
    *maximum = largest;
  }
}

// Of V columns that begin with token first.
template <int N, class T, class A>
__device__ void partial_sums(const T *logits, const int *labels, i64 first, const A *maximum, A *sums, i64 tokens, i64 vocabulary) {
  i64 token = blockIdx.x;
  const T *row = logits + token * vocabulary;
  A largest = maximum[token], sum = 0;
  for (i64 i = threadIdx.x * N; i < vocabulary; i += blockDim.x * N) {
    Some<T, N> some = take<N>(row + i);
    for (int k = 0; k < N; k++) {
      sum += exp((A)widen(some.at[k]) - largest);
    }
  }
  sum = over_block<Sum>(sum, (A)0);
  if (threadIdx.x == 0) {
    i64 column = labels[token] - first;
    sums[token] = sum;
    sums[tokens + token] = column >= 0 && column < vocabulary ? (A)widen(row[column]) - largest : 0;
  }
}

// One block: into += sum of the losses, in an order that depends on their number alone.
KERNEL(512, add_losses, const double *losses, i64 tokens, double *into) {
  double sum = 0;
  for (i64 i = threadIdx.x; i < tokens; i += blockDim.x) {
    sum += losses[i];
  }
  sum = over_block<Sum>(sum, 0.0);
  if (threadIdx.x == 0) {
    *into += sum;
  }
}

// One block: into += sum of weight (log sums[0] - sums[1]).
template <class A> __device__ void loss_of_sums(const A *sums, const float *weights, i64 tokens, double *into) {
  double loss = 0;
  for (i64 i = threadIdx.x; i < tokens; i += blockDim.x) {
    loss += weights[i] == 0 ? 0 : (double)weights[i] * (log((double)sums[i]) - sums[tokens + i]);
  }
  loss = over_block<Sum>(loss, 0.0);
  if (threadIdx.x == 0) {
    *into += loss;
  }
}

KERNEL(512, loss_of_sums_f32, const float *sums, const float *weights, i64 tokens, double *into) {
  loss_of_sums(sums, weights, tokens, into);
}
KERNEL(512, loss_of_sums_f64, const double *sums, const float *weights, i64 tokens, double *into) {
  loss_of_sums(sums, weights, tokens, into);
}

#define BY_LOGITS(T, ...) BY_ROWS(T, vocabulary, begin_whole(logits), __VA_ARGS__)
#define OF_TYPE(T, t, A)                                                                                          \
  KERNEL(512, cross_entropy_##t, T *logits, const int *labels, const float *weights, double *losses, i64 vocabulary) { \
    BY_LOGITS(T, cross_entropy, false, logits, labels, weights, 0, losses, vocabulary)                            \
  }                                                                                                               \
  KERNEL(512, cross_entropy_gradient_##t, T *logits, const int *labels, const float *weights, double gradientScale, \
         double *losses, i64 vocabulary) {                                                                        \
    BY_LOGITS(T, cross_entropy, true, logits, labels, weights, gradientScale, losses, vocabulary)                 \
  }                                                                                                               \
  KERNEL(512, maximum_##t, const T *logits, A *maxima, i64 vocabulary) {                                          \
    BY_LOGITS(T, maximum, logits + blockIdx.x * vocabulary, vocabulary, maxima + blockIdx.x)                      \
  }                                                                                                               \
  KERNEL(512, partial_sums_##t, const T *logits, const int *labels, i64 first, const A *maximum, A *sums, i64 tokens, \
         i64 vocabulary) {                                                                                        \
    BY_LOGITS(T, partial_sums, logits, labels, first, maximum, sums, tokens, vocabulary)                          \
  }                                                                                                               \
  KERNEL(512, gradient_of_sums_##t, T *logits, const int *labels, i64 first, const A *maximum, const A *sums,     \
         const float *weights, double gradientScale, i64 vocabulary) {                                            \
    i64 token = blockIdx.x;                                                                                       \
    BY_LOGITS(T, replace_by_gradient, logits + token * vocabulary, vocabulary, maximum[token], sums[token],       \
              labels[token] - first, (A)(gradientScale * weights[token]))                                         \
  }

OF_TYPE(double, f64, double)
OF_TYPE(float, f32, float)
OF_TYPE(bf16, bf16, float)
