/** The fabric {@code local}: its options, and the service that creates it from {@code lib-fabric}. */
package io.hirundo.commlocal.internal.fabric;
