/** Models of any family in folders of torch.distributed.checkpoint. */
package io.hirundo.checkpointtorch.internal.model;
