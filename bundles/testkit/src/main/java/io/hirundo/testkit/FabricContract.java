package io.hirundo.testkit;

import io.hirundo.testkit.fabric.CollectiveClauses;
import io.hirundo.testkit.fabric.FaultClauses;
import io.hirundo.testkit.fabric.GroupClauses;
import io.hirundo.testkit.fabric.MessageClauses;

/**
 * What a training asks of a {@code Fabric}: collectives, messages, groups, and what becomes of all ranks when one of them fails.
 * Implemented by the test of a fabric, whose ranks are threads here; a fabric of processes brings a stand-in for what connects
 * them.
 */
public interface FabricContract extends CollectiveClauses, MessageClauses, GroupClauses, FaultClauses {}
