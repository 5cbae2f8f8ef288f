package io.hirundo.paralleldp.internal.buffer;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.model.parameter.ParameterSpec;
import io.hirundo.parallel.ShardGroups;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.paralleldp.internal.layout.BlockParameters;
import io.hirundo.paralleldp.internal.layout.BucketLayout;
import io.hirundo.paralleldp.internal.weights.FormChoice;
import io.hirundo.paralleldp.internal.weights.OwnedGather;
import io.hirundo.paralleldp.internal.weights.ShardedWeights;
import io.hirundo.paralleldp.internal.weights.StepMoment;
import io.hirundo.precision.CodedWeight;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Parameters in buffers that the ranks of a group divide. Strategies differ in what the buffers are, and in when weights are gathered and
 * gradients reduced.
 *
 * @param <B> a strategy's buffers
 */
public abstract class BufferedParameters<B extends ParameterBuffer> implements ShardedParameters {
    private final Device device;
    private final boolean alone;
    private final DType masterType;
    private final List<B> buffers;
    private final List<List<Integer>> buffersOfBlock;
    private final Map<String, Integer> bufferOf = new HashMap<>();
    private final Map<String, BufferedParameter> byName = new HashMap<>();
    private final List<Parameter> parameters;
    private final List<Parameter> owned;
    private final FormChoice forms;
    private final OwnedGather ownedGather;

    /**
     * Takes the buffers over, which the ranks of the shard group divide.
     *
     * @param declared which parameters each block has
     * @param buffers that hold each of these once
     * @param masterType of master weights
     * @param codesAllowed whether weights may be gathered quantized
     */
    protected BufferedParameters(
            Device device,
            ShardGroups groups,
            BlockParameters declared,
            List<B> buffers,
            DType masterType,
            boolean codesAllowed) {
        ProcessGroup group = groups.shard();
        this.device = device;
        this.alone = group.size() == 1;
        this.masterType = masterType;
        this.buffers = List.copyOf(buffers);
        var all = new BufferedParameter[declared.specs().size()];
        var runs = new Parameter[all.length];
        int[] bufferOfParameter = new int[all.length];
        for (int index = 0; index < buffers.size(); index++) {
            B buffer = buffers.get(index);
            for (BucketLayout.Place place : buffer.layout().places()) {
                ParameterSpec spec = declared.specs().get(place.parameter());
                all[place.parameter()] = new BufferedParameter(spec, buffer, place);
                byName.put(spec.name(), all[place.parameter()]);
                bufferOf.put(spec.name(), index);
                bufferOfParameter[place.parameter()] = index;
                ParameterSpec replicated = groups.replicas()
                        .map(replicas -> ReplicatedSpecs.of(spec, replicas))
                        .orElse(spec);
                runs[place.parameter()] = run(buffer, place, replicated, group.rank());
            }
        }
        this.parameters = List.of(all);
        this.owned = Arrays.stream(runs).filter(Objects::nonNull).toList();
        this.buffersOfBlock = declared.ofBlock().stream()
                .map(block -> block.stream()
                        .map(parameter -> bufferOfParameter[parameter])
                        .distinct()
                        .toList())
                .toList();
        List<String> names = declared.specs().stream().map(ParameterSpec::name).toList();
        this.forms = new FormChoice(device, group, names, masterType, codesAllowed);
        this.ownedGather = new OwnedGather(
                device, group, buffers.stream().map(ParameterBuffer::layout).toList(), parameters, owned);
    }

    /** Null if this rank owns nothing of the parameter. */
    private static Parameter run(ParameterBuffer buffer, BucketLayout.Place place, ParameterSpec spec, int rank) {
        BucketLayout layout = buffer.layout();
        return layout.run(place, rank)
                .map(run -> new BufferedParameter.Run(
                        spec,
                        buffer,
                        run.firstOfBucket() - layout.sliceFirst(rank),
                        run.firstOfParameter(),
                        run.elements()))
                .orElse(null);
    }

    /**
     * What is in memory together in a step with the current options, by index of the buffers.
     *
     * @param microbatches of the step
     */
    protected abstract List<StepMoment> moments(long microbatches);

    protected final Device device() {
        return device;
    }

    /** Whether the shard group has no other rank. */
    protected final boolean isAlone() {
        return alone;
    }

    /** The dtype of master weights. */
    public final DType masterType() {
        return masterType;
    }

    protected final List<B> buffers() {
        return buffers;
    }

    /** For each block the indices of the buffers that have parameters of it. */
    protected final List<List<Integer>> buffersOfBlock() {
        return buffersOfBlock;
    }

    /** Index of the buffer of a parameter. */
    protected final int bufferOf(String name) {
        return bufferOf.get(name);
    }

    protected final FormChoice forms() {
        return forms;
    }

    /** Gives all weights the form that is wanted. */
    protected void renewForms(Queue queue) {
        forms.renew(queue, weights());
    }

    private List<ShardedWeights> weights() {
        return buffers.stream().map(ParameterBuffer::weights).toList();
    }

    @Override
    public final List<Parameter> parameters() {
        return parameters;
    }

    @Override
    public final List<Parameter> owned() {
        return owned;
    }

    @Override
    public final Optional<CodedWeight> coded(String name) {
        return byName.get(name).coded();
    }

    @Override
    public final boolean isMovable() {
        return true;
    }

    @Override
    public final boolean isMovable(int block) {
        return ownedGather.isDivisible(block);
    }

    @Override
    public final void gatherOwned(
            Queue queue, DType dtype, Function<Parameter, Tensor> ofOwned, BiConsumer<String, Tensor> reader) {
        gatherOwned(queue, dtype, 1, ofOwned, reader);
    }

    @Override
    public final void gatherOwned(
            Queue queue,
            DType dtype,
            int block,
            Function<Parameter, Tensor> ofOwned,
            BiConsumer<String, Tensor> reader) {
        ownedGather.gather(queue, dtype, block, ofOwned, reader);
    }

    @Override
    public final void rehearseGatherOwned(DType dtype) {
        ownedGather.rehearse(dtype);
    }

    @Override
    public final void rehearse(Map<String, DType> types, Map<String, WeightCoding> codings) {
        // The gathers of later microbatches are those of the first.
        List<StepMoment> gathers =
                moments(1).stream().map(StepMoment::withoutGradients).toList();
        rehearse(types, codings, forms.areCodesAllowed(), gathers, 0);
    }

    /**
     * See {@link io.hirundo.parallel.DataParallel#rehearseStep}.
     *
     * @param codesAllowed whether weights may then be gathered quantized
     * @param moments of a step
     */
    protected final void rehearse(
            Map<String, DType> types,
            Map<String, WeightCoding> codings,
            boolean codesAllowed,
            List<StepMoment> moments,
            long freedBytes) {
        forms.rehearse(weights(), types, codings, codesAllowed, moments, freedBytes);
    }

    @Override
    public final void encode(Map<String, WeightCoding> wanted) {
        forms.want(wanted);
    }

    @Override
    public final void hold(Map<String, DType> types) {
        forms.hold(types);
        if (forms.isFirst()) {
            try (Queue queue = device.newQueue("memory of weights")) {
                renewForms(queue);
                queue.drain();
            }
        }
    }

    /** Releases the memory, when nothing runs any more that uses it. */
    protected final void closeBuffers() {
        buffers.forEach(ParameterBuffer::close);
        forms.close();
    }
}
