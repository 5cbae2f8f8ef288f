package io.hirundo.checkpointhf.internal.format;

import io.hirundo.StorageException;
import io.hirundo.checkpoint.ModelFormat;
import io.hirundo.checkpoint.ModelPart;
import io.hirundo.checkpoint.ModelReader;
import io.hirundo.checkpoint.ModelTensor;
import io.hirundo.checkpoint.ModelWriting;
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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** This format, broken in one way each, and a clause of the contract that finds it. */
class FormatMutantsTest {
  @TestFactory
  Stream<DynamicTest> mutants() {
    return Mutants.atLeast(FormatMutantsTest.class, ModelFormatContract.class);
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
  static class RoundsToBf16Otherwise extends ReaderMutant {
    @Override
    void read(ModelReader reader, ParameterPart part, DType dtype, MemorySegment into) {
      reader.read(part, dtype, into);
      if (dtype == DType.BF16) {
        into.set(ValueLayout.JAVA_BYTE, 0, (byte) (into.get(ValueLayout.JAVA_BYTE, 0) ^ 1));
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

  @Breaks("writesWhatItSays")
  @HirundoContract
  static class SaysThatItOnlyReads extends Mutant {
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
  static class LeavesItsFiles extends Mutant {
    @Override
    ModelFormat mutant(ModelFormat real) {
      return new ForwardingModelFormat(real) {
        @Override
        public void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
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
  static class KeepsTheFirstModel extends Mutant {
    @Override
    ModelFormat mutant(ModelFormat real) {
      return new ForwardingModelFormat(real) {
        @Override
        public void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
          if (!Files.exists(directory)) {
            super.write(directory, architecture, parts, check);
          }
        }
      };
    }
  }

  @Breaks("rejectedModelsFailTheWrite")
  @HirundoContract
  static class ChecksAfterwards extends Mutant {
    @Override
    ModelFormat mutant(ModelFormat real) {
      return new ForwardingModelFormat(real) {
        @Override
        public void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
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
  static class GivesAnotherFolder extends Mutant {
    @Override
    ModelFormat mutant(ModelFormat real) {
      return new ForwardingModelFormat(real) {
        @Override
        public void write(Path directory, Choice architecture, List<ModelPart> parts, Consumer<ModelReader> check) {
          super.write(
              directory, architecture, parts,
              written ->
                  check.accept(
                      new ForwardingModelReader(written) {
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
  static class WritesCompleteTensors extends Mutant {
    @Override
    ModelFormat mutant(ModelFormat real) {
      return new ForwardingModelFormat(real) {
        @Override
        public Optional<ModelWriting> beginWrite(Path directory, Choice architecture, List<ModelTensor> tensors) {
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
          real.write(new ParameterPart(part.path(), part.globalShape(), part.offset().stream().map(each -> 0L).toList(), part.shape()), values);
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
