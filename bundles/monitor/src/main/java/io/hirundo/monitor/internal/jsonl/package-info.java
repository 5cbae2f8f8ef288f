/** The monitor {@code jsonl}: metrics for programs. */
package io.hirundo.monitor.internal.jsonl;
