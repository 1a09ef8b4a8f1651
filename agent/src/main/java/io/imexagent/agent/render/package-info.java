/** Values of the domain as documents for people's tools: JSON and YAML, the same on the command line and over HTTP. */
@NullMarked
package io.imexagent.agent.render;

import org.jspecify.annotations.NullMarked;
