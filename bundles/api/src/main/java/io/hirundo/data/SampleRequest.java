package io.hirundo.data;

/**
 * What a run asks of its data.
 *
 * @param seed of the shuffles
 * @param sequenceTokens tokens of a sample, labels not counted
 * @param trainingSamples that the whole run consumes
 * @param validationSamples that the whole run consumes
 */
public record SampleRequest(long seed, int sequenceTokens, long trainingSamples, long validationSamples) {}
