package io.hirundo.paralleltp.internal.layer;

import io.hirundo.tensor.Tensor;

/**
 * Which tokens of a microbatch a chunk has: the same stretch of every shard.
 *
 * @param shards that the microbatch is cut into
 * @param shardTokens tokens of each
 * @param first of the stretch
 * @param count its length
 */
record TokenShards(int shards, long shardTokens, long first, long count) {
    /** Tokens of the chunk. */
    long tokens() {
        return shards * count;
    }

    /** What a tensor of the whole microbatch has for one shard of the chunk. */
    Tensor ofBatch(Tensor wholeT, int shard) {
        return wholeT.rows(shard * shardTokens + first, count);
    }

    /** What a tensor of the chunk has for one shard of it. */
    Tensor ofChunk(Tensor chunkT, int shard) {
        return chunkT.rows(shard * count, count);
    }
}
