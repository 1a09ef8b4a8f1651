/** Logging: one event a line on standard error, with the priorities of the journal where it reads them. */
@NullMarked
package io.imexagent.agent.log;

import org.jspecify.annotations.NullMarked;
