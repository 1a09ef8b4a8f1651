/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.agent.cli;

import org.jspecify.annotations.NullMarked;
