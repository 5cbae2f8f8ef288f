package io.hirundo.commlocal.internal;

import io.hirundo.CommunicationException;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.devicecpu.internal.CpuTensor;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.FabricContract;
import io.hirundo.testkit.HirundoContract;
import io.hirundo.testkit.mutant.Breaks;
import io.hirundo.testkit.mutant.Mutants;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** This fabric, broken in one way each, and a clause of the fabric contract that finds it. The testkit itself has no fabric. */
class FabricMutantsTest {
  @TestFactory
  Stream<DynamicTest> mutants() {
    return Mutants.atLeast(FabricMutantsTest.class, FabricContract.class);
  }

  abstract static class Mutant implements FabricContract {
    private final LocalFabricTest sound = new LocalFabricTest();

    @Override
    public boolean ranksReadEachOther() {
      return true;
    }

    @Override
    public ComputeBackend backend() {
      return sound.backend();
    }

    @Override
    public List<Fabric> fabrics(int ranks, int timeoutSeconds) {
      return Collections.nCopies(ranks, mutant(sound.fabrics(1, Math.min(timeoutSeconds, 3)).getFirst()));
    }

    Fabric mutant(Fabric real) {
      return new Fabric() {
        @Override
        public List<Integer> localRanks(Mesh mesh) {
          return real.localRanks(mesh);
        }

        @Override
        public World connect(int rank, Mesh mesh, Device device) {
          return mutant(real.connect(rank, mesh, device), device);
        }
      };
    }

    World mutant(World real, Device device) {
      return new MutantWorld(real) {
        @Override
        ProcessGroup mutant(ProcessGroup group) {
          return Mutant.this.mutant(group, real, device);
        }
      };
    }

    ProcessGroup mutant(ProcessGroup real, World world, Device device) {
      return real;
    }
  }

  @Breaks("sumsAreMadeInRankOrder")
  @HirundoContract
  static class AddsFromTheLastRank extends Mutant {
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
  static class AddsAsTheyCome extends Mutant {
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
  static class KnowsOneReduction extends Mutant {
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
  static class ScattersOverItsInput extends Mutant {
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
  static class ForgetsThatAShardMayBeAPart extends Mutant {
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
  static class BroadcastsFromTheFirst extends Mutant {
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
  static class GathersInsteadOfExchanging extends Mutant {
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

  @Breaks("integersAreMoved")
  @HirundoContract
  static class MovesIntegersAsFloats extends Mutant {
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
  static class NeverSaysThatItHappened extends Mutant {
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

  @Breaks("messagesArriveInOrder")
  @HirundoContract
  static class SaysTooEarlyThatItHappened extends Mutant {
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
  static class SendsWhenTheReceiverIsThere extends Mutant {
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

  @Breaks("groupsFollowTheMesh")
  @HirundoContract
  static class MakesGroupsAnew extends Mutant {
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

  @Breaks({"listedGroupsAreApart", "refusesGroupsThatCannotBe"})
  @HirundoContract
  static class SortsGroups extends Mutant {
    @Override
    World mutant(World real, Device device) {
      return new MutantWorld(real) {
        @Override
        public ProcessGroup group(List<Integer> ranks) {
          return real.group(ranks.stream().filter(rank -> rank < mesh().ranks()).distinct().sorted().toList());
        }
      };
    }
  }

  @Breaks({"refusesOperandsThatDoNotFit", "aGroupOfOneIsAGroup"})
  @HirundoContract
  static class SendsToItself extends Mutant {
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

  @Breaks("leavingDisturbsNobody")
  @HirundoContract
  static class LeavesInAHurry extends Mutant {
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
  static class ServesAfterItWasClosed extends Mutant {
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
  static class ServesOneRun extends Mutant {
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

  @Breaks({"whoDoesNotJoinIsNamed", "aRankWithAnotherMeshIsNamed", "aRankThatIsNotIsRefused"})
  @HirundoContract
  static class DoesNotSayWhoIsMissing extends Mutant {
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

  @Breaks("aKernelThatRunsEndsFirst")
  @HirundoContract
  static class DoesNotWaitForKernels extends Mutant {
    private volatile boolean aborted;

    @Override
    World mutant(World real, Device device) {
      return new MutantWorld(real) {
        @Override
        ProcessGroup mutant(ProcessGroup group) {
          return new MutantGroup(group) {
            @Override
            Pending begun(Pending pending) {
              return new Pending() {
                @Override
                public Event event() {
                  return pending.event();
                }

                @Override
                public void await() {
                  while (!pending.event().hasHappened()) {
                    if (aborted) {
                      throw new CommunicationException("aborted");
                    }
                    Thread.onSpinWait();
                  }
                  pending.await();
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

  @Breaks("aFailureOfTheDeviceIsTold")
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
  abstract static class Retold extends Mutant {
    private final String words;

    Retold(String words) {
      this.words = words;
    }

    @Override
    ProcessGroup mutant(ProcessGroup real, World world, Device device) {
      return new MutantGroup(real) {
        @Override
        Pending begun(Pending pending) {
          return new Pending() {
            @Override
            public Event event() {
              return pending.event();
            }

            @Override
            public void await() {
              retold(pending::await);
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
