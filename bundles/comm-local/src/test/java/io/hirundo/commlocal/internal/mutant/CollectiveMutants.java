package io.hirundo.commlocal.internal.mutant;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.tensor.CpuTensor;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Point-to-point transfers and collectives with one fault each. */
final class CollectiveMutants {
    private CollectiveMutants() {}

    @Breaks("sumsAreMadeInRankOrder")
    @HirundoContract
    static class AddsFromTheLastRank extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
                    return world.group(real.ranks().reversed()).allReduce(after, inPlace, reduction);
                }
            };
        }
    }

    @Breaks({"delaysDoNotChangeSums", "sumsAreMadeInRankOrder"})
    @HirundoContract
    static class AddsAsTheyCome extends FabricMutant {
        private final AtomicInteger worlds = new AtomicInteger();

        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            int order = worlds.getAndIncrement() / world.mesh().ranks() % 2;
            return new MutantGroup(real) {
                @Override
                public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
                    var ranks = order == 0 ? real.ranks() : real.ranks().reversed();
                    return world.group(ranks).allReduce(after, inPlace, reduction);
                }
            };
        }
    }

    @Breaks({"maximaAreFound", "anotherCollectiveIsNamed"})
    @HirundoContract
    static class KnowsOneReduction extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
                    return super.allReduce(after, inPlace, Reduction.SUM);
                }
            };
        }
    }

    @Breaks("scattersAndGathers")
    @HirundoContract
    static class ScattersOverItsInput extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
                    Pending pending = super.reduceScatter(after, whole, shard);
                    pending.await();
                    device.kernels().elementwise().fill(after, whole, 0);
                    return pending;
                }
            };
        }
    }

    @Breaks("scattersAndGathersInPlace")
    @HirundoContract
    static class ForgetsThatAShardMayBeAPart extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
                    device.kernels().elementwise().fill(after, shard, 0);
                    return super.reduceScatter(after, whole, shard);
                }
            };
        }
    }

    @Breaks({"broadcasts", "anotherCollectiveIsNamed"})
    @HirundoContract
    static class BroadcastsFromTheFirst extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending broadcast(Queue after, Tensor inPlace, int root) {
                    return super.broadcast(after, inPlace, 0);
                }
            };
        }
    }

    @Breaks("exchangesParts")
    @HirundoContract
    static class GathersInsteadOfExchanging extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending allToAll(Queue after, Tensor from, Tensor to) {
                    long part = from.elements() / size();
                    return super.allGather(after, from.rows(rank() * part, part), to);
                }
            };
        }
    }

    @Breaks({"exchangesRows", "aGroupOfOneIsAGroup"})
    @HirundoContract
    static class LeavesItsOwnRowsOut extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending allToAllRows(Queue after, Tensor from, long[] sendRows, Tensor to, long[] receiveRows) {
                    Pending pending = super.allToAllRows(after, from, sendRows, to, receiveRows);
                    pending.await();
                    Tensor own = to.rows(Arrays.stream(receiveRows, 0, rank()).sum(), receiveRows[rank()]);
                    device.kernels().elementwise().fill(after, own, -1);
                    return pending;
                }
            };
        }
    }

    @Breaks({"anotherCountOfRowsIsNoticed", "exchangesRows"})
    @HirundoContract
    static class ExchangesOneRowEach extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending allToAllRows(Queue after, Tensor from, long[] sendRows, Tensor to, long[] receiveRows) {
                    long[] one = new long[size()];
                    Arrays.fill(one, 1);
                    return super.allToAllRows(after, from, one, to, one);
                }
            };
        }
    }

    @Breaks("integersAreMoved")
    @HirundoContract
    static class MovesIntegersAsFloats extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending allGather(Queue after, Tensor shard, Tensor whole) {
                    var values = (CpuTensor) shard;
                    for (long i = 0; i < values.elements() && values.dtype() == DType.INT32; i++) {
                        values.setDouble(i, (float) values.getDouble(i));
                    }
                    return super.allGather(after, shard, whole);
                }
            };
        }
    }

    @Breaks({"groupsDoNotWaitForEachOther", "everythingPendingFails"})
    @HirundoContract
    static class NeverSaysThatItHappened extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                Pending begun(Pending pending) {
                    return () -> told(false, pending.event());
                }
            };
        }
    }

    @Breaks("transfersArriveInOrder")
    @HirundoContract
    static class SaysTooEarlyThatItHappened extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                Pending begun(Pending pending) {
                    return () -> told(true, pending.event());
                }
            };
        }
    }

    private static Event told(boolean happened, Event real) {
        return new Event() {
            @Override
            public boolean hasHappened() {
                return happened;
            }

            @Override
            public void await() {
                real.await();
            }
        };
    }

    @Breaks({"everyRankMaySendFirst", "everyPairMayExchange"})
    @HirundoContract
    static class SendsWhenTheReceiverIsThere extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending send(Queue after, Tensor tensor, int peer) {
                    Pending pending = super.send(after, tensor, peer);
                    pending.await();
                    return pending;
                }
            };
        }
    }

    @Breaks({"rejectsMismatchedOperands", "aGroupOfOneIsAGroup"})
    @HirundoContract
    static class SendsToItself extends FabricMutant {
        @Override
        ProcessGroup mutant(ProcessGroup real, World world, Device device) {
            return new MutantGroup(real) {
                @Override
                public Pending send(Queue after, Tensor tensor, int peer) {
                    return peer == rank() ? after::record : super.send(after, tensor, peer);
                }
            };
        }
    }
}
