/** The installed strategies, by kind and name, as services come and go. */
package io.hirundo.configuration.internal.registry;
