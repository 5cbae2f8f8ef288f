/** Private to the bundle device-meta. */
package io.hirundo.devicemeta.internal;
