package io.hirundo.optimizeradamw.internal.adamw;

import io.hirundo.kernel.AdamW8BitKernels;
import io.hirundo.kernel.AdamW8BitKernels.Moment;
import io.hirundo.model.Parameter;
import io.hirundo.optimizer.OptimizerRun.State;
import java.util.stream.Stream;

/** The moments of one parameter in 8 bits, which it owns. */
record Moments8Bit(Parameter parameter, Moment first, Moment second) implements ParameterState {
  AdamW8BitKernels.Update update() {
    return new AdamW8BitKernels.Update(parameter.gradient(), parameter.value(), first, second);
  }

  @Override
  public Stream<State> state() {
    return Stream.concat(state("exp_avg", first), state("exp_avg_sq", second));
  }

  private Stream<State> state(String name, Moment moment) {
    var codes = BlockwiseState.of(parameter, AdamW8BitKernels.CODES_OF_WORD, moment.codes());
    var scales = BlockwiseState.of(parameter, AdamW8BitKernels.BLOCK_ELEMENTS, moment.scales());
    return Stream.of(new State(codes, name + "_codes", moment.codes()), new State(scales, name + "_scales", moment.scales()));
  }

  @Override
  public void close() {
    Stream.of(first, second)
        .forEach(
            moment -> {
              moment.codes().close();
              moment.scales().close();
            });
  }
}
