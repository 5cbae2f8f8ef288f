package io.hirundo.testkit.fabric;

import io.hirundo.lib.fabric.Collective;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import io.hirundo.testkit.bench.Clause;
import java.util.List;

/** When ranks call different collectives, or one collective with different operands, all ranks soon learn which rank it was. */
public interface MismatchClauses extends FabricOffer {
    @Clause(
            value =
                    "A rank with another size ends the world for all; errors name the rank, its call and the expected one",
            remedy = "ranks must compare their calls before data moves; Signature.fits() compares two calls")
    default void anotherSizeIsNamed() {
        for (Collective kind : Collective.values()) {
            if (kind == Collective.BARRIER) {
                continue;
            }
            var outcomes = FaultPrograms.soon(this, rank -> {
                FaultPrograms.begin(kind, rank, 12);
                Thread.sleep(rank.number() == 1 ? 100 : 0);
                FaultPrograms.begin(kind, rank, rank.number() == 1 ? 24 : 12);
                rank.all().barrier();
                return null;
            });
            outcomes.forEach(outcome ->
                    FaultPrograms.requireNamed(outcome, "rank 1", " of 24 FP32", " of 12 FP32", "number 1 "));
        }
    }

    @Clause(
            value = "A rank with another collective, dtype, reduction or root ends the world for all, and is named",
            remedy = "what ranks compare: kind, reduction, root, dtype and size")
    default void anotherCollectiveIsNamed() {
        List<Ranks.Program<Object>> programs = List.of(
                rank -> one(rank, Collective.ALL_REDUCE, Collective.BROADCAST),
                rank -> one(rank, Collective.ALL_GATHER, Collective.ALL_TO_ALL),
                rank -> one(rank, Collective.BARRIER, Collective.ALL_REDUCE),
                rank -> one(rank, Collective.REDUCE_SCATTER, Collective.BARRIER),
                rank -> {
                    Tensor x = rank.tensor(rank.number() == 1 ? DType.FP64 : DType.FP32, 4);
                    rank.all().allReduce(rank.queue(), x, Reduction.SUM).await();
                    return null;
                },
                rank -> {
                    Tensor x = rank.tensor(DType.FP32, 4);
                    rank.all()
                            .allReduce(rank.queue(), x, rank.number() == 1 ? Reduction.MAX : Reduction.SUM)
                            .await();
                    return null;
                },
                rank -> {
                    rank.all()
                            .broadcast(rank.queue(), rank.tensor(DType.FP32, 4), rank.number() == 1 ? 1 : 0)
                            .await();
                    return null;
                });
        for (var program : programs) {
            FaultPrograms.soon(this, program)
                    .forEach(outcome -> FaultPrograms.requireNamed(outcome, "rank 1", " called "));
        }
    }

    @Clause(
            value =
                    "Ranks that count other rows of an all-to-all end the world for all, also where one of them counts none",
            remedy = "parts without rows: transfer them too, so that both sides compare their counts")
    default void anotherCountOfRowsIsNoticed() {
        for (long expected : new long[] {0, 2}) {
            var outcomes = FaultPrograms.soon(this, rank -> {
                Tensor from = rank.tensor(DType.FP32, 4);
                Tensor to = rank.tensor(DType.FP32, 4);
                long[] none = new long[rank.all().size()];
                long[] send = none.clone();
                long[] receive = none.clone();
                if (rank.number() == 0) {
                    send[1] = 1;
                } else if (rank.number() == 1) {
                    receive[0] = expected;
                }
                rank.all().allToAllRows(rank.queue(), from, send, to, receive).await();
                rank.all().barrier();
                return null;
            });
            outcomes.forEach(
                    outcome -> FaultPrograms.requireNamed(outcome, "rank ", " of 1 FP32", " of " + expected + " FP32"));
        }
    }

    private static Object one(Rank rank, Collective most, Collective one) throws InterruptedException {
        Thread.sleep(rank.number() == 1 ? 100 : 0);
        FaultPrograms.begin(rank.number() == 1 ? one : most, rank, 12);
        return null;
    }
}
