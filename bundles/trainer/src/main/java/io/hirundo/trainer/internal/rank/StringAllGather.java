package io.hirundo.trainer.internal.rank;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.tensors.HostCopies;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All-gathers strings between steps: change requests, errors. Their memory is workspace, of which a step takes more: a plan does not know which
 * strings a run exchanges, and runs whose steps need no memory for communication would have other peaks than their plan.
 */
public final class StringAllGather {
  private StringAllGather() {}

  /** The strings of all ranks of the world, in rank order. Collective. */
  public static List<String> exchange(Rank rank, String own) {
    ProcessGroup everyone = rank.everyone();
    if (everyone.size() == 1) {
      return List.of(own);
    }
    byte[] bytes = own.getBytes(StandardCharsets.UTF_8);
    int[] lengths = gather(rank, new int[] {bytes.length});
    int longest = 0;
    for (int length : lengths) {
      longest = Math.max(longest, length);
    }
    if (longest == 0) {
      return Collections.nCopies(lengths.length, "");
    }
    // Four bytes per INT32 element, because fabrics carry no byte type other than FP8.
    int elements = (longest + Integer.BYTES - 1) / Integer.BYTES;
    int[] padded = new int[elements];
    MemorySegment.ofArray(padded).asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
    MemorySegment all = MemorySegment.ofArray(gather(rank, padded));
    var texts = new ArrayList<String>();
    for (int other = 0; other < lengths.length; other++) {
      byte[] text = all.asSlice((long) other * elements * Integer.BYTES, lengths[other]).toArray(ValueLayout.JAVA_BYTE);
      texts.add(new String(text, StandardCharsets.UTF_8));
    }
    return texts;
  }

  private static int[] gather(Rank rank, int[] own) {
    Device device = rank.device();
    Queue queue = rank.queue();
    ProcessGroup everyone = rank.everyone();
    try (Tensor shard = device.allocate(MemoryCategory.WORKSPACE, Shape.of(own.length), DType.INT32);
        Tensor whole =
            device.allocate(MemoryCategory.WORKSPACE, Shape.of((long) own.length * everyone.size()), DType.INT32)) {
      HostCopies.upload(device, queue, own, shard);
      queue.await(everyone.allGather(queue, shard, whole).event());
      return HostCopies.readInts(device, queue, whole);
    }
  }
}
