/** The monitor that programs read. */
package io.hirundo.monitor.internal.jsonl;
