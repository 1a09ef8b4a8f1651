@NullMarked
package io.imexagent.controller.state;

import org.jspecify.annotations.NullMarked;
