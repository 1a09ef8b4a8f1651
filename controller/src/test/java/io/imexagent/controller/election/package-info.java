@NullMarked
package io.imexagent.controller.election;

import org.jspecify.annotations.NullMarked;
