package io.hirundo.checkpointtorch.internal;

import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointtorch.internal.model.TorchDcpOptions;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What make.py in the folder golden has written. */
public final class Golden {
    /** Seen from the bundle. */
    public static final Path FOLDER = Path.of("src/test/golden");

    public static final TorchDcpOptions OPTIONS = options(2, 1e-5, Map.of());
    public static final String CONFIG = """
      {"model_type": "llama", "vocab_size": 35, "hidden_size": 16, "intermediate_size": 20, "num_hidden_layers": 2,
       "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
       "rope_theta": 10000.0}""";

    public static final List<ModelFamily<?>> FAMILIES = List.of(new LlamaFactory());

    private Golden() {}

    /** Options of a Llama, for what shapes do not show. */
    static TorchDcpOptions options(int heads, double epsilon, Map<String, Object> more) {
        var settings = new HashMap<String, Object>(more);
        settings.putAll(Map.of(
                "numAttentionHeads", heads, "maxPositionEmbeddings", 64, "rmsNormEps", epsilon, "ropeTheta", 10_000));
        return new TorchDcpOptions(null, new Choice("llama", settings));
    }

    /** Shapes of a Llama's parameters by published name. */
    public static Map<String, Shape> shapes(Choice architecture) {
        return FamilyModel.of(FAMILIES, FamilyFormat.HUGGING_FACE, architecture).shapes();
    }

    /** The model, as it is there. */
    public static ModelReader open(String name) {
        return new TorchDcpFactory(FAMILIES).create(OPTIONS).open(FOLDER.resolve(name));
    }

    /** A copy that a test may damage. */
    public static Path copy(String name, Path into) throws IOException {
        Files.createDirectories(into);
        for (Path file : files(FOLDER.resolve(name))) {
            Files.copy(file, into.resolve(file.getFileName()));
        }
        return into;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    /** Values by published name. */
    public static Map<String, double[]> values(String name) throws IOException {
        Map<String, double[]> values = new LinkedHashMap<>();
        for (String line : Files.readAllLines(FOLDER.resolve(name + ".txt"))) {
            String[] words = line.split(" ");
            values.put(
                    words[0],
                    Arrays.stream(words)
                            .skip(1)
                            .mapToDouble(word -> Integer.parseInt(word) / 4096.0)
                            .toArray());
        }
        return values;
    }

    public static double[] read(ModelReader reader, String path, Shape shape) {
        return read(reader, ParameterPart.whole(path, shape));
    }

    public static double[] read(ModelReader reader, ParameterPart part) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(part.shape().byteSize(DType.FP64), 8);
            reader.read(part, DType.FP64, host);
            return host.toArray(ValueLayout.JAVA_DOUBLE);
        }
    }
}
