/**
 * A run of the fabric test across nodes: its objects in the cluster, who may start a run, how its pods are followed,
 * how all objects are deleted afterwards, and how the evidence becomes a result.
 */
@NullMarked
package io.imexagent.fabric.run;

import org.jspecify.annotations.NullMarked;
