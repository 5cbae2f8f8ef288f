/**
 * Hostile input: several hundred files that are damaged, absent or no files at all, one for every reader of the product and kind
 * of fault. Each has an expected exit code and gets exactly one line. {@code docs/reliability.md} tells how to run them.
 *
 * <p>{@code Zoo} collects the cases, {@code *Faults} add those of one kind of file, {@code FileFaults} and {@code JsonFaults} do
 * the damage, {@code ZooIT} runs them in one process ({@code InProcess}) and checks what a user would see ({@code Verdict}).
 */
package io.hirundo.itests.faults;
