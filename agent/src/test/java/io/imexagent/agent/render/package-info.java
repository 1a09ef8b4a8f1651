/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.agent.render;

import org.jspecify.annotations.NullMarked;
