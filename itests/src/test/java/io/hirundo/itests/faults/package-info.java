/**
 * Hostile input: several hundred files that are damaged, absent or no files at all, one for every reader of the product and kind
 * of fault. Each has an expected exit code and gets exactly one line. {@code docs/reliability.md} tells how to run them.
 *
 * <p>{@code Zoo} collects the cases, {@code *Faults} add those of one kind of file, with the damages of {@code io.hirundo.itests.damage};
 * {@code ZooIT} runs them in one process ({@code InProcess}) and checks what a user would see ({@code Verdict}). {@code FuzzTarget} makes
 * up more of them, for {@code tools/fuzz}.
 */
package io.hirundo.itests.faults;
