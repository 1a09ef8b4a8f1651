/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.agent.config;

import org.jspecify.annotations.NullMarked;
