/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.agent.check;

import org.jspecify.annotations.NullMarked;
