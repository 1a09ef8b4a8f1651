@NullMarked
package io.imexagent.controller.plan;

import org.jspecify.annotations.NullMarked;
