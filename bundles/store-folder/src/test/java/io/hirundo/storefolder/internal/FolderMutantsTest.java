package io.hirundo.storefolder.internal;

import io.hirundo.CheckpointException;
import io.hirundo.HirundoException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointStore;
import io.hirundo.checkpoint.StoreSession;
import io.hirundo.checkpoint.StoredCheckpoint;
import io.hirundo.testkit.CheckpointStoreContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.checkpoint.ForwardingStoreSession;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** This store, broken in one way each, and a clause of the contract that finds it. */
class FolderMutantsTest {
    @TestFactory
    Stream<DynamicTest> mutants() {
        return Mutants.atLeast(FolderMutantsTest.class, CheckpointStoreContract.class);
    }

    abstract static class Mutant extends FolderContractTest {
        @Override
        public CheckpointStore store() {
            CheckpointStore real = super.store();
            return run -> mutant(real.open(run));
        }

        abstract StoreSession mutant(StoreSession real);
    }

    @Breaks("copiesComeBack")
    @HirundoContract
    static class ForgetsEmptyFiles extends Mutant {
        @Override
        StoreSession mutant(StoreSession real) {
            return new ForwardingStoreSession(real) {
                @Override
                public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
                    super.get(copy, into, doneBytes);
                    try {
                        Files.delete(into.resolve("empty"));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            };
        }
    }

    @Breaks("newestFirst")
    @HirundoContract
    static class ListsTheOldestFirst extends Mutant {
        @Override
        StoreSession mutant(StoreSession real) {
            return new ForwardingStoreSession(real) {
                @Override
                public List<StoredCheckpoint> list() {
                    return super.list().reversed();
                }
            };
        }
    }

    @Breaks({"newContentsReplaceOld", "puttingAgainRepairs"})
    @HirundoContract
    static class PutsANameOnce extends Mutant {
        @Override
        StoreSession mutant(StoreSession real) {
            return new ForwardingStoreSession(real) {
                private boolean done;

                @Override
                public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
                    if (!done) {
                        super.put(checkpoint, doneBytes);
                    }
                    done = true;
                }
            };
        }
    }

    @Breaks({"cutOffCopiesAreNotSeen", "whatCannotBeReadFails"})
    @HirundoContract
    static class HidesFailures extends Mutant {
        @Override
        StoreSession mutant(StoreSession real) {
            return new ForwardingStoreSession(real) {
                @Override
                public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
                    try {
                        super.put(checkpoint, doneBytes);
                    } catch (HirundoException e) {
                        // As if it had been stored.
                    }
                }
            };
        }
    }

    @Breaks("deletedCopiesAreGone")
    @HirundoContract
    static class KeepsEverything extends Mutant {
        @Override
        StoreSession mutant(StoreSession real) {
            return new ForwardingStoreSession(real) {
                @Override
                public void delete(StoredCheckpoint copy) {}
            };
        }
    }

    @Breaks("damageIsFound")
    @HirundoContract
    static class FetchesWhatItCan extends Mutant {
        @Override
        StoreSession mutant(StoreSession real) {
            return new ForwardingStoreSession(real) {
                @Override
                public void get(StoredCheckpoint copy, Path into, LongConsumer doneBytes) {
                    try {
                        super.get(copy, into, doneBytes);
                    } catch (CheckpointException e) {
                        // As if it had been sound.
                    }
                }
            };
        }
    }

    @Breaks("reportsProgress")
    @HirundoContract
    static class SaysNothing extends Mutant {
        @Override
        StoreSession mutant(StoreSession real) {
            return new ForwardingStoreSession(real) {
                @Override
                public void put(CheckpointInfo checkpoint, LongConsumer doneBytes) {
                    super.put(checkpoint, done -> {});
                }
            };
        }
    }
}
