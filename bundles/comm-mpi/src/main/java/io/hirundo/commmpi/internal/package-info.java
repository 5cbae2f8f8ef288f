/** Private to the bundle comm-mpi. */
package io.hirundo.commmpi.internal;
