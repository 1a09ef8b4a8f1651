/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.agent.metrics;

import org.jspecify.annotations.NullMarked;
