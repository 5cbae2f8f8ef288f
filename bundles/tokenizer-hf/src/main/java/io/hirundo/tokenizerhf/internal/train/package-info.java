/**
 * Trains byte-level byte-pair tokenizers. Byte-pair encoding of words: Sennrich et al. 2016, arXiv:1508.07909; of bytes:
 * Radford et al. 2019 (GPT-2).
 */
package io.hirundo.tokenizerhf.internal.train;
