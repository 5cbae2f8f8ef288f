package io.hirundo.data;

/**
 * What a run requests from its data.
 *
 * @param seed of the shuffles
 * @param sequenceTokens tokens per sample, without the extra label token
 * @param trainingSamples that the whole run consumes
 * @param validationSamples that the whole run consumes
 */
public record SampleRequest(long seed, int sequenceTokens, long trainingSamples, long validationSamples) {}
