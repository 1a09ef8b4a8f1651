/** The running agent: wiring, order of start and stop, signals. Knows every other package; none knows this one. */
@NullMarked
package io.imexagent.agent.runtime;

import org.jspecify.annotations.NullMarked;
