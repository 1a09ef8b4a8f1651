/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.agent.http;

import org.jspecify.annotations.NullMarked;
