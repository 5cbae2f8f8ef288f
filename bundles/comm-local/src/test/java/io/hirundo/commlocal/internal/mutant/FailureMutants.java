package io.hirundo.commlocal.internal.mutant;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import java.util.List;

/** Failures that do not say what they are to. */
final class FailureMutants {
    private FailureMutants() {}

    @Breaks({"whoDoesNotJoinIsNamed", "aRankWithAnotherMeshIsNamed", "rejectsUnknownRanks"})
    @HirundoContract
    static class DoesNotSayWhoIsMissing extends FabricMutant {
        @Override
        Fabric mutant(Fabric real) {
            return new Fabric() {
                @Override
                public List<Integer> localRanks(Mesh mesh) {
                    return real.localRanks(mesh);
                }

                @Override
                public World connect(int rank, Mesh mesh, Device device) {
                    try {
                        return real.connect(rank, mesh, device);
                    } catch (CommunicationException | IllegalArgumentException e) {
                        throw new CommunicationException("no connection", e);
                    }
                }
            };
        }
    }

    @Breaks("anAbortEndsWhatOthersWaitFor")
    @HirundoContract
    static class ForgetsTheCause extends Retold {
        ForgetsTheCause() {
            super("no more power");
        }
    }

    @Breaks("aRankThatLeftIsNamed")
    @HirundoContract
    static class DoesNotSayWhoLeft extends Retold {
        DoesNotSayWhoLeft() {
            super("rank 1 closed");
        }
    }

    @Breaks("anotherSizeIsNamed")
    @HirundoContract
    static class DoesNotSayWhichSize extends Retold {
        DoesNotSayWhichSize() {
            super("of 24 FP32");
        }
    }

    @Breaks("whoDoesNotComeIsNamed")
    @HirundoContract
    static class DoesNotCount extends Retold {
        DoesNotCount() {
            super("number 0");
        }
    }

    @Breaks("whoseWorkDoesNotEndIsNamed")
    @HirundoContract
    static class DoesNotSayWhoIsStuck extends Retold {
        DoesNotSayWhoIsStuck() {
            super("rank 1");
        }
    }

    @Breaks("reportsDeviceFailure")
    @HirundoContract
    static class DoesNotSayWhoFailed extends Retold {
        DoesNotSayWhoFailed() {
            super("rank 1 failed");
        }
    }

    @Breaks("anInterruptedRankIsNamed")
    @HirundoContract
    static class HidesInterrupts extends Retold {
        HidesInterrupts() {
            super("was interrupted");
        }
    }

    /** Leaves some words out of what failures say. */
    abstract static class Retold extends FabricMutant {
        private final String words;

        Retold(String words) {
            this.words = words;
        }

        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                Pending begun(Pending pending) {
                    return new MutantPending(pending) {
                        @Override
                        public void await() {
                            retold(real::await);
                        }
                    };
                }

                @Override
                public void barrier() {
                    retold(super::barrier);
                }

                private void retold(Runnable action) {
                    try {
                        action.run();
                    } catch (CommunicationException e) {
                        throw new CommunicationException(e.getMessage().replace(words, "..."), e);
                    }
                }
            };
        }
    }
}
