@NullMarked
package io.imexagent.controller.fake;

import org.jspecify.annotations.NullMarked;
