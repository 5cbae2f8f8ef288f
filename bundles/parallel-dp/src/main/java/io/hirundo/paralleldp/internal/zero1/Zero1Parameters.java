package io.hirundo.paralleldp.internal.zero1;

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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Buckets of complete weights and gradients, of which each rank owns a slice. A group of one rank sends nothing. */
final class Zero1Parameters implements ShardedParameters {
  private static final int SUMS_AT_ONCE = 2;

  private final Device device;
  private final boolean alone;
  private final List<Bucket> buckets;
  private final List<Parameter> parameters;
  private final List<Parameter> owned;
  private final List<GradientSums> sums;
  /** Sums in BF16 under way. */
  private final Deque<GradientSums> running = new ArrayDeque<>();
  private final Map<String, BucketedParameter> wholeByName = new HashMap<>();
  private final FormChoice forms;
  private final OwnedGather ownedGather;
  /** Index of the bucket of each parameter by name. */
  private final Map<String, Integer> bucketOf = new HashMap<>();
  private final WeightGathers gathers;
  /** How many gathers each block waits for. */
  private final int[] gathersOfBlock;
  /** For each bucket the blocks that have parameters in it. */
  private final List<List<Integer>> blocksOfBucket;
  private final List<List<Integer>> bucketsOfBlock;
  private final boolean[] stale;
  private final DType parameterType;
  private Zero1Options options;

  Zero1Parameters(
      Device device, ProcessGroup group, BlockParameters declared, List<Bucket> buckets, DType parameterType, Zero1Options options) {
    this.device = device;
    this.options = options;
    this.parameterType = parameterType;
    this.alone = group.size() == 1;
    this.buckets = List.copyOf(buckets);
    this.forms =
        new FormChoice(device, group, declared.specs().stream().map(ParameterSpec::name).toList(), parameterType, options.gatherCodes());
    var whole = new BucketedParameter[declared.specs().size()];
    var runs = new Parameter[declared.specs().size()];
    int[] bucketOfParameter = new int[whole.length];
    sums = new ArrayList<>();
    for (Bucket bucket : buckets) {
      var names = new ArrayList<String>();
      for (BucketLayout.Place place : bucket.layout().places()) {
        var spec = declared.specs().get(place.parameter());
        whole[place.parameter()] = new BucketedParameter(spec, bucket, place);
        wholeByName.put(spec.name(), whole[place.parameter()]);
        bucket
            .layout()
            .run(place, group.rank())
            .ifPresent(
                run ->
                    runs[place.parameter()] =
                        new BucketedParameter.Run(
                            spec, bucket, run.firstOfBucket() - bucket.layout().sliceFirst(group.rank()), run.firstOfBucket(),
                            run.firstOfParameter(), run.elements()));
        bucketOfParameter[place.parameter()] = sums.size();
        bucketOf.put(spec.name(), sums.size());
        names.add(spec.name());
      }
      sums.add(new GradientSums(bucket, names, alone));
    }
    parameters = List.of(whole);
    owned = Arrays.stream(runs).filter(run -> run != null).toList();
    ownedGather = new OwnedGather(device, group, buckets.stream().map(Bucket::layout).toList(), parameters, owned);

    bucketsOfBlock =
        declared.ofBlock().stream()
            .map(block -> block.stream().map(parameter -> bucketOfParameter[parameter]).distinct().toList())
            .toList();
    blocksOfBucket = blocksOfBucket(buckets.size(), bucketsOfBlock);
    List<Integer> order = byFirstNeed(bucketsOfBlock);
    gathers = new WeightGathers(order.stream().map(buckets::get).toList());
    gathersOfBlock =
        bucketsOfBlock.stream()
            .mapToInt(needed -> needed.stream().mapToInt(order::indexOf).max().orElse(-1) + 1)
            .toArray();
    stale = new boolean[gathersOfBlock.length];
    Arrays.fill(stale, true);
  }

  DType parameterType() {
    return parameterType;
  }

  Zero1Options options() {
    return options;
  }

