/** Who makes a declared layer run, and the trainer's own layers: on the rank's tokens and channels, without communication. */
package io.hirundo.trainer.internal.provider;
