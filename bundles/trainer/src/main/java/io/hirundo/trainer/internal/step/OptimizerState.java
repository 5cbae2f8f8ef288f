package io.hirundo.trainer.internal.step;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.OptimizerRun.State;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.model.OwnedRuns;
import io.hirundo.trainer.internal.model.RankModel;
import io.hirundo.trainer.internal.rank.StringAllGather;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The optimizer of one rank and its state. The state outlives the optimizer: another optimizer with the same state tensors can take it
 * over, and in between it is kept here.
 */
public final class OptimizerState implements AutoCloseable {
  private record Key(String parameter, long firstElement, String name) {}

  private final Device device;
  private final Queue queue;
  private List<Parameter> parameters;
  private OptimizerRun run;
  /** Copies owned by this object while there is no optimizer. */
  private List<State> kept = List.of();

  OptimizerState(Device device, Queue queue, List<Parameter> parameters, Optimizer optimizer) {
    this.device = device;
    this.queue = queue;
    this.parameters = parameters;
    this.run = optimizer.bind(device, parameters);
  }

  void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
    run.step(queue, step, learningRate, gradientCoefficient1);
  }

  public List<State> state() {
    return run == null ? kept : run.state();
  }

  /**
   * Creates another optimizer with its own state, for {@link #replace}. The caller owns it until then.
   *
   * @throws ConfigurationException if its state tensors differ from the current ones
   */
  public OptimizerRun other(Optimizer optimizer) {
    OptimizerRun other = optimizer.bind(device, parameters);
    var present = byKey(state());
    var needed = byKey(other.state());
    boolean fits =
        present.keySet().equals(needed.keySet())
            && present.entrySet().stream().allMatch(entry -> sameForm(entry.getValue(), needed.get(entry.getKey())));
    if (!fits) {
      other.close();
      throw new ConfigurationException(
          "optimizer: it keeps " + names(needed) + ", and the run has " + names(present)
              + ": its state cannot carry over; begin a new run from the model with model.from");
    }
    return other;
  }

  /**
   * Checks that {@link #moveTo} can move the state.
   *
   * @throws ConfigurationException if it has other elements than the parameters
   */
  public void requireMovable() {
    Set<ParameterSpec> shapes = parameters.stream().map(Parameter::spec).collect(Collectors.toSet());
    for (State state : state()) {
      if (!shapes.contains(state.parameter().spec())) {
        throw new ConfigurationException(
            "mesh.dataParallel: " + state.name() + " of the optimizer cannot move to other ranks while the run trains; stop it, and continue with"
                + " --resume and --set");
      }
    }
  }

  private static boolean sameForm(Tensor one, Tensor other) {
    return one.shape().equals(other.shape()) && one.dtype() == other.dtype();
  }

  private static List<String> names(Map<Key, Tensor> states) {
    return states.keySet().stream().map(Key::name).distinct().toList();
  }

  /** Copies the current state into another optimizer and continues with that optimizer. */
  public void replace(OptimizerRun other) {
    var present = byKey(state());
    byKey(other.state())
        .forEach((key, tensor) -> device.kernels().elementwise().copy(queue, present.get(key), tensor));
    queue.drain();
    close();
    run = other;
  }

  /**
   * Moves the state to other owners, and continues with their optimizer. Collective; before the model's parameters are replaced.
   *
   * @param other the same optimizer, bound to {@code owned}
   * @param owned what this rank owns under the next data-parallel strategy
   */
  public void moveTo(RankModel model, OptimizerRun other, List<Parameter> owned) {
    // A rank that owns nothing does not know what the others move.
    var forms = new TreeSet<String>();
    String own = state().stream().map(OptimizerState::form).distinct().collect(Collectors.joining(" "));
    StringAllGather.exchange(model.rank(), own).forEach(names -> forms.addAll(List.of(names.split(" "))));
    forms.remove("");
    var present = byKey(state());
    var next = byKey(other.state());
    for (String form : forms) {
      String name = form.substring(form.indexOf(':') + 1);
      DType dtype = DType.valueOf(form.substring(0, form.indexOf(':')));
      OwnedRuns.move(model, dtype, run -> present.get(key(run, name)), owned, run -> next.get(key(run, name)));
    }
    close();
    run = other;
    parameters = owned;
  }

  private static String form(State state) {
    return state.tensor().dtype() + ":" + state.name();
  }

  private static Key key(Parameter run, String name) {
    return new Key(run.spec().name(), run.firstElement(), name);
  }

  /** Closes the optimizer and keeps a copy of its state. */
  public void release() {
    var copies = new ArrayList<State>();
    for (State state : run.state()) {
      Tensor copy = device.allocate(MemoryCategory.OPTIMIZER, state.tensor().shape(), state.tensor().dtype());
      device.kernels().elementwise().copy(queue, state.tensor(), copy);
      copies.add(new State(state.parameter(), state.name(), copy));
    }
    queue.drain();
    run.close();
    run = null;
    kept = List.copyOf(copies);
  }

  private static Map<Key, Tensor> byKey(List<State> states) {
    var map = new LinkedHashMap<Key, Tensor>();
    for (State state : states) {
      map.put(key(state.parameter(), state.name()), state.tensor());
    }
    return map;
  }

  @Override
  public void close() {
    if (run != null) {
      run.close();
      run = null;
    }
    kept.forEach(state -> state.tensor().close());
    kept = List.of();
  }
}
