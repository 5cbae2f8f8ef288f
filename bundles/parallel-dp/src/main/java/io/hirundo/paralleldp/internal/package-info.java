/** Private to the bundle parallel-dp. */
package io.hirundo.paralleldp.internal;
