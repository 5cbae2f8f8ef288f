package io.hirundo.testkit;

import io.hirundo.testkit.fabric.CollectiveClauses;
import io.hirundo.testkit.fabric.FaultClauses;
import io.hirundo.testkit.fabric.GroupClauses;
import io.hirundo.testkit.fabric.MismatchClauses;
import io.hirundo.testkit.fabric.TransferOrderClauses;

/**
 * Contract tests for a {@code Fabric}: collectives, point-to-point transfers, groups, and how one rank's failure ends all ranks.
 * A fabric's test implements it; its ranks are threads. A fabric of processes brings a stand-in for its connections.
 */
public interface FabricContract
        extends CollectiveClauses, TransferOrderClauses, GroupClauses, FaultClauses, MismatchClauses {}
