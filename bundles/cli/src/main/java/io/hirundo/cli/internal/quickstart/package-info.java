/** {@code hirundo quickstart}: runs other commands in sequence on text that needs no download. */
package io.hirundo.cli.internal.quickstart;
