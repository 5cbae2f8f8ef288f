package io.hirundo.checkpointhf.internal.format;

import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.format.ForwardingModelFormat;
import io.hirundo.testkit.format.ForwardingModelReader;
import io.hirundo.testkit.format.ModelFormatContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** This format, broken in one way each, and a clause of the contract that finds it. */
class FormatMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.atLeast(List.of(FormatMutantsTest.class, FormatWriteMutants.class), ModelFormatContract.class);
    }

    abstract static class Mutant extends FormatContractTest {
        @Override
        public ModelFormat format() {
            return mutant(super.format());
        }

        abstract ModelFormat mutant(ModelFormat real);
    }

    /** A format whose readers read otherwise. */
    abstract static class ReaderMutant extends Mutant {
        @Override
        ModelFormat mutant(ModelFormat real) {
            return new ForwardingModelFormat(real) {
                @Override
                public ModelReader open(Path directory) {
                    ModelReader reader = super.open(directory);
                    return new ForwardingModelReader(reader) {
                        @Override
                        public void read(ParameterPart part, DType dtype, MemorySegment into) {
                            ReaderMutant.this.read(reader, part, dtype, into);
                        }
                    };
                }
            };
        }

        abstract void read(ModelReader reader, ParameterPart part, DType dtype, MemorySegment into);
    }

    @Breaks("modelsComeBack")
    @HirundoContract
    static class TruncatesToBf16 extends ReaderMutant {
        @Override
        void read(ModelReader reader, ParameterPart part, DType dtype, MemorySegment into) {
            if (dtype != DType.BF16) {
                reader.read(part, dtype, into);
                return;
            }
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment exact = arena.allocate(part.shape().byteSize(DType.FP32), Float.BYTES);
                reader.read(part, DType.FP32, exact);
                for (long i = 0; i < part.shape().elements(); i++) {
                    int bits = exact.getAtIndex(ValueLayout.JAVA_INT, i);
                    into.set(ValueLayout.JAVA_SHORT_UNALIGNED, i * Short.BYTES, (short) (bits >>> 16));
                }
            }
        }
    }

    @Breaks("slicesAreRead")
    @HirundoContract
    static class ReadsFromTheFirstColumn extends ReaderMutant {
        @Override
        void read(ModelReader reader, ParameterPart part, DType dtype, MemorySegment into) {
            boolean matrix = part.shape().rank() == 2;
            List<Long> offset = matrix ? List.of(part.offset().getFirst(), 0L) : part.offset();
            reader.read(new ParameterPart(part.path(), part.globalShape(), offset, part.shape()), dtype, into);
        }
    }

    @Breaks("otherTensorsAreRejected")
    @HirundoContract
    static class ReadsZerosForOtherTensors extends ReaderMutant {
        @Override
        void read(ModelReader reader, ParameterPart part, DType dtype, MemorySegment into) {
            if (reader.paths().contains(part.path())) {
                reader.read(part, dtype, into);
            }
        }
    }

    @Breaks("damagedModelsAreRejected")
    @HirundoContract
    static class FailsWithAParsersException extends Mutant {
        @Override
        ModelFormat mutant(ModelFormat real) {
            return new ForwardingModelFormat(real) {
                @Override
                public ModelReader open(Path directory) {
                    try {
                        if (Files.exists(directory) && Files.size(directory.resolve("config.json")) == 0) {
                            throw new IllegalStateException("unexpected end of input");
                        }
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                    return super.open(directory);
                }
            };
        }
    }

    @Breaks("damagedModelsAreRejected")
    @HirundoContract
    static class ReadsZerosBehindTruncatedWeights extends Mutant {
        private final Map<Path, Long> sizes = new HashMap<>();

        @Override
        ModelFormat mutant(ModelFormat real) {
            return new ForwardingModelFormat(real) {
                @Override
                public void write(Path directory, Choice architecture, List<ModelPart> parts) {
                    super.write(directory, architecture, parts);
                    try (DirectoryStream<Path> weights = Files.newDirectoryStream(directory, "*.safetensors")) {
                        for (Path file : weights) {
                            sizes.put(file, Files.size(file));
                        }
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }

                @Override
                public ModelReader open(Path directory) {
                    sizes.forEach((file, size) -> pad(file, size));
                    return super.open(directory);
                }
            };
        }

        private static void pad(Path file, long size) {
            try {
                if (Files.exists(file)) {
                    Files.write(file, new byte[Math.toIntExact(size - Files.size(file))], StandardOpenOption.APPEND);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
