package io.hirundo.paralleltp.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.CpuBackendFactory;
import io.hirundo.devicecpu.internal.CpuOptions;
import io.hirundo.model.MicroBatch;
import io.hirundo.model.Recompute;
import io.hirundo.model.StepContext;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** One rank with its device, its place in a group and a microbatch. Counts bytes. */
final class TestRank implements StepContext, DeviceLedger, AutoCloseable {
  static final int SEQUENCES = 2;
  static final int SEQUENCE_TOKENS = 12;
  static final int TOKENS = SEQUENCES * SEQUENCE_TOKENS;
  static final int VOCABULARY = 56;

  final Meeting.Member group;
  private final DType dtype;
  private final Device device;
  private final Queue queue;
  private final MicroBatch batch;
  private final Tensor lossSum;
  private final Map<MemoryCategory, Long> bytes = new EnumMap<>(MemoryCategory.class);

  private TestRank(Meeting meeting, int rank, DType dtype) {
    this.dtype = dtype;
    String kernels = dtype == DType.FP64 ? CpuOptions.REFERENCE : CpuOptions.VECTOR;
    device = new CpuBackendFactory().create(new CpuOptions(1, kernels)).open(0, this);
    group = meeting.join(rank, device);
    queue = device.newQueue("test");
    lossSum = tensor(Shape.of(1), DType.FP64, new double[1]);
    double[] tokens = new double[TOKENS];
    double[] labels = new double[TOKENS];
    double[] weights = new double[TOKENS];
    double[] positions = new double[TOKENS];
    for (int i = 0; i < TOKENS; i++) {
      tokens[i] = i * 37 % VOCABULARY;
      labels[i] = i * 23 % VOCABULARY;
      weights[i] = i % 5 == 3 ? 0 : 1;
      positions[i] = i % SEQUENCE_TOKENS;
    }
    batch =
        new MicroBatch(
            SEQUENCES,
            SEQUENCE_TOKENS,
            1,
            tensor(Shape.of(TOKENS), DType.INT32, tokens),
            tensor(Shape.of(TOKENS), DType.INT32, labels),
            tensor(Shape.of(TOKENS), DType.FP32, weights),
            tensor(Shape.of(TOKENS), DType.INT32, positions),
            Optional.empty());
  }

  interface Work<T> {
    T of(TestRank rank);
  }

  /** What each of the ranks finds; no rank may leave memory or messages behind. */
  static <T> List<T> each(int ranks, DType dtype, Work<T> work) {
    var meeting = new Meeting(ranks);
    var executor = Executors.newFixedThreadPool(ranks);
    try {
      var ended = new ExecutorCompletionService<T>(executor);
      var futures = new ArrayList<Future<T>>();
      for (int rank = 0; rank < ranks; rank++) {
        int number = rank;
        futures.add(ended.submit(() -> one(meeting, number, dtype, work)));
      }
      for (int i = 0; i < ranks; i++) {
        ended.take().get();
      }
      var results = new ArrayList<T>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw new AssertionError("a rank failed: " + e.getCause().getMessage(), e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      executor.shutdownNow();
    }
  }

  private static <T> T one(Meeting meeting, int number, DType dtype, Work<T> work) {
    try (var rank = new TestRank(meeting, number, dtype)) {
      T result = work.of(rank);
      assertEquals(0, rank.group.open(), "messages that nobody waited for");
      assertEquals(0L, rank.bytes(MemoryCategory.COMMUNICATION), "communication buffers left");
      assertEquals(0L, rank.bytes(MemoryCategory.ACTIVATIONS), "activations left");
      return result;
    }
  }

  /** A tensor of weights, which may stay behind. */
  Tensor tensor(Shape shape, DType type, double[] values) {
    Tensor tensor = device.allocate(MemoryCategory.WEIGHTS, shape, type);
    Values.write(device, queue, values, tensor);
    return tensor;
  }

  Tensor activation(Shape shape, double[] values) {
    Tensor tensor = allocate(shape);
    Values.write(device, queue, values, tensor);
    return tensor;
  }

  double[] read(Tensor tensor) {
    return Values.read(device, queue, tensor);
  }

  double[] readAndClose(Tensor tensor) {
    double[] values = read(tensor);
    tensor.close();
    return values;
  }

  double loss() {
    return read(lossSum)[0];
  }

  long bytes(MemoryCategory category) {
    return bytes.getOrDefault(category, 0L);
  }

  @Override
  public void reserve(MemoryCategory category, long count) {
    bytes.merge(category, count, Long::sum);
  }

  @Override
  public void release(MemoryCategory category, long count) {
    bytes.merge(category, -count, Long::sum);
  }

  @Override
  public void work(String kernel, long flops, long movedBytes) {}

  @Override
  public Device device() {
    return device;
  }

  @Override
  public Queue queue() {
    return queue;
  }

  @Override
  public MicroBatch batch() {
    return batch;
  }

  @Override
  public Recompute recompute() {
    return Recompute.NONE;
  }

  @Override
  public Tensor lossSum() {
    return lossSum;
  }

  @Override
  public double gradientScale() {
    return 1.0 / 19;
  }

  @Override
  public DType activationType() {
    return dtype;
  }

  @Override
  public Tensor allocate(Shape shape) {
    return device.allocate(MemoryCategory.ACTIVATIONS, shape, dtype);
  }

  @Override
  public Tensor allocateStatistics(Shape shape) {
    return allocate(shape);
  }

  @Override
  public void close() {
    device.close();
  }
}
