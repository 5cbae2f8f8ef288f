package io.hirundo.checkpoint;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.World;
import java.nio.file.Path;

/**
 * Where a run keeps its checkpoints.
 *
 * @param directory holds one folder a checkpoint; created when the first is saved
 * @param world all ranks save together
 * @param device holds the tensors
 * @param queue orders the copies with the rank's other work
 */
public record CheckpointContext(Path directory, World world, Device device, Queue queue) {}
