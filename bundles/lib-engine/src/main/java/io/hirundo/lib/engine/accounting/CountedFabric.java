package io.hirundo.lib.engine.accounting;

import io.hirundo.device.Device;
import io.hirundo.device.DeviceLedger;
import io.hirundo.lib.engine.fabric.CollectiveCall;
import io.hirundo.lib.engine.fabric.ObservedFabric;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.World;
import io.hirundo.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The fabric of one rank with accounting: the ledger counts each collective of a group of two or more ranks, with the bytes of its larger
 * operand.
 */
public final class CountedFabric implements Fabric {
    /** Collectives are counted under this prefix, the collective's name and the mesh axes. */
    public static final String PREFIX = "message.";

    private final Fabric fabric;
    private final DeviceLedger ledger;
    private final Consumer<Pending> begun;
    private boolean sentFp8;

    /** {@code ledger}: the ledger of the rank. */
    public CountedFabric(Fabric fabric, DeviceLedger ledger) {
        this(fabric, ledger, pending -> {});
    }

    /** {@code begun}: receives each collective when it starts. */
    public CountedFabric(Fabric fabric, DeviceLedger ledger, Consumer<Pending> begun) {
        this.fabric = new ObservedFabric(fabric, this::begin);
        this.ledger = ledger;
        this.begun = begun;
    }

    /** The work that was counted as collectives, by collective and axes. */
    public static Map<String, AccountedLedger.Work> collectives(Map<String, AccountedLedger.Work> work) {
        var collectives = new LinkedHashMap<String, AccountedLedger.Work>();
        work.forEach((name, each) -> {
            if (name.startsWith(PREFIX)) {
                collectives.put(name.substring(PREFIX.length()), each);
            }
        });
        return collectives;
    }

    @Override
    public List<Integer> localRanks(Mesh mesh) {
        return fabric.localRanks(mesh);
    }

    @Override
    public World connect(int rank, Mesh mesh, Device device) {
        return fabric.connect(rank, mesh, device);
    }

    private Pending begin(CollectiveCall call, Supplier<Pending> begin) {
        Pending pending = begin.get();
        Tensor operand = call.larger();
        ledger.work(PREFIX + call.kind() + " " + call.axes(), 0, operand.byteSize());
        sentFp8 |= operand.dtype().isFloating() && !operand.dtype().isArithmetic();
        begun.accept(pending);
        return pending;
    }

    /** Whether any collective carried FP8 values. */
    public boolean hasSentFp8() {
        return sentFp8;
    }
}
