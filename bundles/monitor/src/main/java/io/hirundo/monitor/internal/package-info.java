/** Private to the bundle monitor. */
package io.hirundo.monitor.internal;
