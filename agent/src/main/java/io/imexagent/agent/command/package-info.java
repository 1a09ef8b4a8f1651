/** Programs of the host, run to their end within a limit. */
@NullMarked
package io.imexagent.agent.command;

import org.jspecify.annotations.NullMarked;
