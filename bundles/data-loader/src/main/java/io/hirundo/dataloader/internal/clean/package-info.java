/**
 * Text preparation. A document becomes paragraphs ({@link io.hirundo.dataloader.internal.clean.Paragraphs}, or
 * {@link io.hirundo.dataloader.internal.clean.JavaProse} for the documentation in Java sources);
 * {@link io.hirundo.dataloader.internal.clean.TextCleaner} keeps those that are neither license texts nor near-duplicates.
 */
package io.hirundo.dataloader.internal.clean;
