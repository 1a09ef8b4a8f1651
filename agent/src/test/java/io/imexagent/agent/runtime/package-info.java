/** Tests of the wiring. The agent as a whole is tested as a process. */
@NullMarked
package io.imexagent.agent.runtime;

import org.jspecify.annotations.NullMarked;
