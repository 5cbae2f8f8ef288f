/**
 * The fabric {@code mpi} as the trainer sees it: what mpirun says, rendezvous, worlds and groups, which pass their calls
 * to {@code collective}.
 */
package io.hirundo.commmpi.internal.fabric;
