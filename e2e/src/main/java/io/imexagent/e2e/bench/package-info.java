/** Time and memory of the agent and the controller, and the class cache with which it starts faster. */
@NullMarked
package io.imexagent.e2e.bench;

import org.jspecify.annotations.NullMarked;
