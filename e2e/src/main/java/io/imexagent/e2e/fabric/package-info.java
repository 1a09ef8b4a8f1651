/** Channels per clique at scale: a fleet of racks in simulated time, and a clique's nodes that bind at one moment. */
@NullMarked
package io.imexagent.e2e.fabric;

import org.jspecify.annotations.NullMarked;
