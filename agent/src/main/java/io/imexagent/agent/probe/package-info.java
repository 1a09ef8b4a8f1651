/** Probes of the host, and the inventory that they lead to. */
@NullMarked
package io.imexagent.agent.probe;

import org.jspecify.annotations.NullMarked;
