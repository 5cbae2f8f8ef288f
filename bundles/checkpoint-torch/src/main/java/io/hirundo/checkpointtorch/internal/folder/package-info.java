/** Folders of torch.distributed.checkpoint: what tensors they hold, and where. */
package io.hirundo.checkpointtorch.internal.folder;
