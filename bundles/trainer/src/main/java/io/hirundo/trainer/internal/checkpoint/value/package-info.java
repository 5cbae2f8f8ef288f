/** What a checkpoint holds besides tensors: keys, integers, and where the data continues. */
package io.hirundo.trainer.internal.checkpoint.value;
