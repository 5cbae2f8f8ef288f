package __package__;

import io.hirundo.kernel.attention.AttentionOptions;
import io.hirundo.kernel.attention.Heads;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.parallel.AttentionCore;
import io.hirundo.parallel.ContextParallel;
import java.util.List;

/** Gives each rank one chunk of every sequence, in order. Simple, but later ranks have more keys to attend to than earlier ones. */
record __Name__Chunks(__Name__Options options) implements ContextParallel {
    @Override
    public List<Integer> pieces(int rank, int ranks) {
        return List.of(rank);
    }

    @Override
    public AttentionCore attention(ProcessGroup group, Heads heads, AttentionOptions attention) {
        return new __Name__Attention(group, heads, attention, options.overlap());
    }
}
