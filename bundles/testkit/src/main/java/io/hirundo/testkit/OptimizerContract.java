package io.hirundo.testkit;

import io.hirundo.testkit.optimizer.ConversionClauses;
import io.hirundo.testkit.optimizer.KernelNeedsClauses;
import io.hirundo.testkit.optimizer.StateClauses;
import io.hirundo.testkit.optimizer.UpdateClauses;

/**
 * Contract tests for an {@code Optimizer}: its state is declared, listed, saved and restored completely, and converted block by block; sharded updates compute the
 * bits of unsharded ones; its kernels are declared; weight decay, the clipping coefficient, and gradients or learning rates of zero.
 */
public interface OptimizerContract extends StateClauses, ConversionClauses, UpdateClauses, KernelNeedsClauses {}
