/** The agent and other programs as processes of their own: start, watch, measure and end them. */
@NullMarked
package io.imexagent.e2e.process;

import org.jspecify.annotations.NullMarked;
