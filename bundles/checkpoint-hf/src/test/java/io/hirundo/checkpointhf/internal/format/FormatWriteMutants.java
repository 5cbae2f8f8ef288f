package io.hirundo.checkpointhf.internal.format;

import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
import io.hirundo.model.parameter.ParameterPart;
import io.hirundo.strategy.Choice;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.format.ForwardingModelFormat;
import io.hirundo.testkit.format.ForwardingModelReader;
import io.hirundo.testkit.mutant.Breaks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** This format, whose writes are broken in one way each. {@link FormatMutantsTest} runs them. */
final class FormatWriteMutants {
    private FormatWriteMutants() {}

    @Breaks("writesWhatItSays")
    @HirundoContract
    static class SaysThatItOnlyReads extends FormatMutantsTest.Mutant {
        @Override
        ModelFormat mutant(ModelFormat real) {
            return new ForwardingModelFormat(real) {
                @Override
                public boolean isWritable() {
                    return false;
                }
            };
        }
    }

    @Breaks("failedWritesChangeNothing")
    @HirundoContract
    static class LeavesItsFiles extends FormatMutantsTest.Mutant {
        @Override
        ModelFormat mutant(ModelFormat real) {
            return new ForwardingModelFormat(real) {
                @Override
                public void write(
                        Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
                    try {
                        super.write(directory, architecture, parts, check);
                    } catch (StorageException e) {
                        writeText(directory.resolveSibling("model.part"));
                        throw e;
                    }
                }
            };
        }
    }

    private static void writeText(Path file) {
        try {
            Files.writeString(file, "left");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Breaks("writesReplaceTheModel")
    @HirundoContract
    static class KeepsTheFirstModel extends FormatMutantsTest.Mutant {
        @Override
        ModelFormat mutant(ModelFormat real) {
            return new ForwardingModelFormat(real) {
                @Override
                public void write(
                        Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
                    if (!Files.exists(directory)) {
                        super.write(directory, architecture, parts, check);
                    }
                }
            };
        }
    }

    @Breaks("rejectedModelsFailTheWrite")
    @HirundoContract
    static class ChecksAfterwards extends FormatMutantsTest.Mutant {
        @Override
        ModelFormat mutant(ModelFormat real) {
            return new ForwardingModelFormat(real) {
                @Override
                public void write(
                        Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
                    super.write(directory, architecture, parts, written -> {});
                    try (ModelReader written = open(directory)) {
                        check.accept(written);
                    }
                }
            };
        }
    }

    @Breaks("addedFilesAppearWithTheModel")
    @HirundoContract
    static class GivesAnotherFolder extends FormatMutantsTest.Mutant {
        @Override
        ModelFormat mutant(ModelFormat real) {
            return new ForwardingModelFormat(real) {
                @Override
                public void write(
                        Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
                    super.write(
                            directory,
                            architecture,
                            parts,
                            written -> check.accept(new ForwardingModelReader(written) {
                                @Override
                                public Optional<Path> folder() {
                                    return Optional.of(directory.getParent());
                                }
                            }));
                }
            };
        }
    }

    @Breaks("ranksWriteTogether")
    @HirundoContract
    static class WritesCompleteTensors extends FormatMutantsTest.Mutant {
        @Override
        ModelFormat mutant(ModelFormat real) {
            return new ForwardingModelFormat(real) {
                @Override
                public Optional<ModelWriting> beginWrite(
                        Path directory, Choice architecture, List<ModelTensor> tensors) {
                    return super.beginWrite(directory, architecture, tensors).map(WritesCompleteTensors::first);
                }
            };
        }

        /** Every slice goes to the first rows. */
        private static ModelWriting first(ModelWriting real) {
            return new ModelWriting() {
                @Override
                public void create() {
                    real.create();
                }

                @Override
                public void write(ParameterPart part, MemorySegment values) {
                    real.write(
                            new ParameterPart(
                                    part.path(),
                                    part.globalShape(),
                                    part.offset().stream().map(each -> 0L).toList(),
                                    part.shape()),
                            values);
                }

                @Override
                public void flush() {
                    real.flush();
                }

                @Override
                public void commit(Consumer<ModelReader> check) {
                    real.commit(check);
                }

                @Override
                public void close() {
                    real.close();
                }
            };
        }
    }
}
