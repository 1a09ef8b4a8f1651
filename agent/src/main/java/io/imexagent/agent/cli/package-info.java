/** The command line {@code imex-agent}: its commands, their output and their exit codes. */
@NullMarked
package io.imexagent.agent.cli;

import org.jspecify.annotations.NullMarked;
