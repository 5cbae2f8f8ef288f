/** What a transfer costs over a simulated link between ranks, and sleeps that last that long. */
package io.hirundo.commlocal.internal.link;
