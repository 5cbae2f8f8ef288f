/** One rank in FP64 for clauses about layers and models: its scope, its step, values of weights, and finite differences. */
package io.hirundo.testkit.trial;
