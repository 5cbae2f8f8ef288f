package io.hirundo.commmpi.internal.fabric;

import io.hirundo.ConfigurationException;
import io.hirundo.command.ShellLine;
import io.hirundo.mesh.Mesh;

/**
 * What mpirun passes to this process.
 *
 * @param rank of this process
 * @param size how many processes there are
 */
record LaunchEnvironment(int rank, int size) {
    /**
     * From the properties that the launcher sets, which are null without mpirun.
     *
     * @return null when this process was not started by mpirun
     */
    static LaunchEnvironment of(String rank, String size) {
        return rank == null || size == null
                ? null
                : new LaunchEnvironment(Integer.parseInt(rank), Integer.parseInt(size));
    }

    /**
     * @param launched null where there was no mpirun
     * @throws ConfigurationException when this process cannot be a rank of the mesh
     */
    static LaunchEnvironment require(LaunchEnvironment launched, Mesh mesh) {
        if (launched == null) {
            throw new ConfigurationException(
                    "mesh.fabric: mpi has one process per rank, and this one was not started by mpirun; start 'mpirun -n "
                            + mesh.ranks() + " " + ShellLine.of("train") + " ...', or give mesh.fabric=local");
        }
        if (launched.size() != mesh.ranks()) {
            throw new ConfigurationException(
                    "mesh: its axes multiply to " + mesh.ranks() + " ranks, but mpirun started " + launched.size()
                            + " processes; start it with -n " + mesh.ranks() + ", or give the axes other sizes");
        }
        return launched;
    }
}
