package io.hirundo.commlocal.internal.mutant;

import io.hirundo.CommunicationException;
import io.hirundo.device.Device;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.World;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Worlds that are made, shared out or left in a wrong way. */
final class WorldMutants {
    private WorldMutants() {}

    @Breaks("groupsFollowTheMesh")
    @HirundoContract
    static class MakesGroupsAnew extends FabricMutant {
        @Override
        World mutant(World real, Device device) {
            return new MutantWorld(real) {
                @Override
                public ProcessGroup along(Axis... axes) {
                    return new MutantGroup(real.along(axes));
                }
            };
        }
    }

    @Breaks({"listedGroupsAreApart", "rejectsInvalidGroups"})
    @HirundoContract
    static class SortsGroups extends FabricMutant {
        @Override
        World mutant(World real, Device device) {
            return new MutantWorld(real) {
                @Override
                public ProcessGroup group(List<Integer> ranks) {
                    return real.group(ranks.stream()
                            .filter(rank -> rank < mesh().ranks())
                            .distinct()
                            .sorted()
                            .toList());
                }
            };
        }
    }

    @Breaks("leavingDisturbsNobody")
    @HirundoContract
    static class LeavesInAHurry extends FabricMutant {
        @Override
        World mutant(World real, Device device) {
            var begun = new ArrayList<Pending>();
            return new MutantWorld(real) {
                @Override
                ProcessGroup mutant(ProcessGroup group) {
                    return new MutantGroup(group) {
                        @Override
                        Pending begun(Pending pending) {
                            begun.add(pending);
                            return pending;
                        }
                    };
                }

                @Override
                public void close() {
                    if (begun.stream().anyMatch(pending -> !pending.event().hasHappened())) {
                        real.abort(new IllegalStateException("no time"));
                    }
                    real.close();
                }
            };
        }
    }

    @Breaks("closedIsClosed")
    @HirundoContract
    static class ServesAfterItWasClosed extends FabricMutant {
        @Override
        World mutant(World real, Device device) {
            return new MutantWorld(real) {
                private boolean closed;

                @Override
                ProcessGroup mutant(ProcessGroup group) {
                    return new MutantGroup(group) {
                        @Override
                        public void barrier() {
                            if (!closed) {
                                super.barrier();
                            }
                        }
                    };
                }

                @Override
                public void close() {
                    closed = true;
                    real.close();
                }
            };
        }
    }

    @Breaks("oneRunFollowsTheOther")
    @HirundoContract
    static class ServesOneRun extends FabricMutant {
        @Override
        Fabric mutant(Fabric real) {
            Set<Integer> joined = new HashSet<>();
            return new Fabric() {
                @Override
                public List<Integer> localRanks(Mesh mesh) {
                    return real.localRanks(mesh);
                }

                @Override
                public World connect(int rank, Mesh mesh, Device device) {
                    synchronized (joined) {
                        if (!joined.add(rank)) {
                            throw new CommunicationException("rank " + rank + " was here before");
                        }
                    }
                    return real.connect(rank, mesh, device);
                }
            };
        }
    }

    @Breaks("aKernelThatRunsEndsFirst")
    @HirundoContract
    static class DoesNotWaitForKernels extends FabricMutant {
        private volatile boolean aborted;

        @Override
        World mutant(World real, Device device) {
            return new MutantWorld(real) {
                @Override
                ProcessGroup mutant(ProcessGroup group) {
                    return new MutantGroup(group) {
                        @Override
                        Pending begun(Pending pending) {
                            return new MutantPending(pending) {
                                @Override
                                public void await() {
                                    while (!real.event().hasHappened()) {
                                        if (aborted) {
                                            throw new CommunicationException("aborted");
                                        }
                                        Thread.onSpinWait();
                                    }
                                    real.await();
                                }
                            };
                        }
                    };
                }

                @Override
                public void abort(Throwable cause) {
                    aborted = true;
                    real.abort(cause);
                }
            };
        }
    }
}
