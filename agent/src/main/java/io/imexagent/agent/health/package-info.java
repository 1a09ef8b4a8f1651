/** The health of the node's devices, as a pure rule over what the agent knows. */
@NullMarked
package io.imexagent.agent.health;

import org.jspecify.annotations.NullMarked;
