/** The optimizer AdamW: its moments for each parameter, and one update through the device's kernel. */
package io.hirundo.optimizeradamw.internal.adamw;
