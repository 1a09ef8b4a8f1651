/** Tests of the gate. */
@NullMarked
package io.imexagent.agent.gate;

import org.jspecify.annotations.NullMarked;
