/**
 * Collectives and point-to-point transfers among ranks that are threads of one process: who announced what, who moves
 * the data, and what happens when a rank fails. The world's lock guards all of it.
 */
package io.hirundo.commlocal.internal.collective;
