/**
 * The tables of Megatron's sample order, equal to numpy's to the last bit: splits, epochs, shuffles, sample indices and
 * blends. Plain arithmetic over document lengths, which {@code sampling} reads samples by.
 */
package io.hirundo.dataloader.internal.megatron;
