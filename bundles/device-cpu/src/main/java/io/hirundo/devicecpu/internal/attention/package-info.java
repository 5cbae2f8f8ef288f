/**
 * Attention, forward and backward, and the merge of partial results by log-sum-exp: a scalar reference, and tiles by the
 * Vector API.
 */
package io.hirundo.devicecpu.internal.attention;
