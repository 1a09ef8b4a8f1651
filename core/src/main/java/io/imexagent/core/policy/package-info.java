/** What the operator decided: isolation, names, what to publish. */
@NullMarked
package io.imexagent.core.policy;

import org.jspecify.annotations.NullMarked;
