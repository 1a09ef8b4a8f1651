/** Lanes: named workers with a bounded queue, for work that blocks. */
@NullMarked
package io.imexagent.agent.lane;

import org.jspecify.annotations.NullMarked;
