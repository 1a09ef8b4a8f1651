/**
 * A rank of a fabric test across nodes: the program in the pod. It exports memory of its GPUs, serves the handles to the
 * other ranks, imports theirs one rank at a time, and leaves a row of what its imports came to.
 */
@NullMarked
package io.imexagent.fabric.rank;

import org.jspecify.annotations.NullMarked;
