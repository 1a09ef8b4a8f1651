/** x */
@NullMarked
package io.imexagent.agent;

import org.jspecify.annotations.NullMarked;
