/** Datasets as two files, {@code .bin} and {@code .idx}, and what is written beside them. */
package io.hirundo.dataloader.internal.indexed;
