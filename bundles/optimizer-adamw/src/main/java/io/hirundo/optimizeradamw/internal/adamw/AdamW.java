package io.hirundo.optimizeradamw.internal.adamw;

import static io.hirundo.kernel.AdamW8BitKernels.BLOCK_ELEMENTS;
import static io.hirundo.kernel.AdamW8BitKernels.CODES_OF_WORD;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.kernel.AdamW8BitKernels;
import io.hirundo.kernel.AdamW8BitKernels.Moment;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.Ownership;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** AdamW with its hyperparameters; the formula is that of {@code OptimizerKernels.adamW}. */
record AdamW(AdamWOptions options) implements Optimizer {
  private static final Logger LOG = LoggerFactory.getLogger(AdamW.class);

  /** Blocks of 8-bit state must not be divided between ranks. */
  @Override
  public Ownership ownership(ParameterSpec parameter) {
    return isIn8Bits(parameter) ? Ownership.BLOCKS : Ownership.ELEMENTS;
  }

  private boolean isIn8Bits(ParameterSpec parameter) {
    return options.eightBitState() && BlockwiseState.fits(parameter);
  }

  @Override
  public OptimizerRun bind(Device device, List<Parameter> parameters) {
    AdamW8BitKernels kernels = options.eightBitState() ? kernels(device, parameters) : null;
    var states = new ArrayList<ParameterState>();
    try (Queue queue = device.newQueue("optimizer state")) {
      for (Parameter parameter : parameters) {
        states.add(isIn8Bits(parameter.spec()) ? in8Bits(device, queue, parameter) : inItsType(device, queue, parameter));
      }
      queue.drain();
    } catch (RuntimeException e) {
      states.forEach(ParameterState::close);
      throw e;
    }
    return new AdamWRun(options, device.kernels().optimizer(), kernels, states);
  }

  private AdamW8BitKernels kernels(Device device, List<Parameter> parameters) {
    for (Parameter parameter : parameters) {
      if (parameter.value().dtype() != DType.FP32) {
        throw new ConfigurationException(
            "optimizer.options.eightBitState: true is wrong with weights in " + parameter.value().dtype()
                + " (allowed: with FP32 master weights); set it to false");
      }
    }
    List<Parameter> wide = parameters.stream().filter(parameter -> parameter.spec().isMatrix() && !isIn8Bits(parameter.spec())).toList();
    if (!wide.isEmpty()) {
      LOG.info("moments of {} matrices stay in FP32, because their rows are no whole blocks of {}; one is {}",
          wide.size(), BLOCK_ELEMENTS, wide.getFirst().spec().name());
    }
    return device
        .kernels()
        .find(AdamW8BitKernels.class)
        .orElseThrow(
            () ->
                new ConfigurationException(
                    "optimizer.options.eightBitState: " + device.info().name() + " has no AdamW8BitKernels; set it to false"));
  }

  private static ParameterState in8Bits(Device device, Queue queue, Parameter parameter) {
    long elements = parameter.value().elements();
    if (elements % BLOCK_ELEMENTS != 0 || parameter.firstElement() % BLOCK_ELEMENTS != 0) {
      throw new ConfigurationException(
          "optimizer.options.eightBitState: the data-parallel strategy divides " + parameter.spec().name() + " within a block of "
              + BLOCK_ELEMENTS + " elements (allowed: zero1, zero2, fsdp); choose one of these, or set it to false");
    }
    Shape codes = Shape.of(elements / CODES_OF_WORD);
    Shape scales = Shape.of(elements / BLOCK_ELEMENTS);
    List<Tensor> all =
        zeros(device, queue, new Shape[] {codes, scales, codes, scales}, new DType[] {DType.INT32, DType.FP32, DType.INT32, DType.FP32});
    return new Moments8Bit(parameter, new Moment(all.get(0), all.get(1)), new Moment(all.get(2), all.get(3)));
  }

  private static ParameterState inItsType(Device device, Queue queue, Parameter parameter) {
    Shape shape = parameter.value().shape();
    DType dtype = parameter.value().dtype();
    List<Tensor> both = zeros(device, queue, new Shape[] {shape, shape}, new DType[] {dtype, dtype});
    return new Moments(parameter, both.get(0), both.get(1));
  }

  /** All or none. */
  private static List<Tensor> zeros(Device device, Queue queue, Shape[] shapes, DType[] dtypes) {
    var tensors = new ArrayList<Tensor>();
    try {
      for (int index = 0; index < shapes.length; index++) {
        tensors.add(device.allocate(MemoryCategory.OPTIMIZER, shapes[index], dtypes[index]));
        device.kernels().elementwise().fill(queue, tensors.getLast(), 0);
      }
      return tensors;
    } catch (RuntimeException e) {
      tensors.forEach(Tensor::close);
      throw e;
    }
  }
}
