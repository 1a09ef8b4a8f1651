/** Which channel a claim gets, and whether it may: demand, policy, plan. */
@NullMarked
package io.imexagent.imex.prepare;

import org.jspecify.annotations.NullMarked;
