/** What must be so before the agent can serve: each precondition as a result with its remedy. */
@NullMarked
package io.imexagent.agent.check;

import org.jspecify.annotations.NullMarked;
