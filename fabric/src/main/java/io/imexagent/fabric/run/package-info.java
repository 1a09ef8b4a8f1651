/**
 * A run of the fabric test across nodes: its objects in the cluster, who may start one, how it is followed, what is left of it
 * afterwards (nothing), and how its evidence becomes a result.
 */
@NullMarked
package io.imexagent.fabric.run;

import org.jspecify.annotations.NullMarked;
