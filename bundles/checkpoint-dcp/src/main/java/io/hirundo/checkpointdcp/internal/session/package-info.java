/**
 * The services of this bundle: the factories of {@code sync}, {@code dcp-async} and {@code dcp-tiered}, their options,
 * and the session that a run opens with one of them.
 */
package io.hirundo.checkpointdcp.internal.session;
