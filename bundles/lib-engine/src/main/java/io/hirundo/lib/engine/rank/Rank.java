package io.hirundo.lib.engine.rank;

import io.hirundo.ConfigurationException;
import io.hirundo.command.ShellLine;
import io.hirundo.device.ComputeBackend;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.accounting.AccountedLedger;
import io.hirundo.lib.engine.audit.AuditChooser;
import io.hirundo.lib.engine.audit.AuditWorker;
import io.hirundo.lib.engine.audit.CollectiveAudit;
import io.hirundo.lib.engine.audit.RankAudit;
import io.hirundo.lib.engine.fabric.ObservedFabric;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.lib.engine.tensors.HostCopies;
import io.hirundo.mesh.Axis;
import io.hirundo.mesh.Fabric;
import io.hirundo.mesh.Mesh;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.mesh.World;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** One rank: its device and its process groups. Confined to the rank's thread. */
public final class Rank implements AutoCloseable {
    private final Opened opened = new Opened();
    private final AccountedLedger ledger;
    private final Device device;
    private final Queue queue;
    /** Idle unless the rank is audited. */
    private final CollectiveAudit collectives = new CollectiveAudit();

    private World world;

    private Rank(ComputeBackend backend, int ordinal, AccountedLedger ledger) {
        this.ledger = ledger;
        try {
            this.device = opened.add(backend.open(ordinal, ledger), Device::close);
            this.queue = opened.add(device.newQueue("compute"), Queue::close);
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    /**
     * Opens a rank's device. The caller must still call {@link #join}.
     *
     * @param index of the rank among those of this process, which selects the device
     */
    public static Rank open(ComputeBackend backend, int index, AccountedLedger ledger) {
        requireDevice(backend);
        return new Rank(backend, index % backend.devices().size(), ledger);
    }

    /** A world of one rank. */
    public static Rank alone(ComputeBackend backend, Fabric fabric, AccountedLedger ledger) {
        Rank rank = open(backend, 0, ledger);
        try {
            rank.join(fabric, 0, Mesh.ALONE);
            return rank;
        } catch (RuntimeException | Error failure) {
            rank.opened.closeAfter(failure);
            throw failure;
        }
    }

    static void requireDevice(ComputeBackend backend) {
        if (backend.devices().isEmpty()) {
            throw new ConfigurationException(
                    "device: this backend has no device on this machine; see " + ShellLine.of("doctor"));
        }
    }

    /** The fabric, wrapped so that an audit can observe this rank's collectives. */
    public Fabric audited(Fabric fabric) {
        return new ObservedFabric(fabric, collectives);
    }

    /** Joins the world; returns when all ranks of the mesh have joined. */
    public void join(Fabric fabric, int number, Mesh mesh) {
        world = opened.add(fabric.connect(number, mesh, device), World::close);
    }

    public Device device() {
        return device;
    }

    /** Memory that the rank holds on its device, in bytes. */
    public Map<MemoryCategory, Long> liveBytes() {
        return ledger.liveBytes();
    }

    public Queue queue() {
        return queue;
    }

    public World world() {
        return world;
    }

    public ProcessGroup along(Axis... axes) {
        return world.along(axes);
    }

    public ProcessGroup everyone() {
        return world.along(Axis.values());
    }

    /** The sum of a number over the ranks of some axes; exact below 2^53. Collective. */
    public long sum(long value, Axis... axes) {
        if (along(axes).size() == 1) {
            return value;
        }
        try (Tensor scalar = device.allocate(MemoryCategory.WORKSPACE, Shape.of(1), DType.FP64)) {
            device.kernels().elementwise().fill(queue, scalar, (double) value);
            queue.await(along(axes).allReduce(queue, scalar, Reduction.SUM).event());
            return (long) HostCopies.readScalars(device, queue, scalar)[0];
        }
    }

    /** The audit of this rank's steps; the caller closes it before the rank. */
    public RankAudit audit(AuditChooser chooser, AuditWorker worker) {
        return new RankAudit(device, queue, world.rank(), world.mesh(), collectives, chooser, worker);
    }

    public int coordinate(Axis axis) {
        return world.mesh().coordinate(world.rank(), axis);
    }

    /** Coordinates in the mesh: {@code tensor 1 of 2, pipeline 0 of 2}. */
    public String describePlace() {
        String coordinates = world.mesh().sizes().entrySet().stream()
                .filter(axis -> axis.getValue() > 1)
                .map(axis -> axis.getKey().name().toLowerCase(Locale.ROOT) + " " + coordinate(axis.getKey()) + " of "
                        + axis.getValue())
                .collect(Collectors.joining(", "));
        return coordinates.isEmpty() ? "the only rank" : coordinates;
    }

    public MicrobatchContext.RankDevice withActivations(DType activationType) {
        return new MicrobatchContext.RankDevice(device, queue, activationType);
    }

    @Override
    public void close() {
        opened.close();
    }
}
