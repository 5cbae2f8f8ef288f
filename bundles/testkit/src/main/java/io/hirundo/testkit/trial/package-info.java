/**
 * One rank in FP64 for clauses about layers and models: its scope, its step, values of weights, and finite differences; calls at the same time, and
 * contents of folders.
 */
package io.hirundo.testkit.trial;
