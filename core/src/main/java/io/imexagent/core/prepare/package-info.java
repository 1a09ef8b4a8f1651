/** Planning of prepare and unprepare: claim, ledger, inventory and policy in, effects or a refusal out. */
@NullMarked
package io.imexagent.core.prepare;

import org.jspecify.annotations.NullMarked;
