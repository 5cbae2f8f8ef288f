package io.hirundo.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Mutants with one defect each, and the clause that detects it. */
class DataMutantsTest {
    @Test
    void aSoundSourceKeepsTheContract() {
        assertEquals(Map.of(), Mutants.failures(Sound.class));
    }

    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.atLeast(DataMutantsTest.class, DataContract.class);
    }

    @HirundoContract
    static class Sound implements DataContract {
        @Override
        public DataSource source() {
            return Samples::new;
        }
    }

    /** Synthetic samples. */
    static class Samples implements SampleSet {
        private final SampleRequest request;

        Samples(SampleRequest request) {
            this.request = request;
        }

        @Override
        public long count(Split split) {
            return split == Split.TRAINING ? request.trainingSamples() : request.validationSamples();
        }

        @Override
        public void read(Split split, long index, int[] into) {
            Objects.checkIndex(index, count(split));
            long first = request.seed() * 31 + (split == Split.TRAINING ? 0 : 7) + index * 13;
            for (int i = 0; i < into.length; i++) {
                into[i] = (int) ((first + (long) i * i) % 97);
            }
        }

        @Override
        public int vocabularyBound() {
            return 97;
        }

        @Override
        public String describe() {
            return "made up";
        }

        @Override
        public void close() {}
    }

    @Breaks("samplesAreWhole")
    @HirundoContract
    static class ForgetsTheLastLabel extends Sound {
        @Override
        public DataSource source() {
            return request -> new Samples(request) {
                @Override
                public void read(Split split, long index, int[] into) {
                    int last = into[into.length - 1];
                    super.read(split, index, into);
                    into[into.length - 1] = last;
                }
            };
        }
    }

    @Breaks("tokensAreBelowTheBound")
    @HirundoContract
    static class KnowsTooSmallAVocabulary extends Sound {
        @Override
        public DataSource source() {
            return request -> new Samples(request) {
                @Override
                public int vocabularyBound() {
                    return 90;
                }
            };
        }
    }

    @Breaks("tokensAreBelowTheBound")
    @HirundoContract
    static class HidesSamplesWithoutBound extends Sound {
        @Override
        public DataSource source() {
            return request -> new Samples(request) {
                @Override
                public int vocabularyBound() {
                    return 0;
                }

                @Override
                public List<LongStream> samplesWithoutBound(Split split, long first) {
                    return List.of(LongStream.range(first + 1, count(split)));
                }
            };
        }
    }

    @Breaks("samplesFollowFromTheRequest")
    @HirundoContract
    static class GoesOnWithTheNext extends Sound {
        @Override
        public DataSource source() {
            return request -> new Samples(request) {
                private long next;

                @Override
                public void read(Split split, long index, int[] into) {
                    super.read(split, next++ % count(split), into);
                }
            };
        }
    }

    @Breaks("samplesDoNotDependOnTheirNumber")
    @HirundoContract
    static class BeginsAtTheEnd extends Sound {
        @Override
        public DataSource source() {
            return request -> new Samples(request) {
                @Override
                public void read(Split split, long index, int[] into) {
                    Objects.checkIndex(index, count(split));
                    super.read(split, count(split) - 1 - index, into);
                }
            };
        }
    }

    @Breaks("readingIsThreadSafe")
    @HirundoContract
    static class SharesABuffer extends Sound {
        @Override
        public DataSource source() {
            return request -> new Samples(request) {
                private int[] buffer = {};

                @Override
                public void read(Split split, long index, int[] into) {
                    buffer = new int[into.length];
                    int[] mine = buffer;
                    super.read(split, index, mine);
                    LockSupport.parkNanos(1000);
                    System.arraycopy(buffer, 0, into, 0, into.length);
                }
            };
        }
    }

    @Breaks("countIsTheEnd")
    @HirundoContract
    static class BeginsAnew extends Sound {
        @Override
        public DataSource source() {
            return request -> new Samples(request) {
                @Override
                public void read(Split split, long index, int[] into) {
                    super.read(split, Math.floorMod(index, count(split)), into);
                }
            };
        }
    }

    @Breaks("setsAreApart")
    @HirundoContract
    static class ClosesOnce extends Sound {
        @Override
        public DataSource source() {
            return request -> new Samples(request) {
                private boolean closed;

                @Override
                public void close() {
                    if (closed) {
                        throw new IllegalStateException("closed");
                    }
                    closed = true;
                }
            };
        }
    }
}
