/**
 * The commands {@code regress record} and {@code regress check}: read a set of cases ({@code set}), train it ({@code run}), store the
 * results in a golden file ({@code golden}), and compare later results with it ({@code compare}).
 */
package io.hirundo.regress.internal;
