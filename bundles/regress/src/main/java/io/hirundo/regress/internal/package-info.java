/**
 * The commands {@code regress record} and {@code regress check}: a set of cases ({@code set}) is run ({@code run}), what it gives is
 * kept in a golden file ({@code golden}), and compared with it later ({@code compare}).
 */
package io.hirundo.regress.internal;
