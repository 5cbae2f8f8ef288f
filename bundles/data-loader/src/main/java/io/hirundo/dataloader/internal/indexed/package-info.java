/** Datasets as two files, {@code .bin} and {@code .idx}, their checksums, and their description ({@code .json}). */
package io.hirundo.dataloader.internal.indexed;
