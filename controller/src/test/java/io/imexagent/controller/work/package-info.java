@NullMarked
package io.imexagent.controller.work;

import org.jspecify.annotations.NullMarked;
