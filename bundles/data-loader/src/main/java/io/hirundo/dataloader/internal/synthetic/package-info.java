/** Synthetic tokens, for tests and for profiles without files. */
package io.hirundo.dataloader.internal.synthetic;
