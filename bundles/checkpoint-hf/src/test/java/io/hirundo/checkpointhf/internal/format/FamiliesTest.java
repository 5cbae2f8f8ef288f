package io.hirundo.checkpointhf.internal.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpointhf.internal.fixture.TinyLlama;
import io.hirundo.checkpointhf.internal.fixture.ToyFamily;
import io.hirundo.checkpointhf.internal.safetensors.SafetensorsFile;
import io.hirundo.checkpointhf.internal.safetensors.StoredType;
import io.hirundo.family.FamilyFormat;
import io.hirundo.family.ModelFamily;
import io.hirundo.lib.family.FamilyModel;
import io.hirundo.lib.tensor.FloatConversion;
import io.hirundo.model.Architecture;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.modelllama.internal.LlamaFactory;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which family reads a folder, and families whose tensors are not stored one by one. */
class FamiliesTest {
    private static final ToyFamily TOY = new ToyFamily("toy");
    private static final Choice CHOICE = new Choice("toy", Map.of("width", 3, "kind", "other"));
    private static final int WIDTH = 3;

    @TempDir
    private Path folder;

    private static HuggingFaceFormat format(ModelFamily<?>... families) {
        return new HuggingFaceFormat(1_000_000, () -> List.of(families));
    }

    private Path writeToy() {
        SequencedMap<String, Shape> shapes =
                FamilyModel.of(List.of(TOY), "huggingface", CHOICE).shapes();
        List<ModelPart> parts = shapes.entrySet().stream()
                .map(shape -> TinyLlama.part(shape.getKey(), shape.getValue(), DType.FP32))
                .toList();
        Path model = folder.resolve("model");
        format(TOY).write(model, CHOICE, parts);
        return model;
    }

    @Test
    void readsParametersOutOfFusedAndReorderedTensors() {
        Path model = writeToy();
        try (ModelReader reader = format(TOY, new LlamaFactory()).open(model)) {
            assertEquals(CHOICE, reader.architecture());
            assertEquals(
                    List.of("embedding", "experts.0.gate", "experts.0.up", "experts.1.gate", "experts.1.up", "query"),
                    List.copyOf(reader.paths()));
            for (String path : reader.paths()) {
                Shape shape = Shape.of(path.equals("embedding") ? 7 : path.equals("query") ? 12 : 4, WIDTH);
                double[] values = TinyLlama.values(path, shape);
                assertArrayEquals(values, read(reader, ParameterPart.whole(path, shape)), path);
                double[] piece = read(reader, new ParameterPart(path, shape, List.of(1L, 2L), Shape.of(3, 1)));
                assertArrayEquals(new double[] {values[5], values[8], values[11]}, piece, path);
            }
        }
    }

    @Test
    void storesParametersWhereTheFamilySays() {
        double[] up = TinyLlama.values("experts.1.up", Shape.of(4, WIDTH));
        double[] query = TinyLlama.values("query", Shape.of(12, WIDTH));
        try (SafetensorsFile file = SafetensorsFile.open(writeToy().resolve("model.safetensors"))) {
            assertEquals(
                    List.of("table", "experts.gate_up", "queries"),
                    List.copyOf(file.tensors().keySet()));
            assertEquals(
                    Shape.of(2, 8, WIDTH), file.tensors().get(ToyFamily.EXPERTS).shape());
            double[] experts = values(file, ToyFamily.EXPERTS);
            double[] queries = values(file, "queries");
            for (int channel = 0; channel < WIDTH; channel++) {
                assertEquals(up[WIDTH + channel], experts[(8 + 5) * WIDTH + channel]);
                // Row 4 of the second head is the second of its second half: row 3 of the interleaved ones.
                assertEquals(query[(6 + 4) * WIDTH + channel], queries[(6 + 3) * WIDTH + channel]);
            }
        }
    }

    /** So that the parity check covers names and orders. */
    @Test
    void givesTheReferenceTensorsAsTheyAreStored() {
        try (ModelReader reader = format(TOY).open(writeToy())) {
            double[][] rows = reader.referenceLogits(new int[0]).orElseThrow();
            double[] gate = TinyLlama.values("experts.1.gate", Shape.of(4, WIDTH));
            double[] query = TinyLlama.values("query", Shape.of(12, WIDTH));
            assertEquals(8 * WIDTH, rows[0].length);
            assertEquals(gate[4], rows[0][4]);
            assertArrayEquals(new double[] {query[9], query[10], query[11], query[3], query[4], query[5]}, rows[1]);
        }
    }

