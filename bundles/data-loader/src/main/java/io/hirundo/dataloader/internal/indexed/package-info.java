/** Datasets as two files, {@code .bin} and {@code .idx}, their checksums, and what is written beside them. */
package io.hirundo.dataloader.internal.indexed;
