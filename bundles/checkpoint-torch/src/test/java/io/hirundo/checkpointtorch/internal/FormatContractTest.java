package io.hirundo.checkpointtorch.internal;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.lib.family.OptionsRecord;
import io.hirundo.modelllama.internal.LlamaOptions;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.format.ModelFormatContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of a format that only reads, with folders that PyTorch wrote.
 *
 * @param stored its name
 */
@ParameterizedClass
@ValueSource(strings = {"torchtitan", "huggingface"})
@HirundoContract
record FormatContractTest(String stored) implements ModelFormatContract {
    private static final Choice ARCHITECTURE = new Choice(
            "llama",
            OptionsRecord.values(
                    new LlamaOptions(35, 16, 20, 2, 2, 1, 8, 64, 1e-5, 10000, null, false, 0.02, false, false, 0)));
    private static final Map<String, Shape> TENSORS = Golden.shapes(ARCHITECTURE);
    /** By name of the folder. */
    private static final Map<String, Map<String, double[]>> VALUES = new HashMap<>();

    private static Map<String, double[]> values(String name) {
        try {
            return Golden.values(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ModelFormat format() {
        return new TorchDcpFactory(Golden.FAMILIES).create(Golden.OPTIONS);
    }

    @Override
    public Choice architecture() {
        return ARCHITECTURE;
    }

    @Override
    public Map<String, Shape> tensors() {
        return TENSORS;
    }

    @Override
    public double[] values(String path, int seed) {
        return VALUES.computeIfAbsent(stored, FormatContractTest::values).get(path);
    }

    @Override
    public Path stored(Path folder, DType dtype, int seed) throws IOException {
        return Golden.copy(stored, folder.resolve("model"));
    }
}
