/** How a part of the agent says what can be set: annotated components of a record. */
@NullMarked
package io.imexagent.core.setting;

import org.jspecify.annotations.NullMarked;
