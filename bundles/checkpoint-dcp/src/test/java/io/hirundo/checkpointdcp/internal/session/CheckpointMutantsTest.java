package io.hirundo.checkpointdcp.internal.session;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.checkpoint.CheckpointContext;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.CheckpointStrategy;
import io.hirundo.checkpoint.PendingSave;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.checkpoint.TrainingState;
import io.hirundo.device.MemoryCategory;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.testkit.CheckpointContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** This strategy, broken in one way each, and a clause of the checkpoint contract that finds it. */
class CheckpointMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.atLeast(CheckpointMutantsTest.class, CheckpointContract.class);
    }

    abstract static class Mutant implements CheckpointContract {
        @Override
        public CheckpointStrategy strategy() {
            return context -> mutant(new SyncContractTest().strategy().open(context), context);
        }

        abstract CheckpointSession mutant(CheckpointSession real, CheckpointContext context);
    }

    /** Does what another session does, but for what a mutant changes. */
    static class Session implements CheckpointSession {
        final CheckpointSession real;

        Session(CheckpointSession real) {
            this.real = real;
        }

        @Override
        public PendingSave save(TrainingState state) {
            return real.save(state);
        }

        @Override
        public List<CheckpointInfo> list() {
            return real.list();
        }

        @Override
        public Map<String, Object> values(CheckpointInfo checkpoint) {
            return real.values(checkpoint);
        }

        @Override
        public void load(CheckpointInfo checkpoint, List<StateShard> into) {
            real.load(checkpoint, into);
        }

        @Override
        public void close() {
            real.close();
        }
    }

    @Breaks("stateComesBack")
    @HirundoContract
    static class ForgetsValues extends Mutant {
        @Override
        CheckpointSession mutant(CheckpointSession real, CheckpointContext context) {
            return new Session(real) {
                @Override
                public Map<String, Object> values(CheckpointInfo checkpoint) {
                    return Map.of();
                }
            };
        }
    }

    @Breaks("anotherLayoutLoads")
    @HirundoContract
    static class TakesPiecesForWholes extends Mutant {
        @Override
        CheckpointSession mutant(CheckpointSession real, CheckpointContext context) {
            return new Session(real) {
                @Override
                public void load(CheckpointInfo checkpoint, List<StateShard> into) {
                    super.load(
                            checkpoint, into.stream().map(this::atTheBeginning).toList());
                }

                private StateShard atTheBeginning(StateShard shard) {
                    List<Long> offset = Collections.nCopies(shard.offset().size(), 0L);
                    return new StateShard(shard.key(), shard.globalShape(), offset, shard.local(), shard.replica());
                }
            };
        }
    }

    @Breaks({"tensorsMayChangeAfterSave", "closingWaits"})
    @HirundoContract
    static class SavesWhenItIsAwaited extends Mutant {
        @Override
        CheckpointSession mutant(CheckpointSession real, CheckpointContext context) {
            return new Session(real) {
                @Override
                public PendingSave save(TrainingState state) {
                    return new PendingSave() {
                        private boolean durable;

                        @Override
                        public boolean isDurable() {
                            return durable;
                        }

                        @Override
                        public CheckpointInfo awaitDurable() {
                            durable = true;
                            return real.save(state).awaitDurable();
                        }
                    };
                }
            };
        }
    }

    @Breaks("newestFirst")
    @HirundoContract
    static class ListsTheOldestFirst extends Mutant {
        @Override
        CheckpointSession mutant(CheckpointSession real, CheckpointContext context) {
            return new Session(real) {
                @Override
                public List<CheckpointInfo> list() {
                    return super.list().reversed();
                }
            };
        }
    }

    @Breaks({"rejectsMissingTensors", "damageIsFound"})
    @HirundoContract
    static class LoadsWhatItCan extends Mutant {
        @Override
        CheckpointSession mutant(CheckpointSession real, CheckpointContext context) {
            return new Session(real) {
                @Override
                public void load(CheckpointInfo checkpoint, List<StateShard> into) {
                    try {
                        super.load(checkpoint, into);
                    } catch (CheckpointException | ConfigurationException e) {
                        // As if it had been there.
                    }
                }
            };
        }
    }

    @Breaks("whatCannotBeWrittenFails")
    @HirundoContract
    static class HidesFailures extends Mutant {
        @Override
        CheckpointSession mutant(CheckpointSession real, CheckpointContext context) {
            return new Session(real) {
                @Override
                public PendingSave save(TrainingState state) {
                    PendingSave saving = super.save(state);
                    return new PendingSave() {
                        @Override
                        public boolean isDurable() {
                            return true;
                        }

                        @Override
                        public CheckpointInfo awaitDurable() {
                            try {
                                return saving.awaitDurable();
                            } catch (CheckpointException e) {
                                return new CheckpointInfo(context.directory(), state.step(), 0);
                            }
                        }
                    };
                }
            };
        }
    }

    @Breaks("nothingIsKept")
    @HirundoContract
    static class KeepsABuffer extends Mutant {
        @Override
        CheckpointSession mutant(CheckpointSession real, CheckpointContext context) {
            return new Session(real) {
                @Override
                public PendingSave save(TrainingState state) {
                    context.device().allocate(MemoryCategory.WORKSPACE, Shape.of(100), DType.FP32);
                    return super.save(state);
                }
            };
        }
    }
}
