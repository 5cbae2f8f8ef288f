/**
 * The fabric {@code local} as the trainer sees it: service, worlds and groups, which pass their calls to {@code
 * collective}.
 */
package io.hirundo.commlocal.internal.fabric;