  /** Of the same buckets. */
  void goOnWith(Zero1Options others) {
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
    List<Integer> all = IntStream.range(0, buckets.size()).boxed().toList();
    forms.rehearse(weights(), types, codings, List.of(new GatheredTogether(all, all)));
  }

  @Override
  public void allocateGradients() {
    try (Queue queue = device.newQueue("memory of gradients")) {
      buckets.forEach(bucket -> bucket.allocateGradients(queue));
      queue.drain();
    }
  }

  @Override
  public void zeroGradients(Queue queue) {
    running.clear();
    sums.forEach(sum -> sum.restart(queue));
    buckets.forEach(bucket -> bucket.zeroGradients(queue));
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
  }

  private List<ShardedWeights> weights() {
    return buckets.stream().map(Bucket::weights).toList();
  }

  @Override
  public Optional<CodedWeight> coded(String name) {
    return wholeByName.get(name).coded();
  }

  @Override
  public boolean before(Queue queue, int block, Action.Kind kind) {
    if (forms.isNew()) {
      weightsChanged(queue);
    }
    gathers.awaitFirst(queue, gathersOfBlock[block]);
    boolean changed = stale[block];
    stale[block] = false;
    return changed;
  }

  @Override
  public void after(Queue queue, int block, Action.Kind kind) {
    for (int bucket : bucketsOfBlock.get(block)) {
      if (blocksOfBucket.get(bucket).stream().noneMatch(each -> stale[each])) {
        buckets.get(bucket).weights().forgetCodes();
      }
    }
  }

  @Override
  public void gradientReady(Queue queue, Parameter parameter, List<Pending> before) {
    GradientSums sum = sums.get(bucketOf.get(parameter.spec().name()));
    if (sum.ready(parameter.spec().name(), before) && options.overlapGradients()) {
      start(queue, sum);
    }
  }

  /** In BF16 a sum needs memory of its own, so the one before the last ends first. */
  private void start(Queue queue, GradientSums sum) {
    if (!options.reduceInBf16()) {
      sum.start(queue, false);
    } else if (!sum.isStarted()) {
      while (running.size() >= SUMS_AT_ONCE) {
        running.remove().await(queue);
      }
      if (sum.start(queue, true)) {
        running.add(sum);
      }
    }
  }

  @Override
  public void finishGradients(Queue queue) {
    sums.forEach(sum -> start(queue, sum));
    running.clear();
    sums.forEach(sum -> sum.await(queue));
  }

  @Override
  public void weightsChanged(Queue queue) {
    Arrays.fill(stale, true);
    if (forms.isNew()) {
      gathers.awaitAll(queue);
      renewForms(queue);
    }
    forms.agree(queue, owned);
    gathers.restart(queue);
    if (!options.overlapParameters()) {
      gathers.awaitAll(queue);
    }
  }

  @Override
  public void close() {
    // A message may still be writing: the memory goes when it has ended, or when there is no hope that it does.
    try (Queue queue = device.newQueue("end of messages")) {
      gathers.awaitAll(queue);
      sums.forEach(sum -> sum.await(queue));
      queue.drain();
    } finally {
      buckets.forEach(Bucket::close);
      forms.close();
    }
  }

  /** Buckets in the order in which a forward first needs them. */
  private static List<Integer> byFirstNeed(List<List<Integer>> bucketsOfBlock) {
    return IntStream.range(0, bucketsOfBlock.size())
        .boxed()
        // Within a block the last bucket has the parameters that were declared first.
        .flatMap(block -> bucketsOfBlock.get(block).stream().sorted(Comparator.reverseOrder()))
        .distinct()
        .toList();
  }

  private static List<List<Integer>> blocksOfBucket(int buckets, List<List<Integer>> bucketsOfBlock) {
    return IntStream.range(0, buckets)
        .mapToObj(
            bucket ->
                IntStream.range(0, bucketsOfBlock.size())
                    .filter(block -> bucketsOfBlock.get(block).contains(bucket))
                    .boxed()
                    .toList())
        .toList();
  }
}
