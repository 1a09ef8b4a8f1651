/**
 * A rank of a fabric test across nodes: the program in the pod. It exports memory of its GPUs, serves the handles to
 * the other ranks, imports the memory of one rank at a time, and writes a row with the results of its imports.
 */
@NullMarked
package io.imexagent.fabric.rank;

import org.jspecify.annotations.NullMarked;
