package io.hirundo.paralleldp.internal.fsdp;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.Parameter;
import io.hirundo.model.ParameterSpec;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.layout.BlockParameters;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.weights.FormChoice;
import io.hirundo.paralleldp.internal.weights.GatheredTogether;
import io.hirundo.paralleldp.internal.weights.OwnedGather;
import io.hirundo.paralleldp.internal.weights.ShardedWeights;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.WeightCoding;
import io.hirundo.schedule.Action;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Units that are complete while their blocks work, or whose weights stay. What a block has used stays until another block begins, which
 * spares the fetch where the backward begins with the block that ended the forward.
 */
final class FsdpParameters implements ShardedParameters {
  private final Device device;
  private final boolean alone;
  private final List<Unit> units;
  private final List<List<Unit>> ofBlock;
  private final Map<String, Unit> byName = new HashMap<>();
  private final List<Parameter> parameters;
  private final List<Parameter> owned;
  /** Sum of its units' versions that each block has seen. */
  private final long[] seen;

  private final Map<String, UnitParameter> wholeByName = new HashMap<>();
  private final FormChoice forms;
  private final OwnedGather ownedGather;
  private boolean measured;

  private UnitGradients.Sum latest;
  private FsdpOptions options;
  private final boolean secondStage;
  private final DType parameterType;

  FsdpParameters(
      Device device, BlockParameters declared, List<Unit> units, ProcessGroup group, DType parameterType, FsdpOptions options,
      boolean secondStage) {
    this.device = device;
    this.options = options;
    this.secondStage = secondStage;
    this.parameterType = parameterType;
    this.forms =
        new FormChoice(device, group, declared.specs().stream().map(ParameterSpec::name).toList(), parameterType, options.gatherCodes());
    this.alone = group.size() == 1;
    int rank = group.rank();
    this.units = List.copyOf(units);
    var whole = new UnitParameter[declared.specs().size()];
    var runs = new Parameter[whole.length];
    var unitOf = new Unit[whole.length];
    for (Unit unit : units) {
      BucketLayout layout = unit.layout();
      for (BucketLayout.Place place : layout.places()) {
        ParameterSpec spec = declared.specs().get(place.parameter());
        byName.put(spec.name(), unit);
        unitOf[place.parameter()] = unit;
        whole[place.parameter()] = new UnitParameter(spec, unit, place);
        wholeByName.put(spec.name(), whole[place.parameter()]);
        runs[place.parameter()] =
            layout
                .run(place, rank)
                .map(
                    run ->
                        new UnitParameter.Run(
                            spec, unit, run.firstOfBucket() - layout.sliceFirst(rank), run.firstOfParameter(), run.elements()))
                .orElse(null);
      }
    }
    parameters = List.of(whole);
    owned = Arrays.stream(runs).filter(Objects::nonNull).toList();
    ownedGather = new OwnedGather(device, group, this.units.stream().map(Unit::layout).toList(), parameters, owned);
    ofBlock =
        declared.ofBlock().stream()
            .map(block -> block.stream().map(parameter -> unitOf[parameter]).distinct().toList())
            .toList();
    seen = new long[ofBlock.size()];
    Arrays.fill(seen, -1);
  }

  DType parameterType() {
    return parameterType;
  }

  boolean isSecondStage() {
    return secondStage;
  }

  /** From the next step on. */
  void goOnWith(FsdpOptions others) {
    options = others;
    forms.allowCodes(options.gatherCodes());
  }

  @Override
  public List<Parameter> parameters() {
    return parameters;
  }

  @Override
  public List<Parameter> owned() {
    return owned;
  }

  @Override
  public boolean keepsWeights() {
    return secondStage || alone;
  }

  /** A single rank has its gradients whole from the first microbatch to the last. */
  @Override
  public boolean reducesEveryMicrobatch() {
    return !alone;
  }

  @Override
  public boolean isMovable() {
    return true;
  }

  @Override
  public void gatherOwned(Queue queue, DType dtype, Function<Parameter, Tensor> ofOwned, BiConsumer<String, Tensor> reader) {
    ownedGather.gather(queue, dtype, ofOwned, reader);
  }

  @Override
  public void rehearseGatherOwned(DType dtype) {
    ownedGather.rehearse(dtype);
  }

  @Override
  public void rehearse(Map<String, DType> types, Map<String, WeightCoding> codings) {
    forms.rehearse(weights(), types, codings, gatheredTogether());
  }

  @Override
  public void allocateGradients() {
    try (Queue queue = device.newQueue("memory of gradients")) {
      units.forEach(unit -> unit.gradients().allocate(queue));
      queue.drain();
    }
  }

  @Override
  public void zeroGradients(Queue queue) {
    finishLatest(queue);
    units.forEach(unit -> unit.gradients().zero(queue));
  }

  @Override
  public void encode(Map<String, WeightCoding> wanted) {
    forms.want(wanted);
  }

