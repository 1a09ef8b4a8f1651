/** Tests of logging. */
@NullMarked
package io.imexagent.agent.log;

import org.jspecify.annotations.NullMarked;
