/** Folders of torch.distributed.checkpoint: their tensors and storage locations. */
package io.hirundo.checkpointtorch.internal.folder;
