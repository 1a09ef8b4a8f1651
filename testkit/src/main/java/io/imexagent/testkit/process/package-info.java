/** The agent and other programs as processes of their own: start, watch, measure and end them. */
@NullMarked
package io.imexagent.testkit.process;

import org.jspecify.annotations.NullMarked;
