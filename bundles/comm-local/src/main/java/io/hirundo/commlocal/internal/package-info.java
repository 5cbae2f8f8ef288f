/** Private to the bundle comm-local. */
package io.hirundo.commlocal.internal;
