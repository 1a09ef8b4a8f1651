/** A fleet of racks in simulated time: channels per clique at scale. */
@NullMarked
package io.imexagent.e2e.fabric;

import org.jspecify.annotations.NullMarked;
