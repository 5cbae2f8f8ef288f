package io.hirundo.lib.run.section;

import io.hirundo.mesh.Axis;

/** The axes that a run can have. */
public enum MeshAxis {
    TENSOR(Axis.TENSOR),
    CONTEXT(Axis.CONTEXT),
    PIPELINE(Axis.PIPELINE),
    DATA(Axis.DATA);

    private final Axis axis;

    MeshAxis(Axis axis) {
        this.axis = axis;
    }

    Axis axis() {
        return axis;
    }
}
