/** How a node gets a channel for a ComputeDomain out of its clique's table, and keeps it for as long as it is used. */
@NullMarked
package io.imexagent.imex.bind;

import org.jspecify.annotations.NullMarked;
