/** Stand-ins for the host that several packages' tests need. */
@NullMarked
package io.imexagent.agent.fake;

import org.jspecify.annotations.NullMarked;
