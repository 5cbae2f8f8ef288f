package io.hirundo.optimizeradamw.internal.adamw;

import static io.hirundo.kernel.optimizer.AdamW8BitKernels.BLOCK_ELEMENTS;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.kernel.optimizer.AdamW8BitKernels;
import io.hirundo.kernel.optimizer.AdamW8BitKernels.Moment;
import io.hirundo.kernel.optimizer.AdamW8BitKernels.Update;
import io.hirundo.kernel.optimizer.AdamWCoefficients;
import io.hirundo.lib.optimizer.ReportedOnce;
import io.hirundo.lib.optimizer.StateTensors;
import io.hirundo.lib.optimizer.UpdatePiece;
import io.hirundo.lib.optimizer.WeightUpdates;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The update of matrices whose moments are in 8 bits.
 *
 * @param matrices runs of complete blocks
 * @param report logs once which matrices have moments in FP32; at the first update, because the log of a run opens after its optimizer is bound
 */
record EightBitUpdate(AdamWOptions options, AdamW8BitKernels kernels, List<Parameter> matrices, Runnable report) {
    private static final Logger LOG = LoggerFactory.getLogger(EightBitUpdate.class);

    /**
     * Checks that these can be updated on this device.
     *
     * @param others parameters whose moments stay in their dtype
     * @param reported whether matrices among these have been logged
     * @throws ConfigurationException if the device, the dtype or the data-parallel strategy does not allow it
     */
    static EightBitUpdate of(
            AdamWOptions options,
            Device device,
            List<Parameter> matrices,
            List<Parameter> others,
            ReportedOnce reported) {
        Stream.concat(matrices.stream(), others.stream()).forEach(EightBitUpdate::requireUpdateInFp32);
        matrices.forEach(EightBitUpdate::requireWholeBlocks);
        AdamW8BitKernels kernels = device.kernels()
                .find(AdamW8BitKernels.class)
                .orElseThrow(() -> new ConfigurationException("optimizer.options.eightBitState: "
                        + device.info().name() + " has no AdamW8BitKernels; set it to false"));
        List<Parameter> wide =
                others.stream().filter(each -> each.spec().isMatrix()).toList();
        // A plan updates on another device than the run.
        String subject = "matrices in FP32 on " + device.info().name();
        return new EightBitUpdate(options, kernels, matrices, () -> report(wide, reported, subject));
    }

    private static void report(List<Parameter> wide, ReportedOnce reported, String subject) {
        if (!wide.isEmpty() && reported.isFirst(subject)) {
            LOG.info(
                    "moments of {} matrices of a rank stay in FP32, because the row length is not a multiple of {}; one is {}",
                    wide.size(),
                    BLOCK_ELEMENTS,
                    wide.getFirst().spec().name());
        }
    }

    private static void requireUpdateInFp32(Parameter parameter) {
        if (WeightUpdates.type(parameter.value().dtype()) != DType.FP32) {
            throw new ConfigurationException("optimizer.options.eightBitState: true is wrong with weights in "
                    + parameter.value().dtype() + " (allowed: with FP32 or BF16 weights); set it to false");
        }
    }

    private static void requireWholeBlocks(Parameter parameter) {
        if (parameter.value().elements() % BLOCK_ELEMENTS != 0 || parameter.firstElement() % BLOCK_ELEMENTS != 0) {
            throw new ConfigurationException("optimizer.options.eightBitState: the data-parallel strategy divides "
                    + parameter.spec().name() + " within a block of " + BLOCK_ELEMENTS
                    + " elements (allowed: zero1, zero2, fsdp); choose one of these, or set it to false");
        }
    }

    /** The state of a matrix. */
    static List<StateSpec> state() {
        return Stream.of(EightBitForm.FIRST, EightBitForm.SECOND)
                .flatMap(form -> form.state().stream())
                .toList();
    }

    void step(
            Queue queue,
            WeightUpdates updates,
            StateTensors moments,
            long step,
            double learningRate,
            Tensor gradientCoefficient1) {
        report.run();
        if (matrices.isEmpty()) {
            return;
        }
        var coefficients = new AdamWCoefficients(
                learningRate, options.beta1(), options.beta2(), options.epsilon(), options.weightDecay(), step);
        updates.run(
                queue,
                step,
                matrices,
                pieces -> kernels.adamW(
                        queue,
                        coefficients,
                        gradientCoefficient1,
                        pieces.stream().map(each -> update(each, moments)).toList()));
    }

    private static Update update(UpdatePiece piece, StateTensors moments) {
        return new Update(
                piece.gradientN(),
                piece.valueN(),
                moment(piece, moments, EightBitForm.FIRST),
                moment(piece, moments, EightBitForm.SECOND));
    }

    private static Moment moment(UpdatePiece piece, StateTensors moments, EightBitForm form) {
        return new Moment(part(piece, moments, form.quantized()), part(piece, moments, form.scales()));
    }

    private static Tensor part(UpdatePiece piece, StateTensors moments, StateSpec spec) {
        return piece.of(moments.of(piece.parameter(), spec.name()), spec.block());
    }
}
