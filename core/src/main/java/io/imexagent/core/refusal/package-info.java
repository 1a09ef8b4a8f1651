/** Why a claim is refused. */
@NullMarked
package io.imexagent.core.refusal;

import org.jspecify.annotations.NullMarked;
