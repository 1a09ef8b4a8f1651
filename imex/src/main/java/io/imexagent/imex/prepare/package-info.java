/** Which devices the node has, which channel a claim gets, and whether it may: policy, pool, demand, plan. */
@NullMarked
package io.imexagent.imex.prepare;

import org.jspecify.annotations.NullMarked;
