/** Prepare and unprepare of claims: facts, planning, effects, answers. */
@NullMarked
package io.imexagent.agent.prepare;

import org.jspecify.annotations.NullMarked;