    @Test
    void rejectsFoldersThatNoFamilyOrTwoRecognize() {
        Path model = writeToy();
        var none = assertThrows(
                DataException.class, () -> format(new LlamaFactory()).open(model));
        assertEquals(
                model.resolve("config.json")
                        + ": 'model_type' is \"toy\", which no installed model family reads (they read: llama, mistral);"
                        + " install the bundle of its family",
                none.getMessage());
        var noneAtAll = assertThrows(DataException.class, () -> format().open(model));
        assertTrue(noneAtAll.getMessage().contains("(they read: none)"), noneAtAll.getMessage());
        var two = assertThrows(
                ConfigurationException.class,
                () -> format(new ToyFamily("other"), TOY).open(model));
        assertEquals(
                model.resolve("config.json")
                        + ": several model families recognize it: other and toy; remove all but one of their bundles from plugins/",
                two.getMessage());
    }

    /** Not the first of the two: which one that is would be chance. */
    @Test
    void rejectsFamilyOfWhichTwoFormatsReadAndWriteTheSame() {
        Path model = writeToy();
        ModelFamily<?> twice = new TwoFormats(TOY);
        var read =
                assertThrows(ConfigurationException.class, () -> format(twice).open(model));
        assertEquals(
                model.resolve("config.json")
                        + ": several formats of the model family toy recognize it (ToyFamily and ToyFamily); its bundle must tell"
                        + " them apart in FamilyFormat.recognizes",
                read.getMessage());
        assertThrows(ConfigurationException.class, () -> format(twice).write(folder.resolve("m"), CHOICE, List.of()));
    }

    private record TwoFormats(ToyFamily toy) implements ModelFamily<ToyFamily.Options> {
        @Override
        public String name() {
            return toy.name();
        }

        @Override
        public List<FamilyFormat<ToyFamily.Options>> formats() {
            return List.of(toy, toy);
        }

        @Override
        public Class<ToyFamily.Options> optionsType() {
            return toy.optionsType();
        }

        @Override
        public Architecture create(ToyFamily.Options options) {
            return toy.create(options);
        }
    }

    @Test
    void rejectsWritingWhatNoFamilyStores() {
        var failure = assertThrows(
                ConfigurationException.class,
                () -> format(TOY).write(folder.resolve("m"), Choice.of("llama"), List.of()));
        assertEquals(
                "model.format: huggingface writes models of the families toy, not llama; set model.export to false or choose another format",
                failure.getMessage());
        SequencedMap<String, Shape> shapes =
                FamilyModel.of(List.of(TOY), "huggingface", CHOICE).shapes();
        List<ModelPart> mixed = shapes.entrySet().stream()
                .map(shape -> TinyLlama.part(
                        shape.getKey(), shape.getValue(), shape.getKey().endsWith("up") ? DType.BF16 : DType.FP32))
                .toList();
        var types = assertThrows(
                IllegalArgumentException.class, () -> format(TOY).write(folder.resolve("m"), CHOICE, mixed));
        assertTrue(
                types.getMessage().contains("'experts.gate_up' would hold experts.0.up in BF16, and others in FP32"),
                types.getMessage());
    }

    private static double[] read(ModelReader reader, ParameterPart part) {
        double[] values = new double[Math.toIntExact(part.shape().elements())];
        reader.read(part, DType.FP64, MemorySegment.ofArray(values));
        return values;
    }

    private static double[] values(SafetensorsFile file, String name) {
        var tensor = file.tensors().get(name);
        assertEquals(StoredType.F32, tensor.type());
        double[] values = new double[Math.toIntExact(tensor.shape().elements())];
        return file.read(tensor, bytes -> {
            new FloatConversion(bytes, tensor.type().weight(), MemorySegment.ofArray(values), DType.FP64)
                    .convert(0, 0, values.length);
            return values;
        });
    }
}
