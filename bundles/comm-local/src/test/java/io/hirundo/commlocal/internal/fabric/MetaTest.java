package io.hirundo.commlocal.internal.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hirundo.device.MemoryCategory;
import io.hirundo.devicemeta.internal.MetaFactory;
import io.hirundo.devicemeta.internal.MetaOptions;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.DType;
import io.hirundo.testkit.fabric.Ranks;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A device that only counts runs the same program: the same memory, and kernels that are booked. */
class MetaTest {
    @Test
    void countsKernelsAndMemory() {
        var outcomes = Ranks.of(new LocalFabricTest(), Ranks.mesh(1, 1, 3), 20)
                .on(new MetaFactory().create(new MetaOptions()))
                .outcomes(rank -> {
                    var whole = rank.tensor(DType.FP32, 30);
                    var part = rank.tensor(DType.FP32, 10);
                    var all = rank.all();
                    all.allReduce(rank.queue(), whole, Reduction.SUM).await();
                    all.allReduce(rank.queue(), whole, Reduction.MAX).await();
                    all.reduceScatter(rank.queue(), whole, part).await();
                    all.allGather(rank.queue(), part, whole).await();
                    all.allToAll(rank.queue(), rank.tensor(DType.FP32, 30), whole)
                            .await();
                    all.broadcast(rank.queue(), whole, 0).await();
                    if (rank.number() == 0) {
                        all.send(rank.queue(), part, 2).await();
                    } else if (rank.number() == 2) {
                        all.receive(rank.queue(), part, 0).await();
                    }
                    assertEquals(64, rank.bench().books().live(MemoryCategory.COMMUNICATION));
                    return rank.bench().books().calls();
                });
        outcomes.forEach(outcome -> assertNull(outcome.failure()));
        // Copies: two results of reductions (not on rank 0, which holds them), into and out of the chunk, three, three,
        // one, one.
        assertEquals(
                Map.of("elementwise.add", 4, "elementwise.maximum", 2, "elementwise.copy", 8),
                outcomes.get(0).value());
        assertEquals(
                Map.of("elementwise.add", 4, "elementwise.maximum", 2, "elementwise.copy", 12),
                outcomes.get(2).value());
    }
}
