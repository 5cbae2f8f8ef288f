package io.hirundo.checkpoint;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.World;
import java.nio.file.Path;

/**
 * Where and with whom a run saves its checkpoints.
 *
 * @param directory contains one folder per checkpoint; created by the first save
 * @param world all ranks; they save together
 * @param device holds the tensors
 * @param queue orders copies after the rank's other work
 */
public record CheckpointContext(Path directory, World world, Device device, Queue queue) {}
