/** Pipeline parallelism on one rank: the split into stages, the task order of a schedule and the transfers between stages. */
package io.hirundo.trainer.internal.pipeline;