  @Override
  public void hold(Map<String, DType> types) {
    forms.hold(types);
    if (forms.isFirst()) {
      try (Queue queue = device.newQueue("memory of weights")) {
        renewForms(queue);
        queue.drain();
      }
    }
  }

  private void renewForms(Queue queue) {
    forms.renew(queue, weights());
    measured = false;
  }

  private List<ShardedWeights> weights() {
    return units.stream().map(Unit::weights).toList();
  }

  @Override
  public Optional<CodedWeight> coded(String name) {
    return wholeByName.get(name).coded();
  }

  /** Weights come as it is wanted now, with magnitudes of these weights. */
  private void measure(Queue queue) {
    if (forms.isNew()) {
      renewForms(queue);
    }
    if (!measured) {
      forms.agree(queue, owned);
      measured = true;
    }
  }

  @Override
  public boolean before(Queue queue, int block, Action.Kind kind) {
    measure(queue);
    List<Unit> needed = ofBlock.get(block);
    List<Unit> next = next(block, kind);
    units.stream()
        .filter(unit -> !needed.contains(unit) && !next.contains(unit))
        .forEach(unit -> unit.weights().forget(queue));
    needed.forEach(unit -> unit.weights().fetch(queue));
    needed.forEach(unit -> unit.weights().acquire(queue));
    for (Unit unit : needed) {
      if (kind == Action.Kind.FORWARD) {
        unit.gradients().openOnDemand(queue);
      } else {
        unit.gradients().open(queue);
      }
    }
    next.forEach(unit -> unit.weights().fetch(queue));
    long version = version(block);
    boolean changed = seen[block] != version;
    seen[block] = version;
    return changed;
  }

  private long version(int block) {
    return ofBlock.get(block).stream().mapToLong(unit -> unit.weights().version()).sum();
  }

  /** Whether a block has seen the present weights. */
  private boolean isPrepared(int block) {
    return seen[block] == version(block);
  }

  private IntStream blocksOf(Unit unit) {
    return IntStream.range(0, ofBlock.size()).filter(block -> ofBlock.get(block).contains(unit));
  }

  @Override
  public void after(Queue queue, int block, Action.Kind kind) {
    for (Unit unit : ofBlock.get(block)) {
      unit.weights().release();
      unit.gradients().openNoMore();
      if (keepsWeights() && blocksOf(unit).allMatch(this::isPrepared)) {
        unit.weights().forgetCodes();
      }
    }
  }

  @Override
  public void gradientReady(Queue queue, Parameter parameter, List<Pending> before) {
    String name = parameter.spec().name();
    UnitGradients.Sum sum = byName.get(name).gradients().ready(queue, name, before, options.reduceInBf16());
    if (sum != null) {
      // One at a time under the work: its memory is a whole unit's.
      finishLatest(queue);
      latest = sum;
      if (!options.overlap()) {
        finishLatest(queue);
      }
    }
  }

  @Override
  public void finishGradients(Queue queue) {
    units.forEach(unit -> unit.gradients().requireSent());
    finishLatest(queue);
  }

  @Override
  public void weightsChanged(Queue queue) {
    units.forEach(unit -> unit.weights().changed(queue));
    measured = false;
    if (secondStage || !forms.isNew()) {
      // Now, not at the next use: that may be an evaluation, and every step would not have the same messages. Weights that stay change
      // their form now, too, because the former one may take more memory.
      measure(queue);
    }
  }

  @Override
  public void close() {
    // A message may still be writing: the memory goes when it has ended, or when there is no hope that it does.
    try (Queue queue = device.newQueue("end of messages")) {
      units.forEach(unit -> unit.weights().awaitGather(queue));
      finishLatest(queue);
      queue.drain();
    } finally {
      units.forEach(Unit::close);
      forms.close();
    }
  }

  /** Of each block when it begins, and then with the block that is likely to follow. */
  private List<GatheredTogether> gatheredTogether() {
    var together = new ArrayList<GatheredTogether>();
    for (int block = 0; block < ofBlock.size(); block++) {
      List<Integer> needed = indices(ofBlock.get(block));
      together.add(new GatheredTogether(needed, needed));
      for (Action.Kind kind : List.of(Action.Kind.FORWARD, Action.Kind.BACKWARD_INPUT)) {
        List<Integer> next = indices(next(block, kind));
        together.add(new GatheredTogether(Stream.concat(needed.stream(), next.stream()).distinct().toList(), next));
      }
    }
    return together;
  }

  private List<Integer> indices(List<Unit> some) {
    return some.stream().map(units::indexOf).toList();
  }

  /** What is fetched while a block works: for the block that is likely to follow. */
  private List<Unit> next(int block, Action.Kind kind) {
    int next = kind == Action.Kind.FORWARD ? block + 1 : block - 1;
    return options.overlap() && next >= 0 && next < ofBlock.size() ? ofBlock.get(next) : List.of();
  }

  private void finishLatest(Queue queue) {
    if (latest != null) {
      UnitGradients.Sum sum = latest;
      latest = null;
      sum.finish(queue);
    }
  }
}
