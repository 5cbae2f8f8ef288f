/** Private to the bundle parallel-tp. */
package io.hirundo.paralleltp.internal;
