/** Compressed files, read completely checked: every checksum and length, and no byte is skipped. */
package io.hirundo.dataloader.internal.archive;
