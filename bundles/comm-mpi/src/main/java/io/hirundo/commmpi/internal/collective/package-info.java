/**
 * Collectives and point-to-point transfers among processes, over {@code wire}: headers that find ranks out of step, data
 * through host memory, and the thread that tells other ranks of an end.
 */
package io.hirundo.commmpi.internal.collective;
