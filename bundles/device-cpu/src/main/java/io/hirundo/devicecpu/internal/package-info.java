/** Private to the bundle device-cpu. */
package io.hirundo.devicecpu.internal;
