package io.hirundo.trainer.internal.export;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsFile;
import io.hirundo.lib.engine.tensors.ModelTensors;
import io.hirundo.lib.golden.ModelGolden;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.fixture.GoldenModel;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Folders of the Transformers library, of all families: export is the inverse of import. */
class FamilyFolderTest {
    @TempDir
    private Path folder;

    private static Stream<ModelGolden> goldens() {
        return GoldenModel.all();
    }

    /** {@code dtype}: of the stored weights. */
    private static Choice copy(Path from, DType dtype, Path to) {
        try (ModelReader reader = GoldenModel.FORMAT.open(from)) {
            var shapes = ModelTensors.of(
                    GoldenModel.architecture(reader.architecture()).describe());
            var parts = shapes.entrySet().stream()
                    .map(shape -> new ModelPart(
                            shape.getKey(),
                            shape.getValue(),
                            dtype,
                            host -> reader.read(ParameterPart.whole(shape.getKey(), shape.getValue()), dtype, host)))
                    .toList();
            GoldenModel.FORMAT.write(to, reader.architecture(), parts);
            return reader.architecture();
        }
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void exportIsTheInverseOfImportToTheByte(ModelGolden golden) throws IOException {
        String dtype = (String)
                golden.configuration(ModelGolden.ConfigForm.TRANSFORMERS_5).get("dtype");
        DType type = dtype.equals("bfloat16") ? DType.BF16 : DType.FP32;
        Path once = folder.resolve("once");
        Path twice = folder.resolve("twice");

        Choice read = copy(golden.model(), type, once);
        Choice readAgain = copy(once, type, twice);

        assertEquals(read, readAgain);
        Map<String, byte[]> saved = tensors(golden.model());
        Map<String, byte[]> exported = tensors(once);
        assertEquals(saved.keySet(), exported.keySet());
        saved.forEach((name, bytes) -> assertArrayEquals(bytes, exported.get(name), name));
        for (String file : new String[] {"config.json", "model.safetensors"}) {
            assertArrayEquals(Files.readAllBytes(once.resolve(file)), Files.readAllBytes(twice.resolve(file)), file);
        }
    }

    private static Map<String, byte[]> tensors(Path folder) throws IOException {
        var bytes = new TreeMap<String, byte[]>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path path : files.filter(file -> file.toString().endsWith(".safetensors"))
                    .toList()) {
                try (SafetensorsFile file = SafetensorsFile.open(path)) {
                    file.tensors()
                            .values()
                            .forEach(tensor -> bytes.put(
                                    tensor.name(), file.read(tensor, values -> values.toArray(ValueLayout.JAVA_BYTE))));
                }
            }
        }
        return bytes;
    }
}
