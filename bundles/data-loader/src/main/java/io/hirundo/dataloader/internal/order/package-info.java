/**
 * The default order of samples as arithmetic: which dataset of a blend gives the sample of an index, and which of its samples that
 * is. Nothing here grows with the number of samples: every question is answered from the index alone, so that a run starts at
 * once, resumes anywhere, and keeps its order when {@code training.steps} changes.
 *
 * <p>{@link io.hirundo.dataloader.internal.order.BlendTree} turns the index of a sample into a dataset and a number within it;
 * {@link io.hirundo.dataloader.internal.order.Permutation} shuffles the numbers of one epoch of a dataset.
 */
package io.hirundo.dataloader.internal.order;
