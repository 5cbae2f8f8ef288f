/** Private to the bundle optimizer-adamw. */
package io.hirundo.optimizeradamw.internal;
